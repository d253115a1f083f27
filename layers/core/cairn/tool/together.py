"""One Lambda of many tools, each at `POST /v1/tools/{name}` as if it were in a Lambda of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from http import HTTPStatus
from typing import Any

from cairn.edge import events, problems
from cairn.ground.errors import CairnError, Disabled
from cairn.tool.catalog import only
from cairn.tool.tool import Tool


def together(tools: Sequence[Tool], function: str) -> Callable[[dict[str, Any], object], dict[str, Any]]:
    """Return the handler of those of these tools that are in this function; it never raises."""

    def handler(event: dict[str, Any], context: object) -> dict[str, Any]:
        path = str(event.get("rawPath", event.get("path", "")))
        found = only(tools, path.rstrip("/").rpartition("/")[2])
        tool = next((each for each in found if each.function == function), None)
        return _refused(event) if tool is None else tool.handler(event, context)

    return handler


def _refused(event: dict[str, Any]) -> dict[str, Any]:
    try:
        events.read(event)
    except CairnError as error:
        return events.respond(problems.http_status(error), problems.envelope(error))
    return events.respond(HTTPStatus.NOT_FOUND, problems.envelope(Disabled("No such tool, or it is switched off")))
