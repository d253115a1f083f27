"""Who calls, and the names that the call goes without.

Who calls is what the authorizer put into the event's context, never a header or the body. Names of a project, session
and user may stand in headers for arguments that are left out: an MCP client sets them once.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from typing import Any, Final, cast

from cairn.access.api_keys import project_pattern
from cairn.access.callers import Caller, policy_held_to
from cairn.edge.events import Request
from cairn.ground.errors import CairnError, InvalidArgument, PermissionDenied, Unauthenticated, Unavailable
from cairn.ground.ids import UserId, tenant, user_id

NAME_HEADERS: Final = {"project": "x-cairn-project", "session_id": "x-cairn-session", "user_id": "x-cairn-user"}
"""The header of each field that a request may name beside its arguments."""
_ADVICE: Final = {
    "project": "Name the project as an argument or in the header X-Cairn-Project, or call with a key that is bound to "
    "one.",
    "session_id": "Name the session as an argument or in the header X-Cairn-Session: any id that this conversation "
    "keeps and no other has.",
    "user_id": "Name the user as an argument or in the header X-Cairn-User.",
}
_MISSING = "missing authorization"


def caller(request: Request) -> Caller:
    """Return the authorizer's caller: `tenant`, space-separated `scopes` and `projects`, `policy` and `users` if any.

    Unauthenticated or Unavailable where the authorizer says `refused`, PermissionDenied where it was not asked.
    """
    context = request.caller_context or {}
    if "refused" in context:
        raise _refusal(context)
    name, scopes, projects = (context.get(field) for field in ("tenant", "scopes", "projects"))
    if not isinstance(name, str) or not isinstance(scopes, str) or not isinstance(projects, str):
        raise PermissionDenied(_MISSING)
    try:
        patterns = tuple(project_pattern(each) for each in projects.split())
        users = _users(context)
        return Caller(
            tenant(name),
            frozenset(scopes.split()),
            request.request_id,
            patterns,
            policy=policy_held_to(_text(context, "policy"), users),
            credential=_text(context, "credential") or "",
            users=users,
        )
    except (ValueError, InvalidArgument):
        raise PermissionDenied(_MISSING) from None


def names_in(headers: Mapping[str, str]) -> dict[str, str]:
    """Return each field that a header names; header names are in lower case, and an empty one names nothing."""
    given = {field: headers.get(header, "").strip() for field, header in NAME_HEADERS.items()}
    return {field: name for field, name in given.items() if name}


def advice(missing: Collection[str]) -> str:
    """Return where a caller can name what it left out of project, session and user; nothing of other fields."""
    return " ".join(said for name, said in _ADVICE.items() if name in missing)


def _text(context: Mapping[str, Any], name: str) -> str | None:
    value = context.get(name)
    if value is not None and not isinstance(value, str):
        raise PermissionDenied(_MISSING)
    return value


def _users(context: Mapping[str, Any]) -> tuple[UserId, ...]:
    """Return the users in a JSON list; ValueError or InvalidArgument where a list is there and holds none."""
    text = _text(context, "users")
    if text is None:
        return ()
    listed: object = json.loads(text)
    names = cast("list[object]", listed) if isinstance(listed, list) else []
    if not names or not all(isinstance(each, str) for each in names):
        raise ValueError("a caller is bound to users, and to none")
    return tuple(user_id(str(each)) for each in names)


def _refusal(context: Mapping[str, Any]) -> CairnError:
    challenge = context.get("challenge")
    if not isinstance(challenge, str):
        challenge = None
    match context["refused"]:
        case "unavailable":
            return Unavailable("Whether these credentials are good cannot be told just now; try again")
        case "missing":
            return Unauthenticated("The request carries no credentials", challenge)
        case _:
            return Unauthenticated("These credentials open nothing", challenge)
