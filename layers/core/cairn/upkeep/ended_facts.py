"""The plan by which it can be taken back that maintenance ended facts; it is stored with the entry that ends them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Literal, TypeAlias

from cairn.facts.facts import Fact, subject
from cairn.ground.session import Session
from cairn.ground.table import Put
from cairn.log.layout import ACROSS, user_of
from cairn.plans.model import UNDO, Found, Plan
from cairn.plans.records import PlanRecords
from cairn.sessions.services import SessionServices

How: TypeAlias = Literal["expired", "merged"]
WHY: Final[Mapping[How, str]] = {"expired": "its time is over", "merged": "a newer fact says it in other words"}
"""Why maintenance ends a fact, in words."""


def plan_of(services: SessionServices, session: Session, owner: str, facts: Sequence[Fact], how: How) -> Put:
    """Return the write that stores the plan, as one that was applied."""
    ids, told = [fact.id for fact in facts], ", ".join(f"{subject(fact)}: {fact.value}" for fact in facts)
    found = Found(says=f"end {told}", counts={f"{how}_facts": len(facts)}, exactly=ids)
    plan = Plan(
        tenant=session.tenant,
        kind="maintenance",
        project=session.project,
        user=user_of(owner.removeprefix(ACROSS)),
        what={"session": session.session_id, "facts": ids, "how": how},
        says=found.says,
        why=WHY[how],
        counts=found.counts,
        digest=found.digest,
        state="applied",
        until=services.adapters.clock.now() + UNDO,
    )
    return PlanRecords(services.adapters, services.vault).new(plan)[1]
