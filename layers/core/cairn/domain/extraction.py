"""Facts in what a user says, found by rule: `markers` is the table, here is the care with which each is read.

A marker counts where it opens a clause of the user's own: after a sentence border, a comma, a conjunction or a phrase
such as "by the way". Questions, conditions, reported and quoted speech, code and links are left alone. Reading takes
time linear in the text, since every look around a match has a fixed reach.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace
from unicodedata import category

from cairn.domain.facts import Candidate, normalise
from cairn.domain.markers import Marker, Shape, patterns

MAX_VALUE_BYTES = 512
_REACH = 600
_OPENING_REACH = 64
_FOREIGN_REACH = 160
_LONGEST_END = 12
_ASIDE = re.compile(
    r"```.*?(?:```|\Z)|^[ \t]*>[^\n]*|`[^`\n]+`|\"[^\"\n]{1,300}\"|(?<!\w)'[^'\n]{1,200}'(?!\w)|https?://\S+",
    re.DOTALL | re.MULTILINE,
)
_BORDER = re.compile(r"[.!?…]+[\"')\]]*(?=\s|\Z)|[。！？]|\n+")  # noqa: RUF001  Chinese and Japanese end sentences so
_NEVER_LAST = re.compile(r"(?:\A|[\s(])(?:dr|mr|mrs|ms|prof|st|mt|vs|e\.g|i\.e|approx|fig)\Z", re.IGNORECASE)
_SELDOM_LAST = re.compile(r"(?:\A|[\s(])(?:[a-z]|[a-z]\.[a-z]|etc|inc|ltd|co|corp|jr|sr|no)\Z", re.IGNORECASE)
_SENTENCE_START = re.compile(r"\s*(?:\Z|(?:I|I'm|I've|My|We|The|It|Please|What|How|Can|Could|Today|This|But|So)\b)")
_OPENERS = (
    "and|but|so|because|since|although|though|plus|also|well|oh|hi|hello|hey|there|yes|yeah|yep|no|nope|ok|okay|right"
    "|actually|honestly|personally|basically|btw|by the way|fyi|ps|for the record|for context|for reference|sorry"
    "|thanks|thank you|please|just|note that|remember that|remember|you should know that|just so you know|you know"
    "|as i said|as you know|i think|i guess|i must say|i (?:said|told you|mentioned)(?: that)?|that's why|which is why"
    "|about me|first|second|then|now|nowadays|these days|currently|lately|recently|generally|usually|overall|today"
    r"|in general|(?:in|on|for|at|during|after|before) (?:the |my )?\w+|(?:you|everyone) can|(?:my )?friends|people"
)
_OPENING = re.compile(
    r"(?:\A|[,;(\u2014\u2013]|(?-i:\b[a-z]\w*):|\s-|\A\s*(?:[-*•]|\d+[.)])|\b(?:and|but|because|so|since|although|though|plus))\s*"
    rf"(?:(?:{_OPENERS})[,:!]?\s+)*\Z",
    re.IGNORECASE,
)
_NOT_ONES_OWN = re.compile(
    r"\bif\b(?! (?:it helps|you're|you are|anyone|that matters|it matters))|(?<!\bi )(?<!\bi've )\b(?:said|told)\b"
    r"|\b(?:unless|whether|hypothetically|suppos\w+|imagin\w+|pretend\w*|assum\w+|translat\w+|rewrite|write|rephrase"
    r"|repeat|quote|lyrics?|example|phrase|story|novel|movie|film|book|dream|role-?play|let's say|say|says|tells|thinks"
    r"|claims?|claimed|wrote|asked|replied|joked|lied|nobody|no one|not true|doubt|wish)\b",
    re.IGNORECASE,
)
_DISOWNED = re.compile(
    r"[\s,\"'(]*(?:\w+ (?:said|says|replied|wrote|asked)|(?:said|says|replied) \w+|just kidding|jk|not!?\Z)",
    re.IGNORECASE,
)
_QUESTION = re.compile(
    r"[\s,;(\u2014\u2013-]*(?:and |so |but |or )?(?:what|which|who|where|when|why|how|can|could|would|will|do|does|did"
    r"|is|are|should|shall|any|anything|got|have you|please|you)\b(?!,? (?:right|no)\b)",
    re.IGNORECASE,
)
_NEW_CLAUSE = (
    r"(?:i|i'm|i've|i'd|i'll|my|we|he|she|it|it's|they|you|that's|this|there|please|can|could|would|will|what|which|how"
    r"|where|who|when|do|does|did|is|are|should|maybe|then|not|right|thanks|nice|so|but|because|since|though|if)\b"
)
_STOP = re.compile(
    r"[;()\[\]{}\u2014\u2013|]|\s-+\s|:\s|\s(?:but|because|cuz|so|although|though|whereas|unless|even though)\b"
    rf"|[,\s]\s*(?:and|or|plus|&)\s+(?:also\s+|now\s+)?{_NEW_CLAUSE}|,\s*{_NEW_CLAUSE}",
    re.IGNORECASE,
)
_PLACE_END = re.compile(
    r",(?!\s*(?-i:[A-Z]))"
    r"|\s(?:and|with|since|for|where|near|when|from|to|on|by|after|last|next|this|until|as|in\s+\d+)\b",
    re.IGNORECASE,
)
_COMMA = re.compile(r",(?!\s*\d)")
_TAIL = re.compile(
    r"(?:[\s,]+(?:now|nowadays|these days|currently|at the moment|right now|too|as well|a lot|very much|so much"
    r"|the most|though|btw|by the way|lol|haha|please|thanks|any ?more|recently|lately|last (?:week|month|year)|today"
    r"|this week|yesterday|actually|in general|for now|already|instead|again))+\Z",
    re.IGNORECASE,
)
_VAGUE = re.compile(
    r"(?:it|that|this|these|those|them|him|her|us|you|your|yours|u|how|what|when|where|why|who|whatever|nothing|neither"
    r"|none|no|not|both|either|as|all of|everything|one|something|someone|fear|hope|denial"
    r"|(?:to|least|times|night|home|myself|free)\Z|the (?:\w+ )?(?:ones?|option|idea|way|version|design|approach"
    r"|first|second|third|last|other|latter|former|sound|look|fact|moment|time|past|present|same|part|next|end|weekend)"
    r"|to (?:think|say|believe|know|see|ask|hear)|an? (?:living|society|world|hurry|bit|new \w+)"
    r"|coming|soon|near|over|next|tomorrow|today|late|broken|more|most|less)(?!\w)(?!-)",
    re.IGNORECASE,
)
_CONJUNCTION = re.compile(r"(?:\A|\s)\s*(?:and|or|&)\s+", re.IGNORECASE)
_STRAIGHT = str.maketrans("\u2019\u2018\u201c\u201d\u00a0", "''\"\" ")
_MOST_NAMES = 6
_MOST_WORDS_OF_ITEM = 4
_NAME_PARTICLES = "de da di del der den van von la le el al bin ibn ten ter y"
_PARTICLES = frozenset(_NAME_PARTICLES.split())
_AFTER_NAME = "and but or from by in at on with to nice btw so what can please i i'm you who is if when"
_ENDS_NAME = frozenset(_AFTER_NAME.split())
_NAME_NEVER_STARTS = """
    a an the not in on at too very so really also just no back later tomorrow today tonight now maybe again soon crazy
    if when after before once anytime any old up out over about for to important common hard easy difficult spelled
    spelt pronounced written different monday tuesday wednesday thursday friday saturday sunday whatever
