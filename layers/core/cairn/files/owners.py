"""Name whose files there are: beside a session's those of a user, and of a project, in all its sessions.

They stand where a session's files do, under names that no session has: `/` is in none.
"""

from __future__ import annotations

from cairn.ground.ids import Project, SessionId, Tenant, UserId
from cairn.ground.session import Session

_USER = "u/"
_PROJECT = "p/"


def of_user(tenant: Tenant, project: Project, user: UserId) -> Session:
    """Return whose files those of a user in a project are."""
    return Session(tenant, project, SessionId(f"{_USER}{user}"))


def of_project(tenant: Tenant, project: Project) -> Session:
    """Return whose files those are that everyone in a project shares."""
    return Session(tenant, project, SessionId(_PROJECT))


def user_of(name: str) -> UserId | None:
    """Return the user whose files stand under this name, None where it is a session's or the project's."""
    return UserId(name.removeprefix(_USER)) if name.startswith(_USER) else None


def is_session(name: str) -> bool:
    """Tell whether files under this name are a session's."""
    return not name.startswith(_USER) and name != _PROJECT
