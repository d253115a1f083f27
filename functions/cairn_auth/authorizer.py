"""The Lambda authorizer of the HTTP API: an API key in, what it opens out (payload 2.0, simple response).

It reads what is stored at each call, so a gateway that caches no answers knows a new or revoked key at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cairn.domain.credentials import Credential
from cairn.domain.errors import Unauthenticated
from cairn.edge import events
from cairn.edge.deadline import left, within
from cairn.edge.guard import guarded
from cairn.runtime import wiring


def handler(event: dict[str, Any], context: object) -> dict[str, Any]:
    """Return whether the request's key opens anything, and what; a CairnError only where that cannot be told."""
    with guarded("") as record:
        request = events.read(event)
        record.request_id = request.request_id
        presented = _presented(request.headers)
        credential = within(left(context), lambda: wiring.services().credentials.check(presented))
        if credential is None:
            record.status = Unauthenticated.code
            return {"isAuthorized": False}
        record.name_tenant(credential.tenant)
        return {"isAuthorized": True, "context": _context(credential)}


def _presented(headers: Mapping[str, str]) -> str:
    scheme, _, credentials = headers.get("authorization", "").partition(" ")
    return credentials.strip() if scheme.lower() == "bearer" else headers.get("x-api-key", "")


def _context(credential: Credential) -> dict[str, str]:
    """Return what handlers see of the key: text only, which is all that every gateway passes on."""
    grant = credential.grant
    seen = {
        "tenant": credential.tenant,
        "scopes": " ".join(grant.scopes),
        "projects": " ".join(grant.projects),
        "credential": credential.id,
    }
    return {**seen, "policy": grant.policy} if grant.policy is not None else seen
