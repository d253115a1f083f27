"""Flag callers that access unusually many namespaces or projects within a minute, as seen by this process."""

from __future__ import annotations

from collections import deque
from datetime import datetime, timedelta
from typing import TypeAlias

from cairn.calls.record import AuditRecord
from cairn.ground.bounded import BoundedCache
from cairn.ground.ids import Tenant

WINDOW = timedelta(minutes=1)
MOST_ACCESSES = 10
MOST_PLACES = 5
_MOST_CALLERS = 1024
_KEPT_PER_CALLER = 256
_Recent: TypeAlias = deque[tuple[datetime, str]]


class AnomalyDetector:
    """Counts the accesses of each caller within a minute."""

    def __init__(self) -> None:
        """Start with none."""
        self._recent: BoundedCache[tuple[Tenant, str], _Recent] = BoundedCache(entries=_MOST_CALLERS)

    def is_anomaly(self, record: AuditRecord) -> bool:
        """Note an access and tell whether it is one of over 10 in a minute to over 5 namespaces."""
        return is_unusual(*self.reach(record))

    def reach(self, record: AuditRecord) -> tuple[int, int]:
        """Note an access and return how many its caller made in the minute that it ends, and to how many namespaces.

        None are counted of a call without a namespace or project.
        """
        place, at = record.subject.place, record.at
        if place is None:
            return 0, 0
        with self._recent.lock:
            recent = self._of(record.tenant, record.credential)
            recent.append((at, place))
            while recent[0][0] <= at - WINDOW:
                recent.popleft()
            return len(recent), len({name for _, name in recent})

    def _of(self, tenant: Tenant, credential: str) -> _Recent:
        return self._recent.get_or_put((tenant, credential), lambda: deque(maxlen=_KEPT_PER_CALLER))


def is_unusual(accesses: int, places: int) -> bool:
    """Tell whether so many accesses to so many namespaces are more than a caller makes within a minute."""
    return accesses > MOST_ACCESSES and places > MOST_PLACES
