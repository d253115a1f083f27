"""Keys of plans, and of the index of those that wait."""

from __future__ import annotations

from cairn.ground.ids import Tenant
from cairn.ground.table import prefix_range

_PLANS = "plan#"


def plans_pk(tenant: Tenant) -> str:
    """Return the partition of a tenant's plans."""
    return f"{tenant}#plans"


def plan_sk(plan_id: str) -> str:
    """Return the sort key of a plan; ids are in the order of time."""
    return f"{_PLANS}{plan_id}"


def lines_sk(plan_id: str, number: int) -> str:
    """Return the sort key of a part of what an import's plan lists."""
    return f"{lines_of(plan_id)}{number:08d}"


def lines_of(plan_id: str) -> str:
    """Return how the sort keys of all parts begin of what an import's plan lists."""
    return f"lines#{plan_id}#"


def plan_of(sk: str) -> str:
    """Return the id in the sort key of a plan."""
    return sk.removeprefix(_PLANS)


def all_plans() -> tuple[str, str]:
    """Return the range of all plans."""
    return prefix_range(_PLANS)


def everything() -> tuple[str, str]:
    """Return the range of all plans, and before them of what they list."""
    return "\x01", "\U0010ffff"


def waiting_pk() -> str:
    """Return the index partition of what waits, under the moments at which it is done; `~` is in no tenant's name."""
    return "~plans"
