"""The Lambda of `GET /healthz`: 200 where table, bucket and key answer, 503 where one does not. It needs no key."""

from __future__ import annotations

from typing import Any

from cairn import __version__
from cairn.domain.errors import CairnError
from cairn.edge import events, problems
from cairn.edge.deadline import left, within
from cairn.edge.guard import guarded
from cairn.runtime import wiring


def handler(event: dict[str, Any], context: object) -> dict[str, Any]:
    """Answer one event; never raise."""
    try:
        with guarded("") as record:
            record.request_id = events.read(event).request_id
            stores = within(left(context), wiring.services().health.stores)
    except CairnError as error:
        return events.respond(problems.http_status(error), problems.envelope(error))
    well = all(stores.values())
    body = {"status": "ok" if well else "unavailable", "version": __version__, "stores": dict(stores)}
    return events.respond(200 if well else 503, body, {"cache-control": "no-store"})
