"""Keep records of reads that could not be written, until they can be or come too late to be sealed with their time.

What comes too late is counted instead: one record for each tool, with how many calls there were and from when to when.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from threading import Lock

from cairn.calls.record import SETTLED, UNRECORDED, AuditRecord
from cairn.ground.codec import epoch_ms
from cairn.ground.ids import Tenant

LATEST = SETTLED - timedelta(minutes=1)
"""How old a record may be when it is written after all: well before the digest of its time is made."""
MOST = 1000
"""How many records a process keeps, and of how many tools of tenants it counts what it keeps no more."""
AT_ONCE = 25
"""How many of them are written beside one call."""


@dataclass(frozen=True, slots=True)
class _Gap:
    calls: int
    first: int
    last: int


class Unwritten:
    """Holds at most MOST records, and counts those that it cannot hold."""

    def __init__(self) -> None:
        """Start with none."""
        self._lock = Lock()
        self._records: deque[AuditRecord] = deque()
        self._gaps: dict[tuple[Tenant, str], _Gap] = {}

    def __bool__(self) -> bool:
        """Tell whether there is anything to write."""
        return bool(self._records or self._gaps)

    def keep(self, records: Iterable[AuditRecord]) -> None:
        """Keep records, the oldest of all at the cost of being counted only."""
        with self._lock:
            self._records.extend(records)
            while len(self._records) > MOST:
                self._count(self._records.popleft())

    def take(self, now: datetime, new_id: Callable[[], str]) -> Sequence[AuditRecord]:
        """Return the records to write now; who cannot write some of them keeps these again."""
        with self._lock:
            taken: list[AuditRecord] = []
            while self._records and len(taken) < AT_ONCE:
                record = self._records.popleft()
                if now - record.at < LATEST:
                    taken.append(record)
                else:
                    self._count(record)
            while self._gaps and len(taken) < AT_ONCE:
                (tenant, tool), gap = self._gaps.popitem()
                taken.append(_record(tenant, tool, gap, new_id()))
        return taken

    def _count(self, record: AuditRecord) -> None:
        where = record.tenant, record.tool
        if record.ends or (where not in self._gaps and len(self._gaps) >= MOST):
            return
        at = epoch_ms(record.at)
        told = record.arguments if record.outcome == UNRECORDED else dict[str, int]()
        calls, first, last = told.get("calls", 1), told.get("first_ms", at), told.get("last_ms", at)
        known = self._gaps.get(where, _Gap(0, first, last))
        self._gaps[where] = _Gap(known.calls + calls, min(known.first, first), max(known.last, last))


def _record(tenant: Tenant, tool: str, gap: _Gap, new_id: str) -> AuditRecord:
    return AuditRecord(
        id=new_id,
        tenant=tenant,
        tool=tool,
        credential="",
        request_id="",
        arguments={"calls": gap.calls, "first_ms": gap.first, "last_ms": gap.last},
        outcome=UNRECORDED,
    )
