"""The context of a session, read off the index of its calls' records and kept for half a minute."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from itertools import islice
from threading import Lock

from cairn.domain import audit_layout as layout
from cairn.domain.audit import HistoryEntry
from cairn.domain.context import SessionContext, calls_of
from cairn.domain.table import Query
from cairn.domain.turns import Session
from cairn.service.paging import every
from cairn.service.world import Pending, World

LIFETIME = timedelta(seconds=30)
MOST_CALLS = 10_000
"""How many of a session's newest records are read, so that time and memory are bounded."""
_MOST_SESSIONS = 256
_HIGHEST = "\U0010ffff"


@dataclass(frozen=True, slots=True)
class _Kept:
    context: SessionContext
    until: datetime


class Contexts:
    """Answers what was called in a session; for 30 seconds from memory."""

    def __init__(self, world: World) -> None:
        """Start with nothing in memory."""
        self._world = world
        self._lock = Lock()
        self._kept: OrderedDict[Session, _Kept] = OrderedDict()

    def of(self, session: Session) -> SessionContext:
        """Return the session's context, at most half a minute old."""
        now = self._world.clock.now()
        with self._lock:
            kept = self._kept.get(session)
        if kept is not None and now < kept.until:
            return kept.context
        context = self._read(session, now)
        with self._lock:
            self._kept[session] = _Kept(context, now + LIFETIME)
            self._kept.move_to_end(session)
            while len(self._kept) > _MOST_SESSIONS:
                self._kept.popitem(last=False)
        return context

    def _read(self, session: Session, now: datetime) -> SessionContext:
        pk = layout.calls_pk(session)
        newest = Pending(partial(self._entries, Query(pk, "0", _HIGHEST, descending=True, index=True), MOST_CALLS))
        first = Pending(partial(self._entries, Query(pk, "0", _HIGHEST, limit=1, index=True), 1))
        self._world.parallel([newest, first])
        began = calls_of(first.result)
        return SessionContext(began[0].at if began else now, calls_of(newest.result))

    def _entries(self, query: Query, most: int) -> list[HistoryEntry]:
        items = islice(every(self._world.table, query), most)
        return [HistoryEntry.parse(str(item["isk"])) for item in items]
