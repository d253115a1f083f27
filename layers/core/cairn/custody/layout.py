"""Keys of operators' tasks: what was asked and how far it is, which one runs, and the parts of exported bundles."""

from __future__ import annotations

from cairn.ground.ids import Tenant
from cairn.ground.table import prefix_range

RUNNING = "now"
"""The sort key of what names the task that runs."""
_TASKS = "task#"
_PARTS = "part#"


def tasks_pk(tenant: Tenant) -> str:
    """Return the partition of a tenant's tasks."""
    return f"{tenant}#tasks"


def task_sk(task_id: str) -> str:
    """Return the sort key of a task; ids are in the order of time."""
    return f"{_TASKS}{task_id}"


def task_of(sk: str) -> str:
    """Return the id in the sort key of a task."""
    return sk.removeprefix(_TASKS)


def tasks_until(task_id: str = "") -> tuple[str, str]:
    """Return the range of the tasks up to this one, or of all."""
    return (_TASKS, task_sk(task_id)) if task_id else prefix_range(_TASKS)


def part_sk(task_id: str, run: int, number: int) -> str:
    """Return the sort key of a part of the bundle that a run of an export made; the first part is 1."""
    return f"{_PARTS}{task_id}#{run:06d}#{number:06d}"


def parts_of_task(task_id: str, run: int | None = None) -> tuple[str, str]:
    """Return the range of the parts that one run of a task made, or all its runs."""
    return prefix_range(f"{_PARTS}{task_id}#" + ("" if run is None else f"{run:06d}#"))


def bundles_pk() -> str:
    """Return the index partition of all parts, under the moments at which they go; `~` is in no tenant's name."""
    return "~bundles"
