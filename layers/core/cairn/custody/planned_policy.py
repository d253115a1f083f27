"""Plans to set the policy document: the one before is kept with the plan, and set again to take it back."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from hashlib import sha256
from typing import Any

from cairn.access.layout import POLICIES
from cairn.access.policies import standard_text
from cairn.access.policy_store import PolicyStore
from cairn.ground.adapters import Adapters
from cairn.ground.errors import Conflict, CorruptData
from cairn.plans.model import Found, Plan


def plan_to_set(text: str) -> Plan:
    """Return the draft of a plan to put a document in force that parse() takes; it is the deployment's, no tenant's."""
    return Plan(tenant=POLICIES, kind="policy", what={"text": text})


class PlannedPolicy:
    """Sets documents, each only behind the version that was there."""

    def __init__(self, adapters: Adapters) -> None:
        """Work on the table's document."""
        self._store = PolicyStore(adapters)

    def found(self, plan: Plan) -> Found:
        """Return which document would go; of one that was tampered with nothing is kept but its version."""
        version, text = self._store.highest(), None
        with suppress(CorruptData):
            text = self._store.read()
        before = {"version": version, "text": text}
        digests = [sha256((each or "").encode()).hexdigest() for each in (text, plan.what["text"])]
        says = f"set policy version {version + 1} in the place of {version}"
        return Found(says=says, counts={"policies": 1}, exactly=[version, *digests], before=before)

    def do(self, plan: Plan) -> Mapping[str, Any]:
        """Set the document."""
        return {"version": self._set(plan, plan.what["text"], plan.before["version"])}

    def undo(self, plan: Plan) -> None:
        """Set the document that was there, as a new version; the standard one where none was, or none that held."""
        self._set(plan, plan.before["text"] or standard_text(), plan.done["version"])

    def _set(self, plan: Plan, text: str, over: int) -> int:
        """Set a document behind this version and return its own; Conflict where another was set meanwhile."""
        with suppress(CorruptData):
            if self._store.set_by(over + 1) == plan.id:  # a run that was stopped did, whatever was set since
                return over + 1
        if self._store.highest() != over:
            raise Conflict("Another policy was set since: look at it, and set the one that shall hold")
        return self._store.write(text, over, plan.is_as_read, plan.id)
