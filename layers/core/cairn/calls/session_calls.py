"""Read a session's context from the index of its calls, and cache it for half a minute.

Only what no call can add to any more is taken from memory then, so that a long session costs what was called lately.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from itertools import islice

from cairn.calls import layout
from cairn.calls.record import SETTLED, HistoryEntry
from cairn.calls.usage import SessionContext, calls_of
from cairn.ground.adapters import Adapters, Pending
from cairn.ground.attributes import text
from cairn.ground.bounded import BoundedCache
from cairn.ground.damage import sound
from cairn.ground.ids import moment_of, time_ordered_id
from cairn.ground.paging import every
from cairn.ground.session import Session
from cairn.ground.table import Query

LIFETIME = timedelta(seconds=30)
WHOLE_LIFETIME = timedelta(hours=1)
"""How long a context is brought up to date before it is read as a whole again: a frozen process may record too late."""
MOST_CALLS = 10_000
"""How many of a session's newest records are read, so that time and memory are bounded."""
_MOST_SESSIONS = 256
_MOST_KEPT = 5 * MOST_CALLS
"""How many calls a process keeps of all sessions together."""
_HIGHEST = "\U0010ffff"
_LOWEST_RANDOMNESS = bytes(10)


@dataclass(frozen=True, slots=True)
class _Kept:
    context: SessionContext
    at: datetime
    whole_at: datetime


class SessionCalls:
    """Answers which calls a session made, from memory for 30 seconds."""

    def __init__(self, adapters: Adapters) -> None:
        """Start with nothing in memory."""
        self._adapters = adapters
        self._kept: BoundedCache[Session, _Kept] = BoundedCache(
            entries=_MOST_SESSIONS, weight=_MOST_KEPT, weigh=lambda kept: len(kept.context.calls)
        )

    def of(self, session: Session) -> SessionContext:
        """Return the session's context, at most half a minute old."""
        now = self._adapters.clock.now()
        kept = self._kept.peek(session)
        if kept is not None and kept.at <= now < kept.at + LIFETIME:
            return kept.context
        fresh = self._continued(session, kept, now) if kept else None
        if fresh is None:
            fresh = _Kept(self._read(session, now), now, now)
        self._kept.put(session, fresh)
        return fresh.context

    def _continued(self, session: Session, kept: _Kept, now: datetime) -> _Kept | None:
        """Return what is kept with the calls since; None where that is too old, or its newest call is gone by now."""
        calls = kept.context.calls
        if not calls or not kept.whole_at <= now < kept.whole_at + WHOLE_LIFETIME:
            return None
        since = time_ordered_id(min(calls[-1].at, kept.at - SETTLED), _LOWEST_RANDOMNESS)
        query = Query(layout.calls_pk(session), since, _HIGHEST, descending=True, index=True)
        newer = calls_of(self._entries(query, MOST_CALLS))
        if calls[-1].at not in {call.at for call in newer}:
            return None
        older = [call for call in calls if call.at < moment_of(since)]
        return replace(kept, context=replace(kept.context, calls=[*older, *newer][-MOST_CALLS:]), at=now)

    def _read(self, session: Session, now: datetime) -> SessionContext:
        pk = layout.calls_pk(session)
        newest = Pending(partial(self._entries, Query(pk, "0", _HIGHEST, descending=True, index=True), MOST_CALLS))
        first = Pending(partial(self._entries, Query(pk, "0", _HIGHEST, limit=1, index=True), 1))
        self._adapters.parallel([newest, first])
        began = calls_of(first.result)
        return SessionContext(began[0].at if began else now, calls_of(newest.result))

    def _entries(self, query: Query, most: int) -> list[HistoryEntry]:
        items = islice(every(self._adapters.table, query), most)
        return list(sound(self._adapters, items, lambda item: HistoryEntry.parse(text(item, "isk"))))
