"""The HTTP door: an API Gateway event in, a response out, whatever happens between."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from cairn import wiring
from cairn.access.callers import Caller
from cairn.edge import problems
from cairn.edge.callers import caller
from cairn.edge.events import Request, parse_json, read, respond
from cairn.edge.guard import guarded
from cairn.ground.errors import CairnError
from cairn.services import Services

Run = Callable[[object, Request, Caller, Services], dict[str, Any]]


def answer(event: Mapping[str, Any], run: Run, *, tool: str, namespace: str) -> dict[str, Any]:
    """Return `run`'s answer to the event as 200, or the problem that came of it; either counts as the tool's."""
    try:
        with guarded("") as record:
            record.name_tool(tool, namespace)
            request = read(event)
            record.request_id = request.request_id
            who = caller(request)
            services = wiring.services()
            return respond(200, run(parse_json(request.body, services.settings.limits), request, who, services))
    except CairnError as error:
        return respond(problems.http_status(error), problems.envelope(error), problems.headers(error))
