"""Name the session that a call is about, and the items of its conversation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from cairn.ground.ids import Project, SessionId, Tenant, TurnId, UserId, trunk

ResponseItem: TypeAlias = Mapping[str, Any]
"""An item of the OpenAI Responses API; of one that a client sent, fields Cairn does not know stay untouched."""


@dataclass(frozen=True, slots=True)
class Session:
    """Identifies a session by tenant, project and id; tenants and projects never share one."""

    tenant: Tenant
    project: Project
    session_id: SessionId


def on_trunk(session: Session) -> Session:
    """Return the session that one on a branch goes on from, or the session itself."""
    return replace(session, project=trunk(session.project))


NO_SESSION = SessionId("")
"""In place of a session's id where a call is about a user and no session; no session is called so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """The project, session and user that a call names, as far as it does."""

    project: Project | None = None
    session_id: SessionId | None = None
    turn_id: TurnId | None = None
    namespace: str | None = None
    key: str | None = None
    user_id: UserId | None = None
    """The user who speaks: of a credential bound to one that user, or else whom the call names."""

    @property
    def place(self) -> str | None:
        """Return the namespace, or else the project."""
        return self.namespace or self.project
