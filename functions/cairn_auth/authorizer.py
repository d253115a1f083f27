"""The Lambda authorizer of the HTTP APIs: check a credential and return what it allows (payload 2.0, simple response).

It always lets the request through and says in the context who calls, or why nobody does: only a handler can answer 401
with a body and a challenge of its own. It reads what is stored at each call, so a new or revoked key counts at once.

Of a request that is signed as AWS's clients sign, it sees all but the body. Its context says "unproven" then, which no
handler takes for a caller but the one that proves the signature, and `claim`, whose the request is if that holds.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from cairn import wiring
from cairn.access.api_keys import Credential, Grant, Refused
from cairn.edge import events
from cairn.edge.guard import guarded, left, within
from cairn.ground.errors import Unauthenticated, Unavailable
from cairn.telemetry.record import CallRecord

if TYPE_CHECKING:
    from cairn.access.claims import Identity
    from cairn.services import Services


def handler(event: dict[str, Any], context: object) -> dict[str, Any]:
    """Return what the request's credential opens, or why it opens nothing; raise only for a fault inside."""
    with guarded("") as record:
        request = events.read(event)
        record.request_id = request.request_id
        return {"isAuthorized": True, "context": _decision(request, left(context), record)}


def _decision(request: events.Request, seconds: float, record: CallRecord) -> dict[str, str]:
    services = wiring.services()
    presented = _presented(request.headers)
    is_signed = request.headers.get("authorization", "").startswith("AWS4-")
    try:
        if is_signed:
            return within(seconds, lambda: _of_signed(request, services, record))
        opened = within(seconds, lambda: _opened(presented, services))
    except Unavailable as error:
        record.status, record.failure = error.code, error.message
        return _refused("unavailable")
    if opened is None:
        from cairn_auth.protected_resource import challenge  # noqa: PLC0415 - for who has no key alone

        record.status = Unauthenticated.code
        wanted = challenge(request.host, services.settings.auth.oidc, shown=bool(presented))
        return _refused("unknown" if presented else "missing", challenge=wanted)
    record.name_tenant(opened.tenant)
    return _context(opened)


def _of_signed(request: events.Request, services: Services, record: CallRecord) -> dict[str, str]:
    """Return whose a signed request is if its signature holds, or what is wrong with it."""
    from cairn.access.signed_requests import ROOT, claimed  # noqa: PLC0415 - for AWS's clients alone

    if f"{ROOT}/" not in request.path:
        record.status = Unauthenticated.code
        return _refused("unknown")
    found = claimed(request.headers, services.credentials, services.adapters.clock.now())
    if isinstance(found, str):
        record.status = Unauthenticated.code
        return _refused("unknown", flaw=found)
    credential, proof = found
    record.name_tenant(credential.tenant)
    return _refused("unproven", claim=json.dumps(_context(credential)), proof=proof.text())


def _presented(headers: Mapping[str, str]) -> str:
    """Return the credential: a bearer's or, as mem0's clients say, a token, or else what X-Api-Key holds."""
    scheme, _, credentials = headers.get("authorization", "").partition(" ")
    return (credentials.strip() if scheme.lower() in {"bearer", "token"} else "") or headers.get("x-api-key", "")


def _opened(presented: str, services: Services) -> Credential | Identity | None:
    if services.access_tokens is not None:
        from cairn.access.claims import looks_like_token  # noqa: PLC0415 - only where an issuer's tokens are taken

        if looks_like_token(presented):
            identity = services.access_tokens.check(presented)
            if identity is not None:
                services.vault.establish(identity.tenant)  # no operator made it a data key, and no tool's role may
            return identity
    return services.credentials.check(presented)


def _refused(why: Refused, **more: str) -> dict[str, str]:
    return {"refused": why, **more}


def _context(opened: Credential | Identity) -> dict[str, str]:
    """Return what handlers see: text only, which is all that every gateway passes on."""
    rights = opened.grant if isinstance(opened, Credential) else opened
    seen = {
        "tenant": opened.tenant,
        "scopes": " ".join(rights.scopes),
        "projects": " ".join(rights.projects),
        "credential": opened.id,
    }
    if rights.users:
        seen["users"] = json.dumps(rights.users)  # names may hold spaces
    if isinstance(rights, Grant) and rights.policy is not None:
        seen["policy"] = rights.policy
    return seen
