"""Tell from the audit log who reached for much in many places, by the rule by which a process counts it meanwhile."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from cairn.calls.anomalies import AnomalyDetector, is_unusual
from cairn.calls.record import OPERATOR, AuditRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class Unusual:
    """The unusual calls of a credential: how many, from when to when, and the most of a minute and its most places."""

    credential: str
    calls: int
    first: datetime
    last: datetime
    accesses: int
    places: int

    def joined(self, other: Unusual) -> Unusual:
        """Return both as one; the other is the later."""
        return replace(
            self,
            calls=self.calls + other.calls,
            last=other.last,
            accesses=max(self.accesses, other.accesses),
            places=max(self.places, other.places),
        )


def unusual(calls: Sequence[AuditRecord], before: Sequence[AuditRecord]) -> Sequence[Unusual]:
    """Return the unusual ones of these calls, by credential; `before` are those of the minute before, all newest first.

    An operator's commands are none of a caller, and are left out.
    """
    detector, found = AnomalyDetector(), dict[str, Unusual]()
    for record in reversed(before):
        detector.reach(record)
    for record in reversed(calls):
        if record.credential == OPERATOR:
            continue
        accesses, places = detector.reach(record)
        if is_unusual(accesses, places):
            one = Unusual(
                credential=record.credential,
                calls=1,
                first=record.at,
                last=record.at,
                accesses=accesses,
                places=places,
            )
            known = found.get(one.credential)
            found[one.credential] = one if known is None else known.joined(one)
    return tuple(found.values())
