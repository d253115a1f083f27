"""Who is calling: only what the authorizer put into the event's context counts, never a header or the body."""

from __future__ import annotations

from cairn.domain.callers import Caller
from cairn.domain.errors import PermissionDenied
from cairn.domain.ids import tenant
from cairn.edge.events import Request

_MISSING = "missing authorization"


def caller(request: Request) -> Caller:
    """Return the authorizer's caller: its `tenant` and space-separated `scopes`; PermissionDenied without them."""
    context = request.caller_context or {}
    name, scopes = context.get("tenant"), context.get("scopes")
    if not isinstance(name, str) or not isinstance(scopes, str):
        raise PermissionDenied(_MISSING)
    try:
        return Caller(tenant(name), frozenset(scopes.split()), request.request_id)
    except ValueError:
        raise PermissionDenied(_MISSING) from None
