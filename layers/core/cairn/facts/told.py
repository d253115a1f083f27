"""Find in a user's own words what they tell memory to do: to keep, to forget, not to keep, and that it is wrong.

Only what the user asks of the assistant counts: no quotation, no report, no condition and no question. Reading takes
time linear in the text, since every look around a request has a fixed reach.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from cairn.facts import told_words as w
from cairn.facts.extraction import STRAIGHT, sentences
from cairn.facts.own_words import own_words

MOST_REQUESTS = 8
"""How many requests of one turn are heeded; of the sentences that are not to be kept all are."""
_REACH = 160
_LAST_SIGNS = 12
_MASK = "\N{BULLET}"
# Quotation marks of other languages; own_words knows the English ones.
_QUOTED = re.compile(r"[\u201e\u00ab\u201c][^\u201c\u201d\u00bb\n]{1,300}[\u201c\u201d\u00bb]")
# Without one of these a text asks nothing, which is told in one look.
_TRIGGER = re.compile(
    r"remember|forget|delete|erase|remove|note|keep|mind|don'?t|do not|never|off the record|wrong|true|right"
    r"|correct|false"
    r"|merk|denk|vergiss|vergess|notier|l(?:ö|oe)sch|speicher|behalt|unter uns|stimmt|falsch|wahr|richtig"
    r"|souviens|rappelle|retiens|oubli|efface|supprime|garde|enregistre|faux|vrai"
    r"|recuerd|anot|ten en|olv|borra|elimin|guard|almacen|verdad|falso|cierto|mal\b"
    r"|ricord|dimentic|cancella|tieni|salvar|memorizz|conserv|vero|sbagliato"
    r"|lembr|esque|apag|salv|armazen|errado|save|store|memori|record",
    re.IGNORECASE,
)


class Asked(StrEnum):
    """What a user asks of memory."""

    KEEP = "keep"
    FORGET = "forget"
    NOT_KEEP = "not_keep"
    WRONG = "wrong"


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a turn: of which text, from where to where in it, and in straight signs."""

    text: int
    start: int
    end: int
    said: str
    masked: str


@dataclass(frozen=True, slots=True)
class Request:
    """One request: what it names, "" where it speaks of the sentence before; `spoken_of` are sentences it is about."""

    asked: Asked
    sentence: Sentence
    rest: str = ""
    before: Sentence | None = None
    spoken_of: tuple[Sentence, ...] = ()
    only_of_kind: bool = False


def requests(texts: Sequence[str]) -> tuple[Request, ...]:
    """Return what a user asks of memory in the texts of a turn, in the order said."""
    if not any(map(_TRIGGER.search, texts)):
        return ()
    said = [sentence for number, text in enumerate(texts) for sentence in read(text, number)]
    found = [request for at in range(len(said)) for request in _of_sentence(said, at)]
    others = [request for request in found if request.asked is not Asked.NOT_KEEP][:MOST_REQUESTS]
    return tuple(request for request in found if request.asked is Asked.NOT_KEEP or request in others)


def read(text: str, number: int = 0) -> Iterator[Sentence]:
    """Yield the sentences of a text, with what is not the user's own masked."""
    plain = text.translate(STRAIGHT)
    quoted = _QUOTED.sub(lambda found: _MASK * len(found.group()), text).translate(STRAIGHT)
    masked = own_words(quoted)
    for start, end in sentences(masked):
        if said := plain[start:end].strip():
            begin = plain.index(said, start)
            finish = begin + len(said)
            yield Sentence(number, begin, finish, said, masked[begin:finish])


def without(texts: Sequence[str], found: Sequence[Request]) -> list[str]:
    """Return the texts without the sentences that are not to be kept."""
    gone: dict[int, set[tuple[int, int]]] = {}
    for each in (sentence for request in found for sentence in request.spoken_of):
        gone.setdefault(each.text, set()).add((each.start, each.end))
    return [_cut(text, sorted(gone[number])) if number in gone else text for number, text in enumerate(texts)]


def _cut(text: str, spans: Sequence[tuple[int, int]]) -> str:
    kept, at = list[str](), 0
    for start, end in spans:
        kept.append(text[at:start])
        at = end
    return "".join((*kept, text[at:])).strip()


