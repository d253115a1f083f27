"""Who reaches for much in many places: a look at the accesses of the last minute, as this process saw them."""

from __future__ import annotations

from collections import OrderedDict, deque
from datetime import datetime, timedelta
from threading import Lock
from typing import TypeAlias

from cairn.calls.record import AuditRecord
from cairn.ground.ids import Tenant

WINDOW = timedelta(minutes=1)
MOST_ACCESSES = 10
MOST_PLACES = 5
_MOST_CALLERS = 1024
_KEPT_PER_CALLER = 256
_Recent: TypeAlias = deque[tuple[datetime, str]]


class AnomalyDetector:
    """The accesses of each caller within a minute."""

    def __init__(self) -> None:
        """Start with none."""
        self._lock = Lock()
        self._recent: OrderedDict[tuple[Tenant, str], _Recent] = OrderedDict()

    def is_anomaly(self, record: AuditRecord) -> bool:
        """Note an access and tell whether it is one of over 10 in a minute to over 5 namespaces."""
        place = record.subject.place
        if place is None:
            return False
        with self._lock:
            recent = self._of(record.tenant, record.credential)
            recent.append((record.at, place))
            while recent[0][0] <= record.at - WINDOW:
                recent.popleft()
            return len(recent) > MOST_ACCESSES and len({name for _, name in recent}) > MOST_PLACES

    def _of(self, tenant: Tenant, credential: str) -> _Recent:
        caller = (tenant, credential)
        recent = self._recent.setdefault(caller, deque(maxlen=_KEPT_PER_CALLER))
        self._recent.move_to_end(caller)
        if len(self._recent) > _MOST_CALLERS:
            self._recent.popitem(last=False)
        return recent
