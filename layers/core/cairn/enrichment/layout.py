"""Keys of the executions of standard tools; as everywhere, the owner comes first and free text last."""

from __future__ import annotations

from cairn.ground.ids import Project, Tenant
from cairn.ground.table import prefix_range

_EXECUTION = "r#"


def executions_pk(tenant: Tenant, project: Project | None, tool: str) -> str:
    """Return the partition of a tool's executions, in a project if one is known."""
    return f"{tenant}#x#{project or ''}#{tool}"


def execution_sk(name: str) -> str:
    """Return the sort key of an execution; its name is in the order of time."""
    return f"{_EXECUTION}{name}"


def execution_of(sk: str) -> str:
    """Return the execution's name in a sort key."""
    return sk.removeprefix(_EXECUTION)


def execution_range() -> tuple[str, str]:
    """Return the range of a tool's executions."""
    return prefix_range(_EXECUTION)
