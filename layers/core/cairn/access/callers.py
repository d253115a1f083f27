"""Describe the caller as the authorizer vouches for it; nothing the request claims about itself counts."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from cairn.access.api_keys import ALL_PROJECTS, ProjectPattern, covers
from cairn.ground.errors import InvalidArgument
from cairn.ground.ids import Project, Tenant, UserId, project, trunk
from cairn.ground.trust import Trust

USERS_POLICY: Final = "users"
"""The policy of a caller who speaks for certain users and whose credential names none."""


@dataclass(frozen=True, slots=True)
class Caller:
    """A tenant with its scopes (of "read", "write", "admin"), its projects and the gateway's id of this request.

    `policy` is the one its credential names, None for the deployment's own. `credential` is the id of the key or the
    hash of the subject that it shows; empty where a process was started. `users` are those that it speaks for, and for
    nobody else; without any, it speaks for whomever its calls name. `trust` says whose word its calls are: an agent's,
    unless the door knows that a person makes them.
    """

    tenant: Tenant
    scopes: frozenset[str]
    request_id: str
    projects: tuple[ProjectPattern, ...]
    policy: str | None = None
    credential: str = ""
    users: tuple[UserId, ...] = ()
    trust: Trust = Trust.AGENT

    def may_use(self, project: Project) -> bool:
        """Tell whether the project is one of the caller's; a branch is whose project it is of."""
        return any(covers(pattern, trunk(project)) for pattern in self.projects)

    @property
    def may_use_all(self) -> bool:
        """Tell whether every project is the caller's."""
        return ALL_PROJECTS in self.projects

    @property
    def bound(self) -> dict[str, str]:
        """Return the names that the credential settles by itself, by field: its one user, its one project."""
        return settled(self.projects, self.users)


def policy_held_to(policy: str | None, users: Sequence[UserId]) -> str | None:
    """Return the policy that holds for a credential which names this one, if any, and speaks for these users."""
    return policy or (USERS_POLICY if users else None)


def settled(projects: Sequence[ProjectPattern], users: Sequence[UserId]) -> dict[str, str]:
    """Return the names of which a credential of these projects and users leaves no choice, by field."""
    found: dict[str, str] = {}
    if len(projects) == 1 and "*" not in projects[0]:
        with suppress(InvalidArgument):  # a pattern may be no name
            found["project"] = project(projects[0])
    if len(users) == 1:
        found["user_id"] = users[0]
    return found
