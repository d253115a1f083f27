"""Find where the value of a statement ends, and reject values that say nothing."""

from __future__ import annotations

import re
from enum import Enum, auto
from unicodedata import category

from cairn.facts.short_text import MAX_VALUE_BYTES

_EMOJI_STYLE = "\N{VARIATION SELECTOR-16}"
# Characters behind a marker in which the value ends; a little over MAX_VALUE_BYTES, to which it is cut.
_REACH = 600
# Characters at a sentence's end among which a question mark is looked for: quotes and blanks may follow it.
_LAST_WORDS = 12


class Shape(Enum):
    """The ways to cut a value from the text behind its marker."""

    NAME = auto()
    PLACE = auto()
    ROLE = auto()
    PHRASE = auto()
    THINGS = auto()
    CLAUSE = auto()
    SENTENCE = auto()


CORRECTABLE = frozenset({Shape.NAME, Shape.PLACE, Shape.ROLE, Shape.PHRASE})
"""The shapes of which a statement has one value, so that another one said right after it takes its place."""
# "I love mud, she said", "I love mud, just kidding", "I love mud. Not!"
_DISOWNED = re.compile(
    r"[\s,\"'(]*(?:\w+ (?:said|says|replied|wrote|asked)|(?:said|says|replied) \w+|just kidding|jk"
    r"|(?:(?:obviously|of course|certainly) )?not[.!]*\Z)",
    re.IGNORECASE,
)
# "My name is Bob, no wait, Rob": the value that follows counts.
_CORRECTED = re.compile(
    r"\s*,\s*(?:sorry|oops|no(?: wait)?|wait|correction|i meant?)\b[\s,.!-]*"
    r"(?:(?:no|sorry|i meant?|it's)\b[\s,]*)*",
    re.IGNORECASE,
)
# "I live in Oslo, where can I ...?": a question of its own behind a statement leaves the statement one; without one the
# whole sentence asks.
_QUESTION = re.compile(
    r"[\s,;(\u2014\u2013-]*(?:and |so |but |or )?(?:what|which|who|where|when|why|how|can|could|would|will|do|does|did"
    r"|is|are|should|shall|any|anything|got|have you|please|you)\b(?!,? (?:right|no)\b)",
    re.IGNORECASE,
)
_NEW_CLAUSE = (
    r"(?:i|i'?m|i'?ve|i'd|i'll|my|we|he|she|it|it's|they|you|that's|this|there|please|can|could|would|will|what|which"
    r"|how|where|who|when|do|does|did|is|are|should|maybe|then|not|right|thanks|nice|so|but|because|since|though|if)\b"
)
# "Mia can't have milk", "my wife hates coffee": a subject of its own with its verb.
_OF_ANOTHER = (
    r"(?:(?:my|our|his|her|their|the)\s+)?\w+\s+(?:can(?:'?t|not)?|could|won't|will|is|isn't|are|aren't|was|were|has|hasn't|have"
    r"|haven't|had|does|doesn't|do|don't|must|should|likes?|loves?|hates?|needs?|wants?|works?|lives?|eats?|drinks?|prefers?)\b"
)
# Where a value of any shape ends: a bracket, a dash, a conjunction that changes the subject, the subject of the next
# clause.
_STOP = re.compile(
    r"[;()\[\]{}\u2014\u2013|]|\s-+\s|:\s|\s(?:but|because|cuz|so|although|though|whereas|unless|even though)\b"
    rf"|[,\s]\s*(?:and|or|plus|&)\s+(?:also\s+|now\s+)?{_NEW_CLAUSE}|,\s*{_NEW_CLAUSE}|[,\s]\s*and\s+{_OF_ANOTHER}",
    re.IGNORECASE,
)
_AND_ANOTHER = re.compile(rf"[,\s]\s*and\s+{_OF_ANOTHER}", re.IGNORECASE)
# "1,000 books" is one value.
_COMMA = re.compile(r",(?!\s*\d)")
_END = {
    Shape.PLACE: re.compile(
        # "Oslo, Norway" is one place, "Oslo, with my dog" ends at the comma.
        r",(?!\s*(?-i:[A-Z])|\w)"
        r"|\s(?:i|we|part-time|full-time|and|with|since|for|where|when|from|to|on|by|after|last|next|this|until|as"
        r"|in\s+(?:\d+|(?:early\s+|late\s+|the\s+)?(?:spring|summer|autumn|fall|winter|january|february|march|april|may|june|july"
        r"|august|september|october|november|december)))\b",
        re.IGNORECASE,
    ),
    Shape.ROLE: re.compile(r",|\s(?:and|at|for|in|since|from|who|with|now|there|here)\b", re.IGNORECASE),
    Shape.PHRASE: _COMMA,
    Shape.THINGS: _COMMA,
}
# Taken off the end of a value: when, how much, thanks. What is stated is the rest.
_TAIL = re.compile(
    r"(?:[\s,]+(?:now|nowadays|these days|currently|at the moment|right now|too|as well|a lot|very much|so much"
    r"|the most|though"
    r"|btw|tbh|imho|by the way|lol|haha|please|pls|plz|thanks|thx|rn|any ?more|any longer|recently|lately"
    r"|last (?:week|month|year|spring|summer|autumn|fall|winter)|today|this week|yesterday|actually|in general|for now"
    r"|already|instead|again|allerg(?:y|ies)))+\Z",
    re.IGNORECASE,
)
# Values that say nothing without the sentence before ("that one"), and figures ("in denial", "in a hurry").
_VAGUE = re.compile(
    r"(?:it|that|this|these|those|them|him|his|her|their|us|your|yours|how|what|when|where|why|who|whatever|nothing"
    r"|neither|none|no|not|both|either|as|all of|everything|one|something|someone|my best|at|for|about"
    r"|coming|soon|near|over|next|tomorrow|today|late|broken|missing|which"
    r"|(?:more|most) of"
    r"|(?:more|most|less|to|least|times|night|home|myself|free|fun|money|weekends|(?:you|u)(?: guys| all| both)?)\Z"
    r"|(?:\w+ )?(?:fear|hope|denial|peace|poverty|luxury|silence|sin|exile|bliss|misery|darkness|pain|chaos|speed)"
    r"|the (?:\w+ )?(?:ones?|option|idea|way|version|design|approach|plan|layout|draft|output|result|answer|change"
    r"|update|solution|suggestion|first|second|third|last|other|latter|former|sound|look|fact|moment|time|past|present"
    r"|same|part|next|end|weekend)|the middle of nowhere"
    r"|an? (?:living|society|world|hurry|bit|different|(?:\w+'s )?pace|new \w+)"
    r"|(?:an?|two|three|four|five|six|a few|\d+) (?:days?|weeks?|months?)\Z)(?![\w&-])",
    re.IGNORECASE,
)
_NO_TASTE = re.compile(
    r"to (?:think|say|believe|know|see|ask|hear)\b|.*\b(?:them|these|those|this|your|(?:to|with) you)\b", re.IGNORECASE
)
_CONJUNCTION = re.compile(r"(?:\A|\s)\s*(?:and|or|&)\s+", re.IGNORECASE)
_AND_SO_ON = re.compile(r"\s*(?:etc|and so on)\.?\s*", re.IGNORECASE)
# Longer runs of capitalised words are titles or shouting. Items of more words are clauses that a comma happens to part.
_MOST_NAMES = 6
_MOST_WORDS_OF_ITEM = 4
# Small words within a name that goes on with a capital: "Ludwig van Beethoven".
_NAME_PARTICLES = "de da di del der den van von la le el al bin ibn ten ter y"
_PARTICLES = frozenset(_NAME_PARTICLES.split())
_AFTER_NAME = """
    and but or from by in at on with to nice btw so what can please pls plz thx lol haha i i'm im you who is if when
"""
_ENDS_NAME = frozenset(_AFTER_NAME.split())
# "I'm" is followed by these far more often than by a name, and people write names in lower case too.
_NAME_NEVER_STARTS = """
    a an the not in on at too very so really also just no back later tomorrow today tonight now maybe again soon crazy
    if when after before once anytime any old up out over about for to important common hard easy difficult spelled
    spelt pronounced written different monday tuesday wednesday thursday friday saturday sunday whatever still all
    missing wrong mud tired bored hungry sick busy fine ok okay ready sad happy angry lost confused done good bad great
    pretty probably usually always quite rather getting being no is was has interested
    late weird funny secret private unknown unique irrelevant worth nothing taken known mentioned listed asap
"""
_NO_NAME = frozenset(_NAME_NEVER_STARTS.split())


