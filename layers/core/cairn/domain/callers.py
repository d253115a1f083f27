"""Who is calling: what the authorizer vouches for, and nothing the request says of itself."""

from __future__ import annotations

from dataclasses import dataclass

from cairn.domain.ids import Tenant


@dataclass(frozen=True, slots=True)
class Caller:
    """A tenant with its scopes (of "read", "write", "admin") and the gateway's id of this request."""

    tenant: Tenant
    scopes: frozenset[str]
    request_id: str