"""
_NO_NAME = frozenset(_NAME_NEVER_STARTS.split())
_CORRECTION = re.compile(
    r"\s*(?:(?:(?:sorry|no|oops|wait|actually|correction|my bad|scratch that)[,.!:]?\s+)+(?:it's|it is|that's|i meant)"
    r"|i meant|i mean)\s+(?:actually\s+)?",
    re.IGNORECASE,
)


def extract(items: Sequence[tuple[str, str]]) -> tuple[Candidate, ...]:
    """Return what a user states in (event_id, text) pairs, in the order said; "I no longer …" yields retractions.

    Values keep their case and are at most 512 bytes of UTF-8, cut between characters.
    """
    return tuple(candidate for event_id, text in items for candidate in _read(event_id, text))


def _read(event_id: str, text: str) -> list[Candidate]:
    plain = text.translate(_STRAIGHT)
    masked = _ASIDE.sub(lambda aside: re.sub(r"[^\n]", "\N{BULLET}", aside.group()), plain)
    found: list[Candidate] = []
    latest: tuple[Marker, Candidate] | None = None
    for start, end in _sentences(masked):
        claims = _claims(event_id, plain[start:end], masked[start:end])
        if latest and not claims and (mended := _mended(*latest, plain[start:end])):
            found[-1] = mended
        found.extend(candidate for _, candidate in claims)
        latest = claims[-1] if claims else None
    return found


def _sentences(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for border in _BORDER.finditer(text):
        before = text[max(start, border.start() - _LONGEST_END) : border.start()]
        after = text[border.end() : border.end() + _LONGEST_END]
        if border.group() == "." and (
            _NEVER_LAST.search(before) or (_SELDOM_LAST.search(before) and not _SENTENCE_START.match(after))
        ):
            continue
        yield start, border.end()
        start = border.end()
    yield start, len(text)


def _claims(event_id: str, sentence: str, masked: str) -> list[tuple[Marker, Candidate]]:
    """Return what a sentence states; a note is one only where its words are nothing more specific."""
    matches = [(match, marker) for marker, pattern in patterns() for match in pattern.finditer(masked)]
    matches.sort(key=lambda found: found[0].start())
    foreign = [-_FOREIGN_REACH, *(other.end() for other in _NOT_ONES_OWN.finditer(masked if matches else ""))]
    claims = [
        (marker, _candidate(event_id, sentence, marker, match, value))
        for match, marker in matches
        if _OPENING.search(masked[max(0, match.start() - _OPENING_REACH) : match.start()])
        and match.start() - foreign[bisect_right(foreign, match.start()) - 1] >= _FOREIGN_REACH
        for value in _values(marker.shape, sentence, masked, match.end())
    ]
    return [claim for claim in claims if claim[0].shape is not Shape.SENTENCE] or claims


def _candidate(event_id: str, sentence: str, marker: Marker, match: re.Match[str], value: str) -> Candidate:
    groups = match.groupdict()
    return Candidate(
        fact_id=marker.fact_id,
        key=normalise(marker.key or groups.get("about") or value),
        value=value,
        confidence=marker.confidence,
        tier=marker.tier,
        event_id=event_id,
        quote=_clip(sentence.lstrip()),
        retracts=bool(groups.get("ends")),
    )


def _values(shape: Shape, sentence: str, masked: str, start: int) -> list[str]:
    """Return the values stated from `start` on: none if the words turn out to be a question or to say nothing."""
    window = masked[start : start + _REACH]
    stop = None if shape is Shape.SENTENCE else _STOP.search(window)
    length = _length(shape, window[: stop.start()] if stop else window)
    rest = window[length:]
    asks = masked[-_LONGEST_END:].rstrip("\"')] \n").endswith(("?", "\N{FULLWIDTH QUESTION MARK}"))
    if _DISOWNED.match(rest) or (asks and not _QUESTION.match(rest)):
        return []
    said = sentence[start : start + length]
    parts = _list_items(said) if shape is Shape.THINGS else [said]
    return [
        value
        for value in map(_clean, parts)
        if value and (shape in {Shape.NAME, Shape.SENTENCE} or not _VAGUE.match(value))
    ]


def _length(shape: Shape, body: str) -> int:
    """Return how many characters of the body belong to a value of this shape."""
    if shape is Shape.NAME:
        return _name_length(body)
    if shape is Shape.THINGS and len(_list_items(body)) > 1:
        return len(body)
    end = {Shape.PLACE: _PLACE_END, Shape.PHRASE: _COMMA, Shape.THINGS: _COMMA}.get(shape)
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
        if lower in _ENDS_NAME or (words == 0 and lower in _NO_NAME):
            break
        if words == 0:
            capital = not word[:1].islower()
        elif capital and not word[:1].isupper() and lower not in _PARTICLES:
            break
        words, end = words + 1, match.end("word")
        if match["comma"]:
            break
    return end if words <= (_MOST_NAMES if capital else 2) else 0


def _list_items(said: str) -> list[str]:
    """Return the items of "A, B and C", or the text as its only item where it is no such list."""
    *firsts, last = said.split(",")
    items = [*firsts, *filter(None, _CONJUNCTION.split(last, maxsplit=1))]
    is_list = firsts and _CONJUNCTION.search(last) and all(len(item.split()) <= _MOST_WORDS_OF_ITEM for item in items)
    return items if is_list else [said]


def _mended(marker: Marker, candidate: Candidate, sentence: str) -> Candidate | None:
    """Return the candidate with the value of a correction such as "Sorry, I meant Rob", None if it is none."""
    correction = _CORRECTION.match(sentence)
    if not correction or marker.shape not in {Shape.NAME, Shape.PLACE, Shape.PHRASE}:
        return None
    values = _values(marker.shape, sentence, sentence, correction.end())
    return replace(candidate, value=values[0], quote=_clip(sentence.lstrip())) if values else None


def _clean(said: str) -> str:
    value = _without_trailing_signs(_TAIL.sub("", _without_trailing_signs(said))).lstrip(" \t\n\"'`*,;:")
    return _clip(value) if any(map(str.isalnum, value)) else ""


def _without_trailing_signs(text: str) -> str:
    end = len(text)
    while end and text[end - 1] not in ")%+#" and category(text[end - 1])[0] in "PSZC":
        end -= 1
    return text[:end]


def _clip(text: str) -> str:
    return text[:MAX_VALUE_BYTES].encode(errors="ignore")[:MAX_VALUE_BYTES].decode(errors="ignore").rstrip()
