"""The Lambda of the routes that need no key: `GET /healthz`, `GET /v1/runtime-config` and `GET /openapi.json`.

Health is 200 where table, bucket and key answer, 503 where one does not, or where the disk of this machine takes no
writes. Where the service answers and is not well, the status is "degraded" and `reasons` say why. `recall_by` is what
recall goes by: words and meaning, or words alone where no embedding model is chosen, or found. The runtime
configuration tells a front end which families of tools the deployment has switched on; which a tenant has is for its
key to ask, with `tools/list`. The OpenAPI document describes all tools, whatever is switched on: it is the same for
everyone, and may be cached.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from cairn import __version__, wiring
from cairn.edge import events, problems
from cairn.edge.guard import guarded, left, within
from cairn.ground.errors import CairnError
from cairn.services import Services

if TYPE_CHECKING:
    from cairn.upkeep.health import RecalledBy


def handler(event: dict[str, Any], context: object) -> dict[str, Any]:
    """Answer one event; never raise."""
    try:
        with guarded("") as record:
            request = events.read(event)
            record.request_id = request.request_id
            services = wiring.services()
            if request.path.endswith("/v1/runtime-config"):
                return _runtime_config(services)
            if request.path.endswith("/openapi.json"):
                return _openapi()
            stores, reasons = within(left(context), lambda: (services.health.stores(), services.health.reasons()))
            return _health(stores, reasons, _recalled_by(services))
    except CairnError as error:
        return events.respond(problems.http_status(error), problems.envelope(error))


def _runtime_config(services: Services) -> dict[str, Any]:
    from cairn.tool.tool import families  # noqa: PLC0415 - the probe knows no tools
    from cairn_tools.catalog import CATALOG  # noqa: PLC0415

    body = {"tools": families(CATALOG, services.settings), "version": __version__}
    return events.respond(200, body, {"cache-control": "max-age=60"})


def _openapi() -> dict[str, Any]:
    from cairn.tool.openapi import document  # noqa: PLC0415 - the probe knows no tools
    from cairn_tools.catalog import CATALOG  # noqa: PLC0415

    return events.respond(200, document(CATALOG, __version__), {"cache-control": "public, max-age=3600"})


def _recalled_by(services: Services) -> RecalledBy:
    from cairn.upkeep.health import recalled_by  # noqa: PLC0415 - the other routes need no health

    chosen, own_disk = services.settings.embedding, services.adapters.own_disk
    return recalled_by(chosen, lambda: services.embedder, own_disk=own_disk)


def _health(stores: Mapping[str, bool], reasons: Sequence[str], recall_by: RecalledBy) -> dict[str, Any]:
    from cairn.upkeep.health import status_of  # noqa: PLC0415 - the other routes need no health

    status = status_of(stores, reasons)
    body: dict[str, Any] = {"status": status, "version": __version__, "stores": dict(stores), "recall_by": recall_by}
    if reasons:
        body["reasons"] = list(reasons)
    return events.respond(200 if all(stores.values()) else 503, body, {"cache-control": "no-store"})
