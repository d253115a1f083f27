"""List a tenant's calls by the page, the newest first: each call once, with how it ended.

A page reads a bounded part of the log, whatever its filter leaves of it. Where it ends, the next one begins, so that
pages hold once every call that is on record when they are begun, however many are made meanwhile.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from itertools import islice
from typing import TypeAlias

from cairn.calls import layout
from cairn.calls.anomalies import WINDOW
from cairn.calls.chain import Position
from cairn.calls.record import ADMITTED, DONE, END, UNRECORDED, AuditRecord, day_of
from cairn.calls.unusual import Unusual, unusual
from cairn.ground.adapters import Adapters
from cairn.ground.damage import sound_or_none
from cairn.ground.errors import CorruptData, InvalidArgument
from cairn.ground.ids import Tenant, moment_of, time_ordered_id
from cairn.ground.paging import every
from cairn.ground.table import KEY_BYTES, Attributes, Key, Query

MOST_READ = 2000
"""How many records a page reads at most; one that reads so many may list fewer calls than were asked for."""
MOST_DAYS = 62
"""Of how many days with calls a page reads."""
FAILED = "failed"
"""The outcome that stands for every error."""
_WENT_WELL = frozenset({ADMITTED, DONE, UNRECORDED})
_MOST_BEFORE = 500
_AT_ONCE = 250
_LAST = "\U0010ffff"
_LOWEST, _HIGHEST = bytes(10), b"\xff" * 10
_Row: TypeAlias = tuple[Position, Attributes]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which calls are listed: those that have one of the names of each kind that is given, as they are on record."""

    outcome: str | None = None
    tools: Collection[str] = ()
    credentials: Collection[str] = ()
    users: Collection[str] = ()
    projects: Collection[str] = ()
    sessions: Collection[str] = ()

    def has(self, record: AuditRecord) -> bool:
        """Tell whether a call is listed."""
        about = record.subject
        named = (
            (self.tools, record.tool),
            (self.credentials, record.credential),
            (self.users, about.user_id),
            (self.projects, about.project),
            (self.sessions, about.session_id),
        )
        return self._ended_so(record.outcome) and all(not names or name in names for names, name in named)

    def _ended_so(self, outcome: str) -> bool:
        if self.outcome == FAILED:
            return outcome not in _WENT_WELL
        return self.outcome is None or outcome == self.outcome


@dataclass(frozen=True, slots=True)
class Stretch:
    """The part of the log that is still to be listed: since a moment, and before a position."""

    since: datetime
    before: Position

    @classmethod
    def of(cls, since: datetime, until: datetime) -> Stretch:
        """Return the part from one moment to another; InvalidArgument where the one comes later."""
        if since > until:
            raise InvalidArgument("since", "must not be later than until")
        return cls(since, Position(day_of(until), time_ordered_id(until, _HIGHEST) + _LAST))

    @classmethod
    def parse(cls, cursor: str) -> Stretch:
        """Return what a cursor stands for; InvalidArgument where it stands for nothing."""
        try:
            since, day, sk = cursor.split(".", 2)
            found = cls(moment_of(since), Position(date.fromisoformat(day).isoformat(), sk))
        except (ValueError, OverflowError):
            found = None
        if found is None or not 1 <= len(found.before.sk.encode()) <= KEY_BYTES["sk"]:
            raise InvalidArgument("cursor", "is no cursor of this list; begin again without one")
        return found

    @property
    def cursor(self) -> str:
        """Return the text that stands for it."""
        return f"{time_ordered_id(self.since, _LOWEST)}.{self.before.day}.{self.before.sk}"


@dataclass(frozen=True, slots=True)
class CallPage:
    """Some calls, what was unusual among all that were read for them, and what is left, None at the end."""

    calls: Sequence[AuditRecord]
    unusual: Sequence[Unusual]
    rest: Stretch | None


def page(adapters: Adapters, tenant: Tenant, stretch: Stretch, wanted: Wanted, limit: int) -> CallPage:
    """Return the newest calls of a part of the log that are wanted, at most `limit`."""
    reading = _Reading(adapters, tenant, stretch)
    listed = list(islice(filter(wanted.has, reading.calls()), limit))
    rest = reading.rest()
    return CallPage(listed, unusual(reading.read, reading.minute_before()), rest)


class _Reading:
    """Reads records one after the other, the newest first, and knows how far it came."""

    def __init__(self, adapters: Adapters, tenant: Tenant, stretch: Stretch) -> None:
        self._adapters = adapters
        self._tenant = tenant
        self._stretch = stretch
        self._since = Position(day_of(stretch.since), time_ordered_id(stretch.since, _LOWEST))
        self._at = stretch.before
        self._ended = _call_that_ended(stretch.before.sk)
        self._left_off: Position | None = None
        self._rows = self._stored()
        self._next = next(self._rows, None)
        self.read: list[AuditRecord] = []
        """The calls that were read, listed or not."""

    def calls(self) -> Iterator[AuditRecord]:
        """Yield each call, until the part of the log ends or as much is read as may be."""
        for _ in range(MOST_READ):
            row = self._next
            if row is None or row[0] < self._since:
                return
            record = self._take(row)
            if record is not None:
                self.read.append(record)
                yield record

    def rest(self) -> Stretch | None:
        """Return what of the log was not read, None where nothing is left."""
        while (row := self._next) is not None and row[0].sk == self._ended:
            self._take(row)
        if row is None:
            return None if self._left_off is None else Stretch(self._stretch.since, self._left_off)
        return None if row[0] < self._since else Stretch(self._stretch.since, self._at)

    def minute_before(self) -> Sequence[AuditRecord]:
        """Return the calls of the minute before the last one that was read, as many as are looked at."""
        found: list[AuditRecord] = []
        for _ in range(_MOST_BEFORE if self.read else 0):
            row = self._next
            if row is None:
                break
            record = self._take(row)
            if record is not None and record.at <= self.read[-1].at - WINDOW:
                break
            found += [] if record is None else [record]
        return found

    def _take(self, row: _Row) -> AuditRecord | None:
        """Go on behind a row; return its record unless that is damaged, or the start of a call whose end was read."""
        self._at, item = row
        self._next = next(self._rows, None)
        record = sound_or_none(self._adapters, item, self._opened)
        if record is None or record.sk == self._ended:
            return None
        self._ended = record.id if record.ends else self._ended
        return record

    def _opened(self, item: Attributes) -> AuditRecord:
        record = AuditRecord.of(self._tenant, item)
        if record.day != self._at.day:
            raise CorruptData("a call is on record under another day")
        return record

    def _stored(self) -> Iterator[_Row]:
        """Yield what is stored, with a minute more than the part of the log, day by day."""
        table, before, low = self._adapters.table, self._stretch.before, self._stretch.since - WINDOW
        first, last = layout.day_sk(day_of(low)), layout.day_sk(before.day)
        lowest = time_ordered_id(low, _LOWEST)
        days = every(table, Query(layout.audit_pk(self._tenant), first, last, descending=True))
        for number, marker in enumerate(days):
            day = layout.day_of_marker(Key.of(marker).sk)
            if number == MOST_DAYS:
                self._left_off = Position(day, _LAST)
                return
            pk = layout.audit_day_pk(self._tenant, day)
            for item in every(table, Query(pk, lowest, before.sk, descending=True, limit=_AT_ONCE)):
                position = Position(day, Key.of(item).sk)
                if position < before:
                    yield position, item


def _call_that_ended(sk: str) -> str:
    """Return the sort key of the call that this one says the end of, empty where it does not."""
    return sk.removesuffix(END) if sk.endswith(END) else ""
