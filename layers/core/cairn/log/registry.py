"""List the memory logs of a project, and the projects of a tenant."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

from cairn.ground.adapters import Adapters
from cairn.ground.bounded import BoundedCache
from cairn.ground.ids import Project, Tenant, is_branch
from cairn.ground.session import NO_SESSION, Session
from cairn.ground.table import Put, Write
from cairn.log.branches import spoke
from cairn.log.layout import is_across, log_pk, project_sk, projects_pk, registry_pk, registry_sk

# A string each, some megabytes. Forgetting them costs one more write per log, so that all go at once.
_MOST = 10_000
_LISTED_AGAIN_AFTER = timedelta(hours=1)
"""So that a tenant that was erased and begins anew is told of its projects again."""


class Registry:
    """Registers logs and projects the first time that this process writes to them."""

    def __init__(self, adapters: Adapters) -> None:
        """Know of no log and no project."""
        self._adapters = adapters
        self._known: BoundedCache[str, bool] = BoundedCache(entries=_MOST)
        self._listed: BoundedCache[str, datetime] = BoundedCache(entries=_MOST)

    def writes(self, session: Session, owner: str) -> list[Write]:
        """Return the write that makes the log known, none where this process has made it so or it is of no project.

        A branch gets to know of the session as well.
        """
        spoken = [spoke(session)] if is_branch(session.project) and session.session_id != NO_SESSION else []
        if is_across(owner) or self._known.peek(log_pk(session.tenant, session.project, owner)):
            return [*spoken]
        return [*spoken, registered(session.tenant, session.project, owner)]

    def note(self, session: Session, owner: str) -> None:
        """Note that the write was made."""
        self._known.put(log_pk(session.tenant, session.project, owner), True)

    def listing(self, tenant: Tenant, project: Project) -> list[Callable[[], None]]:
        """Return the call that makes the project known to its tenant, none where this process has lately made it so.

        A branch is known to its project alone.
        """
        if is_branch(project):
            return []
        place, now = registry_pk(tenant, project), self._adapters.clock.now()
        made = self._listed.peek(place)
        if made is not None and timedelta() <= now - made < _LISTED_AGAIN_AFTER:
            return []

        def make() -> None:
            # Apart from any transaction: those that begin in one project at once would refuse one another.
            self._adapters.table.put(listed(tenant, project))
            self._listed.put(place, now)

        return [make]


def registered(tenant: Tenant, project: Project, owner: str) -> Put:
    """Return the write that makes a log known to its project; made again it changes nothing."""
    return Put({"pk": registry_pk(tenant, project), "sk": registry_sk(owner)})


def listed(tenant: Tenant, project: Project) -> Put:
    """Return the write that makes a project known to its tenant; made again it changes nothing."""
    return Put({"pk": projects_pk(tenant), "sk": project_sk(project)})
