"""The Lambda of the routes that need no key: `GET /healthz` and `GET /v1/runtime-config`.

Health is 200 where table, bucket and key answer, 503 where one does not. The runtime configuration tells a front end
which families of tools the deployment has switched on; which a tenant has is for its key to ask, with `tools/list`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cairn import __version__, wiring
from cairn.edge import events, problems
from cairn.edge.guard import guarded, left, within
from cairn.ground.errors import CairnError
from cairn.services import Services


def handler(event: dict[str, Any], context: object) -> dict[str, Any]:
    """Answer one event; never raise."""
    try:
        with guarded("") as record:
            request = events.read(event)
            record.request_id = request.request_id
            services = wiring.services()
            if request.path.endswith("/v1/runtime-config"):
                return _runtime_config(services)
            return _health(within(left(context), services.health.stores))
    except CairnError as error:
        return events.respond(problems.http_status(error), problems.envelope(error))


def _runtime_config(services: Services) -> dict[str, Any]:
    from cairn.tool.tool import families  # noqa: PLC0415 - the probe knows no tools
    from cairn_tools.catalog import CATALOG  # noqa: PLC0415

    body = {"tools": families(CATALOG, services.settings), "version": __version__}
    return events.respond(200, body, {"cache-control": "max-age=60"})


def _health(stores: Mapping[str, bool]) -> dict[str, Any]:
    well = all(stores.values())
    body = {"status": "ok" if well else "unavailable", "version": __version__, "stores": dict(stores)}
    return events.respond(200 if well else 503, body, {"cache-control": "no-store"})
