"""List the projects that a caller may use, by name."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from functools import partial

from cairn.access.callers import Caller
from cairn.ground import ids
from cairn.ground.adapters import Pending
from cairn.ground.errors import InvalidArgument
from cairn.ground.ids import Project
from cairn.ground.paging import every
from cairn.ground.table import Key, Query, prefix_range
from cairn.log.layout import USER_OWNER, project_sk, projects_pk, registry_pk, registry_sk
from cairn.overview.model import Page, first_of
from cairn.sessions.services import SessionServices

_BEHIND = "\x01"
"""What follows a name in the order of keys before any longer name does; no name holds it."""


def projects(services: SessionServices, caller: Caller, after: str, limit: int) -> Page[str]:
    """Return the names behind `after` of projects in which something is kept that the caller may see.

    A page may be shorter than its limit: what is empty by now is left out. Two rounds, the second at once.
    """
    named = {name for pattern in caller.projects if (name := _name(pattern)) is not None}
    if len(named) == len(caller.projects):
        page = first_of(sorted(each for each in named if each > after), limit)
    else:
        page = first_of(_listed(services, caller, after), limit)
    used = [Pending(partial(_is_used, services, caller, Project(each))) for each in page.listed]
    services.adapters.parallel(used)
    kept = (name for name, each in zip(page.listed, used, strict=True) if each.result)
    return Page(tuple(kept), page.next)


def _name(pattern: str) -> Project | None:
    with suppress(InvalidArgument):  # a pattern that stands for several is no name
        return ids.project(pattern)
    return None


def _listed(services: SessionServices, caller: Caller, after: str) -> Iterator[str]:
    """Yield the tenant's projects of the caller's patterns; of the range of names that all of them share."""
    prefix = _shared([pattern.partition("*")[0] for pattern in caller.projects])
    low, high = prefix_range(project_sk(prefix))
    if after:
        low = max(low, project_sk(after) + _BEHIND)
    for item in every(services.adapters.table, Query(projects_pk(caller.tenant), low, high)):
        name = Project(Key.of(item).sk.removeprefix(project_sk("")))
        if caller.may_use(name):
            yield name


def _shared(prefixes: list[str]) -> str:
    low, high = min(prefixes), max(prefixes)
    same = next((place for place, (one, other) in enumerate(zip(low, high, strict=False)) if one != other), len(low))
    return low[:same]


def _is_used(services: SessionServices, caller: Caller, project: Project) -> bool:
    """Tell whether a project has a log of anyone's, or of one of its users where the caller speaks for certain ones."""
    table, pk = services.adapters.table, registry_pk(caller.tenant, project)
    if caller.users:
        return any(table.get(Key(pk, registry_sk(f"{USER_OWNER}{user}"))) is not None for user in caller.users)
    return bool(table.query(Query(pk, *prefix_range(registry_sk("")), limit=1)).items)
