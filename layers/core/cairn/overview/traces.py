"""Traces of facts and memories: when each was noted, what it took the place of, what took its place, when it ended.

Facts of one identity are a chain, of which one at most is held at a time, whichever session noted it: so a user is
told of it. Each trace makes a row where it begins and one where it ends, unless another is noted in its place then.
"""

from __future__ import annotations

from bisect import insort
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import timedelta
from heapq import heappop, heappush
from itertools import groupby
from typing import Final, Literal, NamedTuple, TypeAlias

from cairn.facts.facts import Identity
from cairn.ground.ids import SessionId
from cairn.overview.model import ChangeKind

DAY: Final = timedelta(days=1) // timedelta(microseconds=1)
How: TypeAlias = Literal["forgotten", "deleted", "superseded", "expired"]


class Position(NamedTuple):
    """Where something stands: in a stretch, as the entry of that number, which added it or ended it as this one.

    A memory is the document of that number.
    """

    stretch: int
    number: int
    place: int = 0
    added: bool = True


class End(NamedTuple):
    """When and how something ended, in which session, and what is there instead."""

    at: int
    how: How
    session: SessionId
    by: str | None = None


@dataclass(slots=True, eq=False)
class Trace:
    """One fact or memory; times are microseconds since 1970 UTC.

    `about` is None of a memory, `noted` where no entry says when. `says` is alike where values are. `ends_in_row` tells
    that its end is told by itself, not by what was noted in its place. `ranks` are those of its rows.
    """

    id: str
    about: Identity | None
    position: Position
    session: SessionId
    noted: int | None
    says: int = 0
    expires: int | None = None
    everywhere: bool = False
    end: End | None = None
    was: Trace | None = None
    by: str | None = None
    ends_in_row: bool = False
    ranks: tuple[int, int] = (0, 1)

    def rows(self) -> Iterator[Row]:
        """Yield what is told of it."""
        if self.noted is not None:
            yield self.noted, self.ranks[0], self.id, self
        if self.end is not None and self.ends_in_row:
            yield self.end.at, self.ranks[1], self.id, self

    def session_of(self, rank: int) -> SessionId:
        """Return the session that made the row of this rank."""
        return self.end.session if is_end(rank) and self.end is not None else self.session

    def kind(self, rank: int) -> ChangeKind:
        """Return what the row of this rank tells."""
        if is_end(rank):
            return "forgotten" if self.end is not None and self.end.how == "forgotten" else "ended"
        if self.about is None:
            return "kept"
        return "learnt" if self.was is None else "replaced"


Order: TypeAlias = tuple[int, int, str]
"""When a change was, its rank among those of one identity at that moment, and the id of what it is of.

No two are alike, and so all are told in one order. Where something is noted the rank is even, where it ends it is odd.
"""
Row: TypeAlias = tuple[int, int, str, Trace]
"""A change, in the same words, and the trace that it is of."""


@dataclass(slots=True, eq=False)
class Chain:
    """The traces of one identity in the order in which they were noted, and the one that is held."""

    traces: list[Trace] = field(default_factory=list[Trace])
    held: Trace | None = None
    last: tuple[int, int] = (0, 0)
    """When its newest row is, and of what rank."""

    def ranked(self, at: int, lowest: int) -> int:
        """Return the rank of its next row, from the lowest of its kind on."""
        rank = lowest if self.last[0] != at else self.last[1] + 1 + (self.last[1] + 1 + lowest) % 2
        self.last = (at, rank)
        return rank