def tells_of_another(said: str) -> bool:
    """Tell whether a sentence says something of somebody else beside: "I like tea and my wife hates coffee"."""
    return _AND_ANOTHER.search(said) is not None


def values(shape: Shape, sentence: str, masked: str, start: int) -> list[str]:
    """Return the values stated from `start` on: none if the words turn out to be a question or to say nothing."""
    said, end = _stated(shape, sentence, masked, start)
    correction = _CORRECTED.match(masked, end) if shape in CORRECTABLE else None
    return (correction and _stated(shape, sentence, masked, correction.end())[0]) or said


def _stated(shape: Shape, sentence: str, masked: str, start: int) -> tuple[list[str], int]:
    """Return the values and where they end."""
    window = masked[start : start + _REACH]
    stop = None if shape is Shape.SENTENCE else _STOP.search(window)
    length = _length(shape, window[: stop.start()] if stop else window)
    rest, end = window[length:], start + length
    asks = masked[-_LAST_WORDS:].rstrip("\"')] \n").endswith(("?", "\N{FULLWIDTH QUESTION MARK}"))
    if _DISOWNED.match(rest) or (asks and not _QUESTION.match(rest)):
        return [], end
    parts = _list_items(sentence[start:end]) if shape is Shape.THINGS else [sentence[start:end]]
    return [value for value in map(_clean, parts) if value and not _says_nothing(shape, value)], end


