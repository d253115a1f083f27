"""ping: what a client asks first, to learn whether its key is good and whose it is."""

from __future__ import annotations

from cairn_mem0.asked import Asked


def ping(asked: Asked) -> dict[str, object]:
    """Return the tenant as the organisation and the project; no address of anybody, which clients would report."""
    return {
        "status": "ok",
        "org_id": asked.call.caller.tenant,
        "project_id": asked.project,
        "user_email": None,
    }
