"""Erase and export: first what there is, then long work that is watched, and afterwards what came of it."""

from __future__ import annotations

import base64
from typing import Any, Final

from cairn.ground.errors import NotFound
from cairn_console.page import Attached, Done, Presented, Shown, page
from cairn_console.visit import Visit

_ENDED: Final = frozenset({"done", "failed", "interrupted"})


def _count(visit: Visit) -> Presented:
    """Count what there is of a tenant, a project or a user."""
    scope = _scope(visit)
    survey = visit.ask("memory_survey", **scope)
    return Presented({**_tasks(visit), "survey": survey, "scope": scope})


def _start(visit: Visit) -> Done:
    """Start what the form says, in the background."""
    digest = visit.form.get("digest") or None
    visit.ask("memory_start_task", kind=visit.given("kind"), digest=digest, **_scope(visit))
    return Done("It is under way: this page tells how far it is, and goes on telling when you come back.")


def _again(visit: Visit) -> Done:
    """Start a task again that failed or was interrupted."""
    visit.ask("memory_start_task", task_id=visit.given("id"))
    return Done("It is under way again.")


def _download(visit: Visit) -> Attached:
    """Return the bundle of an export, put together from its parts."""
    name = visit.given("id")
    first = visit.ask("memory_get_export", task_id=name, part=1)
    rest = [visit.ask("memory_get_export", task_id=name, part=part) for part in range(2, first["of"] + 1)]
    bundle = b"".join(base64.b64decode(each["data"]) for each in (first, *rest))
    return Attached(f"cairn-{name}.zip", "application/zip", bundle)


@page(
    title="Erase and export",
    needs=("memory_list_calls",),
    asks=("memory_survey", "memory_start_task", "memory_list_tasks", "memory_get_export"),
    acts={"count": _count, "start": _start, "again": _again, "download": _download},
    for_operators=True,
)
def custody(visit: Visit) -> Shown:
    """Show the tasks, or where a store is not this machine's own the commands in their place."""
    return {**_tasks(visit), "survey": None, "scope": {}}


def _tasks(visit: Visit) -> dict[str, Any]:
    if not visit.on_own_machine:
        visit.hold_to("memory_list_calls")
        return {"is_here": False, "tasks": [], "cursor": None, "under_way": False}
    found = visit.ask("memory_list_tasks", cursor=visit.query.get("cursor") or None, limit=20)
    under_way = any(task["state"] not in _ENDED for task in found["tasks"])
    return {"is_here": True, **found, "under_way": under_way}


def _scope(visit: Visit) -> dict[str, str]:
    if not visit.on_own_machine:
        raise NotFound("Here this is done with the commands `cairn export` and `cairn erase`")
    given = {"project": visit.form.get("project", "").strip(), "user_id": visit.form.get("user_id", "").strip()}
    return {name: value for name, value in given.items() if value}
