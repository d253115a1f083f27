"""Describe the caller as the authorizer vouches for it; nothing the request claims about itself counts."""

from __future__ import annotations

from dataclasses import dataclass

from cairn.access.api_keys import ALL_PROJECTS, ProjectPattern, covers
from cairn.ground.ids import Project, Tenant


@dataclass(frozen=True, slots=True)
class Caller:
    """A tenant with its scopes (of "read", "write", "admin"), its projects and the gateway's id of this request.

    `policy` is the one its credential names, None for the deployment's own. `credential` is the id of the key or the
    hash of the subject that it shows; empty where a process was started.
    """

    tenant: Tenant
    scopes: frozenset[str]
    request_id: str
    projects: tuple[ProjectPattern, ...]
    policy: str | None = None
    credential: str = ""

    def may_use(self, project: Project) -> bool:
        """Tell whether the project is one of the caller's."""
        return any(covers(pattern, project) for pattern in self.projects)

    @property
    def may_use_all(self) -> bool:
        """Tell whether every project is the caller's."""
        return ALL_PROJECTS in self.projects
