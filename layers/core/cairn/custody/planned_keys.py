"""Plans to revoke or rotate an API key: taken back, it opens what it did, and one made in its place opens nothing."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from cairn.access.key_store import Credentials
from cairn.ground.adapters import Adapters
from cairn.ground.codec import moment, rfc3339
from cairn.ground.ids import Tenant
from cairn.ground.settings import SKEW
from cairn.plans.model import SHOWN, Found, Plan


def plan_to_end(owner: Tenant, key_id: str, rotated_for: timedelta | None = None) -> Plan:
    """Return the draft of a plan to revoke a key, or to rotate it: then the old one works for so long."""
    hours = None if rotated_for is None else int(rotated_for.total_seconds()) // 3600
    return Plan(tenant=owner, kind="key", what={"key": key_id, "hours": hours})


class PlannedKeys:
    """Ends keys and opens them again, each only where its end is the one that was seen."""

    def __init__(self, adapters: Adapters) -> None:
        """Work on the table's keys."""
        self._credentials = Credentials(adapters)
        self._clock = adapters.clock

    def found(self, plan: Plan) -> Found:
        """Return which key it is, and when it ends; NotFound where the tenant has no such."""
        key = self._credentials.find(plan.what["key"], plan.tenant)
        ends = _told(key.revoked_at)
        act = "revoke" if plan.what["hours"] is None else "rotate"
        return Found(says=f"{act} key {key.id}", counts={"keys": 1}, exactly=[act, key.id, ends], before={"ends": ends})

    def do(self, plan: Plan) -> Mapping[str, Any]:
        """End the key; of a rotation the new key's text is told once, under SHOWN, and never stored."""
        key, hours = self._credentials.find(plan.what["key"], plan.tenant), plan.what["hours"]
        if hours is None:
            now, ends = self._clock.now(), key.revoked_at
            # By the clock of a run that was stopped, it may have ended a moment from now.
            was_ended = _told(ends) != plan.before["ends"]
            if ends is None or ends > (now + SKEW if was_ended else now):
                self._credentials.let_end(key.id, now, _at(plan.before["ends"]), plan.is_as_read)
                ends = now
            return {"ends": rfc3339(ends)}
        # Where it was stopped before anybody saw the new key, that one is void, and another in its place.
        issued = self._credentials.rotate(key.id, timedelta(hours=hours), plan.id, plan.is_as_read)
        ends = _told(self._credentials.find(key.id, plan.tenant).revoked_at)
        return {"ends": ends, "successor": issued.credential.id, SHOWN: issued.text}

    def undo(self, plan: Plan) -> None:
        """Let the key end when it did; Conflict where its end was changed since."""
        self._credentials.let_end(plan.what["key"], _at(plan.before["ends"]), _at(plan.done["ends"]), plan.is_as_read)
        if (successor := plan.done.get("successor")) is not None:
            self._credentials.revoke(successor)


def _told(ends: datetime | None) -> str | None:
    return None if ends is None else rfc3339(ends)


def _at(ends: str | None) -> datetime | None:
    return None if ends is None else moment(ends)
