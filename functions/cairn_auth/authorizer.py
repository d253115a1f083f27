"""The Lambda authorizer of the HTTP API: a credential in, what it opens out (payload 2.0, simple response).

It always lets the request through and says in the context who calls, or why nobody does: only a handler can answer 401
with a body and a challenge of its own. It reads what is stored at each call, so a new or revoked key counts at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cairn.domain.credentials import Credential, Refused
from cairn.domain.errors import Unauthenticated, Unavailable
from cairn.edge import events
from cairn.edge.guard import guarded
from cairn.runtime import wiring
from cairn.runtime.telemetry import CallRecord


def handler(event: dict[str, Any], context: object) -> dict[str, Any]:
    """Return what the request's credential opens, or why it opens nothing; raise only for a fault inside."""
    del context
    with guarded("") as record:
        request = events.read(event)
        record.request_id = request.request_id
        return {"isAuthorized": True, "context": _seen(request, record)}


def _seen(request: events.Request, record: CallRecord) -> dict[str, str]:
    presented = _presented(request.headers)
    if not presented:
        return _refused("missing", record)
    try:
        credential = wiring.services().credentials.check(presented)
    except Unavailable:
        record.status = Unavailable.code
        return {"refused": "unavailable"}
    if credential is None:
        return _refused("unknown", record)
    record.name_tenant(credential.tenant)
    return _opened(credential)


def _presented(headers: Mapping[str, str]) -> str:
    """Return the credential: a bearer's, where Authorization holds one, or else what X-Api-Key holds."""
    scheme, _, credentials = headers.get("authorization", "").partition(" ")
    return (credentials.strip() if scheme.lower() == "bearer" else "") or headers.get("x-api-key", "")


def _refused(why: Refused, record: CallRecord) -> dict[str, str]:
    record.status = Unauthenticated.code
    return {"refused": why, "challenge": "Bearer"}


def _opened(credential: Credential) -> dict[str, str]:
    """Return what handlers see of the key: text only, which is all that every gateway passes on."""
    grant = credential.grant
    seen = {
        "tenant": credential.tenant,
        "scopes": " ".join(grant.scopes),
        "projects": " ".join(grant.projects),
        "credential": credential.id,
    }
    return {**seen, "policy": grant.policy} if grant.policy is not None else seen
