"""Read a session's newest turns and its summary as they were at a moment."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from cairn.ground.adapters import Adapters
from cairn.ground.damage import sound_or_none
from cairn.ground.paging import every
from cairn.ground.session import Session, on_trunk
from cairn.ground.table import Key, Query, prefix_range
from cairn.overview.items import StoredTurns
from cairn.replay.as_of import Moment
from cairn.sessions.branched import head_of
from cairn.sessions.head import Head, sound_head
from cairn.sessions.layout import COMPACTED, HEAD, compact_sk, session_pk
from cairn.sessions.recent_turns import Recent, Turn
from cairn.sessions.services import SessionServices
from cairn.sessions.sessions import Sessions
from cairn.sessions.summary import StoredSummary, Summary


class SessionsAsOf(Sessions):
    """Sessions as they were."""

    def __init__(self, services: SessionServices, adapters: Adapters, moment: Moment) -> None:
        """Take what is stored of the services' sessions, and heads from the adapters, whose table is as it was."""
        super().__init__(adapters, services.vault)
        self._services = services
        self._as_of = adapters
        self._moment = moment

    def recent(self, session: Session, items: int) -> Recent:
        """Return what was read then, as far as it is still there; of what it kept for itself, that it kept some."""
        first, newest, through = self._position(session)
        head, summary = _head(self._services, self._as_of, session), self._summary(session, through)
        recent = Recent(head, tuple(reversed(list(self._turns(session, first, newest, items)))), "some", summary)
        self._as_of.tally.seen(session_pk(session), recent.position)
        return recent

    def _position(self, session: Session) -> tuple[int, int, int]:
        cut = self._moment.cuts.get(session_pk(session))
        if cut is None:
            newest = newest_at(self._services, session, self._moment.at)
            return 0, newest, max(summaries(self._services, session, self._moment.at))
        numbers, _, through = cut.partition("/")
        first, _, newest = numbers.partition("-")
        return int(first), int(newest), int(through)

    def _turns(self, session: Session, first: int, newest: int, items: int) -> Iterator[Turn]:
        held = 0
        for seq, events in turns_back(self._services, session, newest + 1):
            if seq < first or held >= items:
                return
            yield seq, events
            held += len(events)

    def _summary(self, session: Session, through: int) -> Summary | None:
        item = self._as_of.table.get(Key(session_pk(on_trunk(session)), compact_sk(through)))
        return None if item is None else Summary.from_record(self._services.vault.unseal(session.tenant, item))


def _head(services: SessionServices, adapters: Adapters, session: Session) -> Head | None:
    begun = services.sessions.beginning(session)
    if begun is None:
        return sound_head(adapters, session)
    own = adapters.table.get(Key(session_pk(session), HEAD))
    return head_of(session, begun, sound_or_none(adapters, own, Head.of))


def turns_back(services: SessionServices, session: Session, before: int) -> Iterator[Turn]:
    """Yield a session's turns before this number, the newest first; on a branch, then those that it goes on from."""
    yield from StoredTurns(services, session).back(before)
    begun = services.sessions.beginning(session)
    if begun is not None:
        earlier = StoredTurns(services, begun.of).back(min(before, begun.seq + 1))
        yield from (turn for turn in earlier if begun.branch.knows(turn[1][0].ts))


def newest_at(services: SessionServices, session: Session, at: datetime) -> int:
    """Return the number of a session's newest turn at a moment, of those that are still there; 0 where it had none."""

    def said_at(seq: int) -> datetime:
        # Of a turn that is gone, the time of the one before.
        back = turns_back(services, session, seq + 1)
        return next((events[0].ts for _, events in back), datetime.min.replace(tzinfo=UTC))

    head = _head(services, services.adapters, session)
    return bisect_right(range(1, 1 + (head.seq if head else 0)), at, key=said_at)


def summaries(services: SessionServices, session: Session, at: datetime) -> Sequence[int]:
    """Return up to which turns the session was summed up before a moment, 0 for the time before that."""
    begun = services.sessions.beginning(session)
    known = prefix_range(COMPACTED) if begun is None else (COMPACTED, compact_sk(begun.seq))
    found = every(services.adapters.table, Query(session_pk(on_trunk(session)), *known))
    return [0, *(summary.through for summary in map(StoredSummary.of, found) if summary.at < at)]
