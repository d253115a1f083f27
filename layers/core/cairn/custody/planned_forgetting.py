"""Plans to forget a memory or a fact: taken back, it is kept or believed again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cairn.ground.errors import Conflict
from cairn.ground.ids import Project, Tenant, UserId
from cairn.ground.session import Session
from cairn.memories.forget import forget, words_of
from cairn.memories.model import ForgetRequest
from cairn.memories.restore import restore
from cairn.plans.model import Found, Plan
from cairn.sessions.services import SessionServices


def plan_to_forget(tenant: Tenant, project: Project, user: UserId, memory_id: str, reason: str | None) -> Plan:
    """Return the draft of a plan to forget what a user has under an id, in no session."""
    what = {"memory_id": memory_id, "reason": reason}
    return Plan(tenant=tenant, kind="forget", project=project, user=user, what=what, why=reason or "")


class PlannedForgetting:
    """Forgets and restores as the tools do."""

    def __init__(self, services: SessionServices) -> None:
        """Work with these parts."""
        self._services = services

    def found(self, plan: Plan) -> Found:
        """Return what would be forgotten; Conflict where it is already."""
        session, request = _asked(plan)
        words = words_of(self._services, session, request)
        if words is None:
            raise Conflict("This is forgotten already")
        return Found(
            says=f"forget {words}", counts={"forgotten": 1}, exactly=[plan.project, plan.user, request.id, words]
        )

    def do(self, plan: Plan) -> Mapping[str, Any]:
        """Forget it."""
        forget(self._services, *_asked(plan))
        return {}

    def undo(self, plan: Plan) -> None:
        """Keep or believe it again."""
        session, request = _asked(plan)
        restore(self._services, session, request.user_id, request.id, how="beside")


def _asked(plan: Plan) -> tuple[Session, ForgetRequest]:
    request = ForgetRequest(id=plan.what["memory_id"], reason=plan.what["reason"], user_id=plan.user)
    return plan.session(), request
