"""Plans of maintenance, which are made as it ends facts: taken back, what was merged or expired is believed again."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from cairn.ground.errors import Conflict, NotFound
from cairn.memories.restore import restore
from cairn.plans.model import Found, Plan
from cairn.sessions.services import SessionServices


class PlannedUpkeep:
    """Restores facts that maintenance ended."""

    def __init__(self, services: SessionServices) -> None:
        """Work with these parts."""
        self._services = services

    def found(self, plan: Plan) -> Found:
        """Refuse: maintenance makes its plans itself, with what it does."""
        raise Conflict(f"Plan {plan.id} is maintenance's own: it is made as it is applied")

    def do(self, plan: Plan) -> Mapping[str, Any]:
        """Refuse likewise."""
        raise Conflict(f"Plan {plan.id} is maintenance's own: it was applied as it was made")

    def undo(self, plan: Plan) -> None:
        """Believe each fact again, unless it was erased or another is in its place; what was merged stays apart."""
        session, how = plan.session(plan.what["session"]), "apart" if plan.what["how"] == "merged" else "beside"
        for fact in plan.what["facts"]:
            with suppress(Conflict, NotFound):
                restore(self._services, session, plan.user, fact, how=how)
