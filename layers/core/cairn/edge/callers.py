"""Who calls, and the names that the call goes without.

Who calls is what the authorizer put into the event's context, never a header or the body. Names of a project, session
and user may stand in headers for arguments that are left out: an MCP client sets them once.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from cairn.access.api_keys import project_pattern
from cairn.access.callers import Caller
from cairn.edge.events import Request
from cairn.ground.errors import CairnError, InvalidArgument, PermissionDenied, Unauthenticated, Unavailable
from cairn.ground.ids import tenant

NAME_HEADERS: Final = {"project": "x-cairn-project", "session_id": "x-cairn-session", "user_id": "x-cairn-user"}
"""The header of each field that a request may name beside its arguments."""
_MISSING = "missing authorization"


def caller(request: Request) -> Caller:
    """Return the authorizer's caller: `tenant`, space-separated `scopes` and `projects`, `policy` if any.

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
        return Caller(
            tenant(name),
            frozenset(scopes.split()),
            request.request_id,
            patterns,
            policy=_text(context, "policy"),
            credential=_text(context, "credential") or "",
        )
    except (ValueError, InvalidArgument):
        raise PermissionDenied(_MISSING) from None


def names_in(headers: Mapping[str, str]) -> dict[str, str]:
    """Return each field that a header names; header names are in lower case, and an empty one names nothing."""
    given = {field: headers.get(header, "").strip() for field, header in NAME_HEADERS.items()}
    return {field: name for field, name in given.items() if name}


def _text(context: Mapping[str, Any], name: str) -> str | None:
    value = context.get(name)
    if value is not None and not isinstance(value, str):
        raise PermissionDenied(_MISSING)
    return value


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
