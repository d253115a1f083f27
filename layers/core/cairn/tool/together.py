"""One Lambda of many tools, each at `POST /v1/tools/{name}` as if it were in a Lambda of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from http import HTTPStatus
from typing import Any

from cairn.edge import events, problems
from cairn.ground.errors import CairnError, Disabled
from cairn.tool.tool import Tool


def together(tools: Iterable[Tool]) -> Callable[[dict[str, Any], object], dict[str, Any]]:
    """Return the handler of all these tools; it never raises."""
    by_name = {tool.name: tool for tool in tools}

    def handler(event: dict[str, Any], context: object) -> dict[str, Any]:
        path = str(event.get("rawPath", event.get("path", "")))
        tool = by_name.get(path.rstrip("/").rpartition("/")[2])
        return _refused(event) if tool is None else tool.handler(event, context)

    return handler


def _refused(event: dict[str, Any]) -> dict[str, Any]:
    try:
        events.read(event)
    except CairnError as error:
        return events.respond(problems.http_status(error), problems.envelope(error))
    return events.respond(HTTPStatus.NOT_FOUND, problems.envelope(Disabled("No such tool, or it is switched off")))