def _says_nothing(shape: Shape, value: str) -> bool:
    if shape in {Shape.NAME, Shape.SENTENCE}:
        return False
    return bool(_VAGUE.match(value) or (shape is Shape.THINGS and _NO_TASTE.match(value)))


def clip(text: str) -> str:
    """Return the text without what goes beyond 512 bytes of UTF-8, cut between characters."""
    return text[:MAX_VALUE_BYTES].encode(errors="ignore")[:MAX_VALUE_BYTES].decode(errors="ignore").rstrip()


def _length(shape: Shape, body: str) -> int:
    """Return how many characters of the body belong to a value of this shape."""
    if shape is Shape.NAME:
        return _name_length(body)
    if shape is Shape.THINGS and len(_list_items(body)) > 1:
        return len(body)
    end = _END.get(shape)
    cut = end.search(body) if end else None
    return cut.start() if cut else len(body)


def _name_length(body: str) -> int:
    """Return the length of the name that the body opens with, 0 if it opens with none.

    A capitalised name goes on while its words are capitalised; one in lower case is one or two words and nothing else.
    """
    end, words = 0, 0
    capital = False
    for match in re.finditer(r"(?P<word>[^\s,]+)(?P<comma>,?)", body):
        word = match["word"].strip("\"'.!?")
        lower = word.casefold()
        # "J. R. Hartley": the full stop is no end, and "A." no article.
        initial = word.isupper() and match["word"].endswith(".")
        if not initial and (lower in _ENDS_NAME or (words == 0 and lower in _NO_NAME)):
            break
        if words == 0:
            capital = not word[:1].islower()
        elif capital and not word[:1].isupper() and lower not in _PARTICLES:
            break
        words, end = words + 1, match.end("word")
        if match["comma"]:
            break
    # In lower case two words are a name at most: what goes on is a sentence.
    return end if words <= (_MOST_NAMES if capital else 2) else 0


def _list_items(said: str) -> list[str]:
    """Return the items of "A, B and C", or the text as its only item where it is no such list."""
    *firsts, last = said.split(",")
    if _AND_SO_ON.fullmatch(last):
        return firsts
    items = [*firsts, *filter(None, _CONJUNCTION.split(last, maxsplit=1))]
    is_list = firsts and _CONJUNCTION.search(last) and all(len(item.split()) <= _MOST_WORDS_OF_ITEM for item in items)
    return items if is_list else [said]


def _clean(said: str) -> str:
    value = _without_trailing_signs(_TAIL.sub("", _without_trailing_signs(said))).lstrip(" \t\n\"'`*,;:")
    return clip(value) if any(map(str.isalnum, value)) else ""


def _without_trailing_signs(text: str) -> str:
    end = len(text)
    while (
        # "C++", "C#", "80%" and a bracket end with a sign of their own.
        end and text[end - 1] not in ")%+#" and (text[end - 1] == _EMOJI_STYLE or category(text[end - 1])[0] in "PSZC")
    ):
        end -= 1
    return text[:end]
