"""Leave out of a context what no longer holds, and mark what may not hold."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Final, NamedTuple

from cairn.context.rendering import MAY_BE_OUTDATED, day
from cairn.facts.facts import Fact, digest, is_said
from cairn.facts.kinds import clauses
from cairn.facts.told import read
from cairn.ground.text_cache import TextCache
from cairn.statements.linking import LEFT_OUT
from cairn.statements.units import Unit, joined

_MOST_CUT = 20
"""The words of a sentence that is left out: a longer one says more than what no longer holds, and stays, marked."""
_BREAKS, _STOPS = " ,;", ".!?"
_ENDS = _STOPS + "\n"
_MOST_PARTED = 256


class _Stretch(NamedTuple):
    """Where a part of a text is that a fact may quote, and the digest of what it says."""

    start: int
    end: int
    digest: str


class Change(NamedTuple):
    """Since when a sentence is outdated, how likely, and by what; by nothing where it was taken back."""

    since: datetime
    likelihood: float = 1.0
    by: Fact | None = None

    @property
    def is_sure(self) -> bool:
        """Tell whether the sentence no longer holds."""
        return self.likelihood >= LEFT_OUT


class Kept(NamedTuple):
    """What is left of a text, and the facts that surely outdate sentences of it."""

    text: str
    outdated_by: tuple[Fact, ...] = ()


class Outdating:
    """The sentences that what is believed outdates, by the events that they are of."""

    def __init__(self, believed: Iterable[Fact], deleted: Iterable[Fact] = (), *, past: bool) -> None:
        """Take what is believed and what was taken back.

        Where the `past` is asked for, what no longer holds stays, and is marked.
        """
        self._past = past
        believed = tuple(believed)
        self._stated = {fact.source.event_id for fact in believed if is_said(fact)}
        self._changes: dict[str, dict[str, Change]] = {}
        for fact in deleted:
            self._change(fact.source.event_id, digest(fact.source.quote), Change(fact.valid_to or fact.last_seen))
        changing = (fact for fact in believed if fact.outdates)
        for fact in sorted(changing, key=lambda fact: (fact.recorded_at, fact.id)):
            for each in fact.outdates:
                self._change(each.event_id, each.digest, Change(fact.valid_from, each.likelihood, fact))
        for fact in believed:
            self._restate(fact)

    def _change(self, event_id: str, sentence: str, change: Change) -> None:
        if event_id:  # what a person wrote was said in none
            self._changes.setdefault(event_id, {})[sentence] = change

    def _restate(self, fact: Fact) -> None:
        """Let the sentence of a fact hold that was restored since the sentence was outdated."""
        change = self.of(fact)
        if change is not None and change.since < fact.recorded_at:
            del self._changes[fact.source.event_id][digest(fact.source.quote)]

    def of(self, fact: Fact) -> Change | None:
        """Return what may outdate a fact that is still believed."""
        changes = self._changes.get(fact.source.event_id)
        return changes.get(digest(fact.source.quote)) if changes else None

    def states(self, event_id: str) -> bool:
        """Tell whether an event holds a statement that still stands."""
        return event_id in self._stated

    def kept(self, event_id: str, text: str) -> Kept:
        """Return a text of an event without what no longer holds, "" where nothing is left."""
        changes = self._changes.get(event_id)
        if changes is None:
            return Kept(text)
        left, by, at, is_cut = "", dict[str, Fact](), 0, False
        for start, end, change in _outdated(text, changes):
            by |= {change.by.id: change.by} if change.by is not None and change.is_sure else {}
            left = _closed_up(left, text[at:start]) if is_cut else left + text[at:start]
            in_part = len(text[start:end].split()) > _MOST_CUT
            is_cut = change.is_sure and not self._past and not in_part
            if not is_cut:
                left += f"{text[start:end]} [{_mark(change, in_part=in_part)}]"
            at = end
        left = (_closed_up(left, text[at:]) if is_cut else left + text[at:]).strip()
        # The full stop of the only sentence says nothing.
        return Kept(left if any(map(str.isalnum, left)) else "", tuple(by.values()))


def _mark(change: Change, *, in_part: bool) -> str:
    if not change.is_sure:
        return MAY_BE_OUTDATED
    return f"until {day(change.since.date())}{', in part' if in_part else ''}"


def _closed_up(left: str, right: str) -> str:
    """Return what stood around something left out, without the comma, the stop or the space that stood there for it."""
    before, after = left.rstrip(" "), right.lstrip(" ")
    if not before or before[-1] in _ENDS:
        return left + after.lstrip(_BREAKS + _STOPS)
    if not after or after[0] in _STOPS:
        return before.rstrip(_BREAKS) + after
    return f"{before} {after.lstrip(_BREAKS)}"


def _outdated(text: str, changes: Mapping[str, Change]) -> Iterator[tuple[int, int, Change]]:
    """Yield where the outdated stretches of a text are, in order, the longest of those that begin alike."""
    at = 0
    for each in _STRETCHES.get(text):
        change = changes.get(each.digest)
        if change is not None and each.start >= at:
            yield each.start, each.end, change
            at = each.end


def _stretches(text: str) -> Sequence[_Stretch]:
    """Return what facts may quote of a text, the longest first of those that begin alike."""
    found = (_Stretch(each.start, each.end, digest(each.said)) for each in _quoted(text))
    return sorted(found, key=lambda each: (each.start, -each.end))


_STRETCHES: Final = TextCache(_stretches, entries=_MOST_PARTED)
"""A session is shown the same texts turn after turn, and to part one takes a millisecond."""


def _quoted(text: str) -> Iterator[Unit]:
    """Yield what facts quote of a text: units; of what rules read sentences, or clauses where other projects see it."""
    sentences = list(read(text))
    yield from joined(sentences)
    for sentence in sentences:
        yield Unit(sentence.start, sentence.end, sentence.said)
        for start, end in clauses(sentence.said):
            yield Unit(sentence.start + start, sentence.start + end, sentence.said[start:end])