def _of_sentence(said: Sequence[Sentence], at: int) -> list[Request]:
    """Return what a sentence asks: one thing, or not to be kept and nothing else."""
    sentence = said[at]
    before = said[at - 1] if at else None
    for kind, pattern in _patterns():
        for match in pattern.finditer(sentence.masked):
            if not _is_asked(kind, sentence.masked, match):
                continue
            if kind == "not_keep":
                return [_not_kept(said, at, match)]
            return _request(kind, said, at, match, before)
    return []


def _request(
    kind: str, said: Sequence[Sentence], at: int, match: re.Match[str], before: Sentence | None
) -> list[Request]:
    sentence = said[at]
    if kind == "wrong":
        begin, end = match.span("tail")
        return [Request(Asked.WRONG, sentence, sentence.said[begin:end] if begin >= 0 else "", before)]
    begin, end = match.span("rest")
    raw = sentence.said[begin:end]
    if kind == "keep":
        rest = raw.strip(" \t:,").rstrip(".! ")
        follows = said[at + 1] if not rest and sentence.said.endswith(":") and at + 1 < len(said) else None
        return [Request(Asked.KEEP, sentence, follows.said if follows else rest, before)]
    if w.THE_LAST.match(raw):
        return [Request(Asked.WRONG, sentence, "", before)]
    rest = w.said_of(raw)
    if not rest or w.NEVER_MIND.match(raw):
        return []
    return [Request(Asked.FORGET, sentence, rest, before, only_of_kind=kind == "delete")]


def _not_kept(said: Sequence[Sentence], at: int, match: re.Match[str]) -> Request:
    """Return which sentences are not to be kept: its own, and where it says too little itself, another.

    "Don't store that, I'm shy" may speak of itself or of the sentence before: both go.
    """
    sentence, others = said[at], list[Sentence]()
    lead, rest = sentence.masked[: match.start()], sentence.said[match.end() :]
    says_itself = _says_something(lead) or (_says_something(rest) and not rest.lstrip().startswith(","))
    if not says_itself or (rest.lstrip().startswith(",") and not _says_something(lead)):
        step = 1 if "next" in match.re.groupindex and match["next"] else -1
        step = 1 if sentence.said.endswith(":") else step
        if step > 0 and _says_something(rest):
            step = 0
        if step and 0 <= at + step < len(said):
            others.append(said[at + step])
    return Request(Asked.NOT_KEEP, sentence, "", spoken_of=(sentence, *others))


_FILLERS = re.compile(
    rf"\b(?:keep (?:this|that|it) between (?:us|you and me)|off the record|{w.PLEASE}|ok|okay|oh|and|but|so"
    rf"|thanks|thank you|hey|right|no|yes|just|also|actually|wait|sorry|don'?t|do not|save"
    r"|store|keep|remember|it|that|this|danke|aber|und|merci|mais|gracias|pero|grazie|ma|obrigad[oa]|mas)\b",
    re.IGNORECASE,
)


def _says_something(words: str) -> bool:
    return any(map(str.isalnum, _FILLERS.sub("", words)))


def _is_asked(kind: str, masked: str, match: re.Match[str]) -> bool:
    """Tell whether a request opens a clause, in earnest and not as a question."""
    start = match.start()
    lead = masked[max(0, start - _REACH) : start]
    asks = masked[-_LAST_SIGNS:].rstrip("\"')] \n").endswith("?")
    if asks and not re.search(rf"you,?\s+(?:{w.PLEASE})\s+\Z", lead, re.IGNORECASE):
        return False
    if start <= _REACH and w.AT_START.match(lead):
        return True
    if kind in {"keep", "wrong"} or w.DOUBT.search(lead):
        return kind == "keep" and not w.DOUBT.search(lead) and w.ASKED.search(lead) is not None
    if kind == "not_keep":
        is_recall = "recall" in match.re.groupindex and match["recall"]
        pause = w.AFTER_COMMA if is_recall else w.AFTER_PAUSE
        return (pause.search(lead) or w.ASKED.search(lead)) is not None
    return w.ASKED.search(lead) is not None


@cache
def _patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Return each way to ask, what is not to be kept first, compiled on first use."""
    told = (
        *(("not_keep", phrase) for phrase in w.NOT_KEEP),
        *(("keep", phrase) for phrase in w.KEEP),
        *(("forget", phrase) for phrase in w.FORGET),
        *(("delete", phrase) for phrase in w.DELETE),
        ("wrong", w.WRONG),
    )
    return tuple((kind, w.compiled(phrase)) for kind, phrase in told)
