"""Take a user's name out of what AgentCore's clients have in common: who has events, and whose a record is.

Both are documents of the project, since AWS's clients list actors, and name a record by its id alone.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from cairn.documents.model import Owner, Place, Sought, Wanted
from cairn.documents.store import Documents
from cairn.ground.ids import Project, Tenant, UserId
from cairn.ground.settings import Quotas
from cairn.sessions.services import SessionServices

ACTORS: Final = ("agentcore", "actors")
PLACES: Final = ("agentcore", "places")
_AT_ONCE: Final = 40


class EraseActor:
    """Erases a user from these documents, for an operator."""

    def __init__(self, services: SessionServices) -> None:
        """Read and delete documents."""
        self._documents = Documents(services.adapters, services.vault, Quotas())

    def run(self, tenant: Tenant, projects: Iterable[Project], user: UserId) -> None:
        """Delete what names the user in these projects."""
        for project in projects:
            owner = Owner(tenant, project)
            self._delete(owner, [Place(ACTORS, user)])
            sought = Sought(collection=PLACES, query="", filter={"user": user}, limit=_AT_ONCE, offset=0)
            while found := [each.document.place for each in self._documents.search(owner, sought).hits]:
                self._delete(owner, found)

    def _delete(self, owner: Owner, places: Iterable[Place]) -> None:
        self._documents.put(owner, [Wanted(place=each, value=None, index=False) for each in places])
