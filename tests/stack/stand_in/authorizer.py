"""Stands in for the authorizer while there is none: two keys, each of a tenant of its own."""

from __future__ import annotations

from typing import Any

TENANTS = {"cairn_acme_first": "acme", "cairn_globex_second": "globex"}


def handler(event: dict[str, Any], context: object) -> dict[str, Any]:
    """Answer as an authorizer of payload 2.0 with simple responses does."""
    del context
    scheme, _, key = event["headers"].get("authorization", "").partition(" ")
    tenant = TENANTS.get(key) if scheme == "Bearer" else None
    if tenant is None:
        return {"isAuthorized": False}
    return {"isAuthorized": True, "context": {"tenant": tenant, "scopes": "read write", "projects": "*"}}
