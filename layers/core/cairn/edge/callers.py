"""Who is calling: only what the authorizer put into the event's context counts, never a header or the body."""

from __future__ import annotations

from cairn.domain.callers import Caller
from cairn.domain.credentials import project_pattern
from cairn.domain.errors import InvalidArgument, PermissionDenied
from cairn.domain.ids import tenant
from cairn.edge.events import Request

_MISSING = "missing authorization"


def caller(request: Request) -> Caller:
    """Return the authorizer's caller: `tenant`, space-separated `scopes` and `projects`; PermissionDenied otherwise."""
    context = request.caller_context or {}
    name, scopes, projects = (context.get(field) for field in ("tenant", "scopes", "projects"))
    if not isinstance(name, str) or not isinstance(scopes, str) or not isinstance(projects, str):
        raise PermissionDenied(_MISSING)
    try:
        patterns = tuple(project_pattern(each) for each in projects.split())
        return Caller(tenant(name), frozenset(scopes.split()), request.request_id, patterns)
    except (ValueError, InvalidArgument):
        raise PermissionDenied(_MISSING) from None
