"""Operations: a turn between its preparation and its commit, and the token that the client returns for it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from cairn.ground import ids
from cairn.ground.codec import base64url, canonical, of_base64url
from cairn.ground.errors import InvalidArgument
from cairn.ground.ids import Project, SessionId, TurnId

PURPOSE = "operation"
MAX_TOKEN_CHARACTERS = 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One prepared turn of a session; until `expires_at`, a whole second, it can be committed."""

    id: str
    project: Project
    session_id: SessionId
    turn_id: TurnId
    expires_at: datetime

    def message(self) -> bytes:
        """Return what is signed."""
        expires_at = int(self.expires_at.timestamp())
        return canonical([self.id, self.project, self.session_id, self.turn_id, expires_at])


@dataclass(frozen=True, slots=True)
class OperationToken:
    """An operation with its tag; until the tag is verified, the operation may be forged."""

    operation: Operation
    tag: str

    def text(self) -> str:
        """Return the token as a client keeps it, fit for a URL."""
        return f"{base64url(self.operation.message())}.{self.tag}"


def parse(text: str) -> OperationToken:
    """Return the token in a text; InvalidArgument if there is none."""
    body, _, tag = text.partition(".")
    try:
        if len(text) > MAX_TOKEN_CHARACTERS:
            raise ValueError  # noqa: TRY301 - too long is malformed, as anything else here
        said = of_base64url(body)
        identifier, project, session_id, turn_id, expires_at = _fields(json.loads(said))
        operation = Operation(
            id=identifier,
            project=ids.project(project),
            session_id=ids.session_id(session_id),
            turn_id=ids.turn_id(turn_id),
            expires_at=datetime.fromtimestamp(expires_at, UTC),
        )
    except (ValueError, TypeError, OverflowError, OSError, RecursionError, InvalidArgument):
        raise InvalidArgument("operation_token", "is no token of memory_run_turn") from None
    return OperationToken(operation, tag)


def _fields(said: Any) -> tuple[str, str, str, str, int]:
    *names, expires_at = said
    identifier, project, session_id, turn_id = names
    if not all(isinstance(name, str) for name in names) or type(expires_at) is not int:
        raise TypeError
    return identifier, project, session_id, turn_id, expires_at