class Traces:
    """Traces that grow as they are told of, and the rows that they make."""

    def __init__(self) -> None:
        """Start with none."""
        self.by_id: dict[str, Trace] = {}
        self.chains: dict[Identity, Chain] = {}
        self.replaced_by: dict[str, list[Trace]] = {}
        """Traces of other chains and memories, by the id of what is there instead."""
        self.told = 0
        """How often something was told of them: what was made of them before then is out of date."""
        self.made_in: dict[SessionId, list[Row]] = {}
        """The rows of each session's changes, in no order."""
        self._rows: list[Row] = []
        self._new: list[Row] = []
        self._days: Counter[tuple[int, ChangeKind]] = Counter()
        self._expiring: list[tuple[int, str]] = []

    def rows(self) -> list[Row]:
        """Return all rows in their order."""
        if self._rows:
            for row in self._new:
                insort(self._rows, row)
        else:
            self._rows = sorted(self._new)
        self._new = []
        return self._rows

    def days(self) -> Counter[tuple[int, ChangeKind]]:
        """Return how many rows of each kind there are on each day, numbered from 1970."""
        return self._days

    def note(self, trace: Trace) -> None:
        """Add a trace, in the place of the one of its identity that is held."""
        if trace.noted is None or trace.id in self.by_id:
            return
        self.by_id[trace.id] = trace
        if trace.about is not None:
            self._link(self.chains.setdefault(trace.about, Chain()), trace, trace.noted)
        if trace.expires is not None:
            heappush(self._expiring, (trace.expires, trace.id))
        self._tell(trace, 0, trace.noted)

    def forget(self, name: str, end: End) -> bool:
        """End a memory, and tell whether it was there and had not ended."""
        trace = self.by_id.get(name)
        if trace is None or trace.about is not None or trace.end is not None:
            return False
        self._end(trace, end)
        return True

    def end(self, ended: Trace, end: End, others: Collection[str]) -> None:
        """End a fact; `ended` is its trace where none is here. `others` are the ids of what begins or ends with it."""
        if ended.about is None:
            return
        self.told += 1
        trace, chain = self.by_id.setdefault(ended.id, ended), self.chains.setdefault(ended.about, Chain())
        self._lapse(chain, end.at)
        if trace is ended:
            chain.traces.append(trace)
            chain.held = chain.held or trace
        if trace.end is not None:
            return
        held = chain.held
        if end.how == "expired" or (end.how == "superseded" and end.by in others):
            trace.end = end
            return
        changes = trace is held or (end.how == "deleted" and held is not None and held.id not in others)
        if changes:
            chain.held = None
        if changes or end.how == "forgotten":
            self._end(trace, end)
        else:
            trace.end = end

    def expire(self, now: int) -> None:
        """Let go of what has expired by now."""
        while self._expiring and self._expiring[0][0] <= now:
            trace = self.by_id[heappop(self._expiring)[1]]
            if trace.about is not None:
                self._lapse(self.chains[trace.about], now)

    def _link(self, chain: Chain, trace: Trace, at: int) -> None:
        self._lapse(chain, at)
        if chain.held is not None:
            chain.held.by = trace.id
            trace.was = chain.held if chain.held.says != trace.says else None
        chain.traces.append(trace)
        chain.held = trace

    def _end(self, trace: Trace, end: End) -> None:
        trace.end, trace.by, trace.ends_in_row = end, end.by or trace.by, True
        if end.by is not None:
            self.replaced_by.setdefault(end.by, []).append(trace)
        self._tell(trace, 1, end.at)

    def _lapse(self, chain: Chain, at: int) -> None:
        held = chain.held
        if held is not None and held.expires is not None and held.expires <= at:
            chain.held = None
            if held.end is None:
                self._end(held, End(held.expires, "expired", SessionId("")))

    def _tell(self, trace: Trace, lowest: int, at: int) -> None:
        self.told += 1
        rank = lowest if trace.about is None else self.chains[trace.about].ranked(at, lowest)
        trace.ranks = (trace.ranks[0], rank) if lowest else (rank, trace.ranks[1])
        row: Row = (at, rank, trace.id, trace)
        self._new.append(row)
        self.made_in.setdefault(trace.session_of(rank), []).append(row)
        self._days[at // DAY, trace.kind(rank)] += 1


def is_end(rank: int) -> bool:
    """Tell whether a row of this rank tells of an end."""
    return rank % 2 == 1


def together(chains: Iterable[tuple[Identity, Chain]]) -> Traces:
    """Return chains of one identity or several, of which several may be about the same, as one log would tell them."""
    found = Traces()
    for _, same in groupby(sorted(chains, key=lambda each: each[0]), key=lambda each: each[0]):
        _join(found, [trace for _, chain in same for trace in chain.traces])
    return found


def _join(found: Traces, traces: Iterable[Trace]) -> None:
    merged: dict[str, Trace] = {}
    for trace in traces:
        known = merged.get(trace.id)
        merged[trace.id] = trace if known is None else _one(known, trace)
    ends = {name: trace.end for name, trace in merged.items() if trace.end is not None}
    gone = {at: [name for name, end in ends.items() if end.at == at] for at in {end.at for end in ends.values()}}
    # Those of one moment in the order in which their logs tell of them.
    for _, _, name, end in sorted(_events(merged.values()), key=lambda event: event[:2]):
        fresh = replace(merged[name], end=None, was=None, by=None, ends_in_row=False, ranks=(0, 1))
        if end is None:
            found.note(fresh)
        else:
            born = [end.by] if end.by in merged else []
            found.end(fresh, end, [*born, *gone[end.at]])


def _one(known: Trace, other: Trace) -> Trace:
    noted = known if known.noted is not None else other
    ends = [each.end for each in (known, other) if each.end is not None]
    return replace(noted, end=min(ends, key=lambda end: end.at, default=None))


def _events(traces: Iterable[Trace]) -> Iterator[tuple[int, int, str, End | None]]:
    """Yield when traces were noted and ended: what ends makes room for what is noted at the same moment."""
    for trace in traces:
        if trace.noted is not None:
            yield trace.noted, 1, trace.id, None
        if trace.end is not None and trace.end.how != "expired":
            # Clocks differ: nothing ends before it was noted.
            is_after = trace.noted is None or trace.end.at > trace.noted
            yield (trace.end.at, 0, trace.id, trace.end) if is_after else (trace.noted or 0, 2, trace.id, trace.end)
