"""Trace a memory log: read from its view what begins and what ends, once each, and keep what was traced with it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import islice

from cairn.facts.facts import Fact, Identity, State, from_record, identity, normalise
from cairn.ground.codec import moment
from cairn.ground.ids import SessionId
from cairn.log.memories import Ending, Memory
from cairn.log.stretch import Stretch, microseconds
from cairn.log.view import MemoryView
from cairn.overview.traces import DAY, End, Position, Trace, Traces

_KEPT = "traces"
_NEVER = 1 << 62


def traced(view: MemoryView, *, everywhere: bool) -> LogTraces:
    """Return the traces of the log, brought up to date; they are the view's, to be used while it is held."""
    # Where a record cannot be read, the next call begins anew.
    found: LogTraces = view.joined.pop(_KEPT, None) or LogTraces(everywhere=everywhere)
    found.catch_up(view)
    view.joined[_KEPT] = found
    return found


def fact_at(view: MemoryView, position: Position) -> Fact:
    """Return the fact that stands there."""
    record = view.stretches[position.stretch].change(position.number)
    return from_record(record["added" if position.added else "ended"][position.place])


def memory_at(view: MemoryView, position: Position) -> Memory:
    """Return the memory that stands there."""
    return view.stretches[position.stretch].memory(position.number)


class LogTraces:
    """The traces of one log, how many turns it has a day, how many memories, and which of its facts are believed."""

    def __init__(self, *, everywhere: bool) -> None:
        """Start at the log's beginning."""
        self.traces = Traces()
        self.turns: Counter[int] = Counter()
        self.memories = 0
        self._everywhere = everywhere
        self._live: dict[Identity, int] = {}
        # How many stretches were read to their ends, and how far the next one was: memories, endings, changes, turns.
        self._done = 0
        self._read = (0, 0, 0, 0)

    def catch_up(self, view: MemoryView) -> None:
        """Read what is new in the log."""
        touched = set[Identity]()
        while True:
            self._read = self._take(view, self._done, touched)
            if self._done == len(view.stretches) - 1:
                break
            self._done, self._read = self._done + 1, (0, 0, 0, 0)
        for about in touched:
            self._believe(about, view.ledger.latest(about))

    def live(self, now: int) -> int:
        """Return of how many identities something is believed."""
        return sum(until > now for until in self._live.values())

    def _take(self, view: MemoryView, number: int, touched: set[Identity]) -> tuple[int, int, int, int]:
        """Take what of a stretch was not taken, and return how far that is."""
        stretch, (memories, endings, changes, turns) = view.stretches[number], self._read
        return (
            self._keep(number, stretch, memories),
            self._forget(stretch.endings(), endings),
            self._change(view, number, changes, touched),
            self._speak(stretch.turns_at(), turns),
        )

    def _keep(self, number: int, stretch: Stretch, first: int) -> int:
        documents = stretch.documents("memories")
        times = documents.number("at")
        names, sessions = documents.label("session")
        for doc in range(first, len(documents)):
            trace = Trace(documents.ids[doc], None, Position(number, doc), SessionId(names[sessions[doc]]), times[doc])
            trace.everywhere = self._everywhere
            self.memories += trace.id not in self.traces.by_id
            self.traces.note(trace)
        return len(documents)

    def _forget(self, endings: Iterable[Ending], first: int) -> int:
        count = first
        for ending in islice(endings, first, None):
            count += 1
            end = End(microseconds(ending.at), "forgotten", ending.session_id, ending.replacement_id)
            self.memories -= self.traces.forget(ending.id, end)
        return count

    def _change(self, view: MemoryView, number: int, first: int, touched: set[Identity]) -> int:
        count = first
        for record in islice(view.stretches[number].history(), first, None):
            ended, added = ([*map(from_record, record[which])] for which in ("ended", "added"))
            others = [fact.id for fact in (*ended, *added) if fact.state in {State.ACTIVE, State.DELETED}]
            session, at = SessionId(record["session"]), microseconds(moment(record["at"]))
            ends = [
                self._of_fact(fact, Position(number, count, place, added=False), session, None)
                for place, fact in enumerate(ended)
            ]
            notes = [
                self._of_fact(fact, Position(number, count, place), session, at) for place, fact in enumerate(added)
            ]
            for trace, fact in zip(ends, ended, strict=True):
                self.traces.end(trace, _end_of(fact, view.ending(fact.id), session, at), others)
            for trace in notes:
                self.traces.note(trace)
            touched.update(trace.about for trace in (*ends, *notes) if trace.about is not None)
            count += 1
        return count

    def _speak(self, times: Sequence[int], first: int) -> int:
        self.turns.update(at // DAY for at in times[first:])
        return len(times)

    def _of_fact(self, fact: Fact, position: Position, session: SessionId, noted: int | None) -> Trace:
        return Trace(
            id=fact.id,
            about=identity(fact),
            position=position,
            session=session,
            noted=noted,
            says=hash(normalise(fact.value)),
            expires=None if fact.expires_at is None else microseconds(fact.expires_at),
            everywhere=self._everywhere,
        )

    def _believe(self, about: Identity, latest: Fact | None) -> None:
        if latest is None or latest.state is not State.ACTIVE:
            self._live.pop(about, None)
        else:
            self._live[about] = _NEVER if latest.expires_at is None else microseconds(latest.expires_at)


def _end_of(fact: Fact, ending: Ending | None, session: SessionId, at: int) -> End:
    if fact.state is State.EXPIRED:
        # Whenever it was noticed.
        return End(microseconds(fact.expires_at) if fact.expires_at else at, "expired", SessionId(""))
    if fact.state is State.DELETED and ending is not None:
        return End(at, "forgotten", ending.session_id, ending.replacement_id)
    return End(at, "superseded" if fact.state is State.SUPERSEDED else "deleted", session, fact.superseded_by)
