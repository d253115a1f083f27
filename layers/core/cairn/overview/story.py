"""What the logs of one user changed, the user's own and the one across projects, told as one.

Of what both speak of, their traces are joined; all else each log tells by itself.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Generator, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property, partial
from heapq import merge

from cairn.facts.facts import Identity
from cairn.ground.ids import Project, SessionId
from cairn.log.layout import across, is_across, named_in
from cairn.log.ledger import Spoken, is_spoken_of
from cairn.log.stretch import microseconds
from cairn.log.view import MemoryView
from cairn.overview.model import ChangeKind, Place
from cairn.overview.traces import DAY, Order, Row, Trace, Traces, together
from cairn.overview.tracing import LogTraces, traced
from cairn.sessions.services import SessionServices

_KEPT = "joint"


@dataclass(frozen=True, slots=True)
class Told:
    """A log's owner, its view and its traces."""

    owner: str
    view: MemoryView
    log: LogTraces


@contextmanager
def told(services: SessionServices, where: Place, owner: str) -> Generator[Story]:
    """Hold what the logs of an owner changed, as last refreshed; it must not be used after the with block."""
    with ExitStack() as held:
        views = {
            # Sorted, since two calls that take the same locks in different orders would wait for each other.
            each: held.enter_context(services.log.view(where.tenant, where.project, each))
            for each in sorted(logs_of(services, where, owner))
        }
        logs = [Told(each, view, traced(view, everywhere=is_across(each))) for each, view in views.items()]
        yield Story(logs, services.adapters.clock.now())


def refresh(services: SessionServices, where: Place, owners: Sequence[str]) -> None:
    """Bring the logs of these owners up to date, all at once."""
    logs = [each for owner in owners for each in logs_of(services, where, owner)]
    services.adapters.parallel([partial(services.log.refresh, where.tenant, where.project, each) for each in logs])


def logs_of(services: SessionServices, where: Place, owner: str) -> list[str]:
    """Return the owners of an owner's own log and, where memory reaches across projects, of that across them."""
    reaches = services.settings.memory_for(where.tenant).across_projects
    return [owner, *(across(owner) if reaches else ())]


class Story:
    """What one user's logs changed until now."""

    def __init__(self, logs: Sequence[Told], now: datetime) -> None:
        """Tell of the user's own log, and of that across projects where it comes after it."""
        self.logs = logs
        self._now = now
        for each in logs:
            each.log.traces.expire(microseconds(now))

    @cached_property
    def _joint(self) -> _Joint:
        """What both logs tell of; it is kept with the first one's view until either tells more."""
        own, others = self.logs[0], [each.log.traces for each in self.logs[1:]]
        known: _Joint | None = own.view.joined.get(_KEPT)
        if known is None or not known.is_of(own.log.traces, others):
            known = own.view.joined[_KEPT] = _Joint(own.log.traces, others)
        known.traces.expire(microseconds(self._now))
        return known

    def newest(self, before: Order | None) -> Iterator[Row]:
        """Yield the rows before a place in their order, or all, the newest first."""
        apart = (back(each.log.traces.rows(), before, self._joint.shared) for each in self.logs)
        together = back(self._joint.traces.rows(), before)
        return merge(*apart, together, key=_order, reverse=True)

    def made_in(self, project: Project, session: SessionId) -> list[Row]:
        """Return the rows of a session's changes, in their order."""
        names = [named_in(each.owner, project, session) for each in self.logs]
        apart = (
            row
            for each, name in zip(self.logs, names, strict=True)
            for row in each.log.traces.made_in.get(name, ())
            if row[3].about not in self._joint.shared
        )
        together = (row for name in dict.fromkeys(names) for row in self._joint.traces.made_in.get(name, ()))
        return sorted([*apart, *together], key=_order)

    def lineage(self, name: str) -> list[Row]:
        """Return those of the fact or memory of this id, of all that it replaced, and of all that replaced it."""
        found = dict[str, Trace]()
        left = [name]
        while left:
            new = [trace for trace in self._kin(left.pop()) if trace.id not in found]
            found.update((trace.id, trace) for trace in new)
            left += [each for trace in new for each in (trace.id, trace.end and trace.end.by) if each]
        return sorted((row for trace in found.values() for row in trace.rows()), key=_order)

    def count(self, counts: Counter[tuple[int, ChangeKind]]) -> None:
        """Add how many changes of each kind there are on each day, numbered from 1970."""
        for each in self.logs:
            counts.update(each.log.traces.days())
        counts.subtract(self._joint.apart)
        counts.update(self._joint.traces.days())

    def facts(self) -> int:
        """Return how many facts are believed."""
        held = ((about, self.logs[0].view.ledger.latest(about)) for about in self._joint.shared)
        live = [(about, fact) for about, fact in held if fact is not None and fact.is_live(self._now)]
        over = sum(is_spoken_of(fact, about, self._spoken) for about, fact in live)
        return sum(each.log.live(microseconds(self._now)) for each in self.logs) - over

    def of(self, trace: Trace) -> Told:
        """Return the log that tells of a trace."""
        return next(each for each in self.logs if is_across(each.owner) == trace.everywhere)

    def is_believed(self, trace: Trace) -> bool:
        """Tell whether a fact is what is believed now, or a memory is kept."""
        if trace.about is None:
            return trace.end is None
        fact = self.of(trace).view.ledger.latest(trace.about)
        if fact is None or fact.id != trace.id or not fact.is_live(self._now):
            return False
        return trace.everywhere or not is_spoken_of(fact, trace.about, self._spoken)

    @cached_property
    def _spoken(self) -> Spoken:
        """When the log across projects spoke last of what both tell of."""
        return self.logs[-1].view.ledger.said_of(self._joint.shared)

    def _kin(self, name: str) -> Iterator[Trace]:
        """Yield the traces of one chain with that of this id, and those that it stands for."""
        joint = self._joint
        for traces in (*(each.log.traces for each in self.logs), joint.traces):
            named = [*([traces.by_id[name]] if name in traces.by_id else []), *traces.replaced_by.get(name, ())]
            for trace in named:
                if traces is joint.traces or trace.about not in joint.shared:
                    yield from [trace] if trace.about is None else traces.chains[trace.about].traces


class _Joint:
    """What two logs both tell of: of which identities, as one log would tell it, and the rows that each makes apart."""

    def __init__(self, own: Traces, others: Sequence[Traces]) -> None:
        """Join what the logs tell of by now."""
        self._made_of = [(each, each.told) for each in (own, *others)]
        self.shared: Collection[Identity] = {
            about for each in others for about in own.chains.keys() & each.chains.keys()
        }
        chains = [(about, each.chains[about]) for about in self.shared for each in (own, *others)]
        self.traces = together(chains)
        rows = (row for _, chain in chains for trace in chain.traces for row in trace.rows())
        self.apart = Counter[tuple[int, ChangeKind]]((at // DAY, trace.kind(rank)) for at, rank, _, trace in rows)

    def is_of(self, own: Traces, others: Sequence[Traces]) -> bool:
        """Tell whether it is of these, as they are by now."""
        return self._made_of == [(each, each.told) for each in (own, *others)]


def _order(row: Row) -> Order:
    return row[:3]


def back(rows: Sequence[Row], before: Order | None, but: Collection[Identity] = ()) -> Iterator[Row]:
    """Yield rows before one, the last first, without those of some identities."""
    end = len(rows) if before is None else bisect_left(rows, before, key=_order)
    back = (rows[place] for place in reversed(range(end)))
    return (row for row in back if row[3].about not in but) if but else back
