"""The Lambda of the OAuth host's `GET /.well-known/oauth-protected-resource`. It needs no credential."""

from __future__ import annotations

from typing import Any

from cairn import wiring
from cairn.edge import events, problems
from cairn.edge.guard import guarded
from cairn.ground.errors import CairnError, NotFound
from cairn_auth.protected_resource import is_oauth_host, metadata


def handler(event: dict[str, Any], context: object) -> dict[str, Any]:
    """Answer one event; never raise."""
    del context
    try:
        with guarded("") as record:
            request = events.read(event)
            record.request_id = request.request_id
            oidc = wiring.services().settings.auth.oidc
            if not is_oauth_host(request.host, oidc):
                raise NotFound("There is nothing here")
            return events.respond(200, metadata(oidc), {"cache-control": "max-age=300"})
    except CairnError as error:
        return events.respond(problems.http_status(error), problems.envelope(error))
