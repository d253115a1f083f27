"""Extract facts from what a user says, by the rules of `markers`.

A marker counts where it opens a clause of the user's own words: after a sentence border, a comma, a conjunction or a
phrase such as "by the way". Reading takes time linear in the text, since every look around a match has a fixed reach.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from cairn.facts import vocabulary as v
from cairn.facts.facts import Candidate, normalise
from cairn.facts.markers import Marker, patterns
from cairn.facts.own_words import openings, own_words
from cairn.facts.values import CORRECTABLE, Shape, clip, values

# Characters looked at on either side of a full stop: as far as the longest abbreviation or first word reaches.
_LONGEST_END = 12
_BORDER = re.compile(r"[.!?…]+[\"')\]]*(?=\s|\Z)|(?<=[a-z])[.!?](?=(?:I|My)\b)|[。！？]|\n+")  # noqa: RUF001  Chinese and Japanese end sentences so
# "Dr. Smith" goes on after the full stop, always.
_NEVER_LAST = re.compile(
    r"(?:\A|[\s(])(?:dr|mr|mrs|ms|prof|st|mt|vs|ch|vol|sec|pp|e\.g|i\.e|approx|fig)\Z", re.IGNORECASE
)
# "Acme Inc. I work there": these end a sentence where the next word begins one.
_SELDOM_LAST = re.compile(r"(?:\A|[\s(])(?:[a-z]|[a-z]\.[a-z]|etc|inc|ltd|co|corp|jr|sr|no)\Z", re.IGNORECASE)
# "Hi! I'm Ada." introduces somebody, as "Hi, I'm Ada." does.
_GREETING = re.compile(v.GREETING.replace(" ", r"\s+"), re.IGNORECASE)
_INTRODUCED = re.compile(rf"\s+{v.I_AM}\b", re.IGNORECASE)
_SENTENCE_START = re.compile(r"\s*(?:\Z|(?:I|I'm|I've|My|We|The|It|Please|What|How|Can|Could|Today|This|But|So)\b)")
STRAIGHT = str.maketrans("\u2019\u2018\u201c\u201d\u00a0", "''\"\" ")
"""Makes typographic signs those of the patterns, one for one, so that places stay."""
_CORRECTION = re.compile(
    r"\s*(?:(?:(?:sorry|no|oops|wait|actually|correction|my bad|scratch that)[,.!:]?\s+)+(?:it's|it is|that's|i meant)"
    r"|i meant|i mean)\s+(?:actually\s+)?",
    re.IGNORECASE,
)


_TAKEN_BACK = re.compile(r"\s*(?:not|just kidding|kidding|jk|/s)\s*[.!]*\s*\Z", re.IGNORECASE)


def extract(items: Sequence[tuple[str, str]], previous: str = "") -> tuple[Candidate, ...]:
    """Return what a user states in (event_id, text) pairs, in the order said; "I no longer …" yields retractions.

    A correction such as "Actually, it's Bob" is of the sentence before it, be it the last one of `previous`, which the
    user said just before. Values keep their case and are at most 512 bytes of UTF-8, cut between characters.
    """
    reading = _Reading()
    reading.read("", previous)
    reading.found = []
    for event_id, text in items:
        reading.read(event_id, text)
    return tuple(reading.found)


class _Reading:
    """Collects what was found, and keeps what the last sentence stated, which the next one may correct."""

    def __init__(self) -> None:
        self.found: list[Candidate] = []
        self._latest: list[tuple[Marker, Candidate]] = []

    def read(self, event_id: str, text: str) -> None:
        """Read a text, sentence by sentence."""
        plain = text.translate(STRAIGHT)
        masked = own_words(plain)
        for start, end in sentences(masked):
            if sentence := plain[start:end].strip():
                begin = plain.index(sentence, start)
                self._read_sentence(event_id, sentence, masked[begin : begin + len(sentence)])

    def _read_sentence(self, event_id: str, sentence: str, masked: str) -> None:
        claims = _claims(event_id, sentence, masked)
        if not claims and self._latest:
            corrected = _corrected(event_id, *self._latest[-1], sentence)
            if corrected:
                self._drop_newest(1)
                claims = [corrected]
            elif _TAKEN_BACK.match(sentence):
                # "I love mud. Just kidding.": all that the sentence before stated goes.
                self._drop_newest(len(self._latest))
        self.found += [candidate for _, candidate in claims]
        self._latest = claims

    def _drop_newest(self, count: int) -> None:
        """Drop the newest claims; those of the text before are not among what was found."""
        del self.found[max(0, len(self.found) - count) :]


def sentences(text: str) -> Iterator[tuple[int, int]]:
    """Yield where the sentences of a text begin and end."""
    start = 0
    for border in _BORDER.finditer(text):
        before = text[max(start, border.start() - _LONGEST_END) : border.start()]
        after = text[border.end() : border.end() + _LONGEST_END]
        if _GREETING.fullmatch(text, start, border.start()) and _INTRODUCED.match(text, border.end()):
            continue
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
    if not matches:
        return []
    matches.sort(key=lambda found: found[0].start())
    opens = openings(masked)
    claims = [
        (marker, _candidate(event_id, sentence, marker, match, value))
        for match, marker in matches
        if opens(match.start())
        for value in values(marker.shape, sentence, masked, match.end())
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
        quote=clip(sentence),
        retracts=bool(groups.get("ends")),
    )


def _corrected(event_id: str, marker: Marker, candidate: Candidate, sentence: str) -> tuple[Marker, Candidate] | None:
    """Return the claim with the value of a correction such as "Sorry, I meant Rob", None if it is none.

    A capitalised value is not corrected by "Actually, it's nice here".
    """
    correction = _CORRECTION.match(sentence)
    if not correction or marker.shape not in CORRECTABLE:
        return None
    for value in values(marker.shape, sentence, sentence, correction.end()):
        if value[0].islower() <= candidate.value[0].islower():
            return marker, replace(candidate, value=value, event_id=event_id, quote=clip(sentence), retracts=False)
    return None
