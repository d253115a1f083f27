"""Requests at the routes of tools, as the gateway hands them to a handler: path and query in the place of a body."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urlencode

from cairn.edge.routes import SHORT_NAMES
from cairn.tool.tool import Tool
from cairn_tools.catalog import CATALOG

ROUTED = tuple(tool for tool in CATALOG if tool.route is not None)
LISTED = tuple(tool for tool in CATALOG if not tool.for_people)
"""What models are told of: a tool with a route is for programs and people."""
_SHORT = {field: short for short, field in SHORT_NAMES.items()}


def can_be_routed(tool: Tool, arguments: Mapping[str, Any]) -> bool:
    """Tell whether a tool has a route that can say these arguments."""
    if tool.route is None or not all(isinstance(each, (str, int)) for each in arguments.values()):
        return False
    return all(str(arguments.get(name) or "") for name in tool.route.parameters)


def address(tool: Tool, arguments: Mapping[str, Any]) -> str:
    """Return the path and query that say these arguments, with the short names of fields."""
    assert tool.route is not None
    path = tool.route.path
    for name in tool.route.parameters:
        path = path.replace(f"{{{name}}}", quote(str(arguments[name]), safe=""))
    elsewhere = {*tool.route.parameters, tool.route.body}
    rest = {name: value for name, value in arguments.items() if name not in elsewhere}
    query = {_SHORT.get(name, name): _written(value) for name, value in rest.items()}
    return f"{path}?{urlencode(query)}" if query else path


def routed(tool: Tool, arguments: Mapping[str, Any], event: Mapping[str, Any]) -> dict[str, Any]:
    """Return an event as it would be if its arguments stood in the path and query of the tool's route."""
    assert tool.route is not None
    _, _, query = address(tool, arguments).partition("?")
    http = {"method": tool.route.method, "path": tool.route.path}
    return {
        **{name: value for name, value in event.items() if name not in {"body", "isBase64Encoded"}},
        **({"body": json.dumps(arguments[tool.route.body])} if tool.route.body else {}),
        "rawPath": tool.route.path,
        "rawQueryString": query,
        "pathParameters": {name: str(arguments[name]) for name in tool.route.parameters},
        "requestContext": {**event["requestContext"], "http": http},
    }


def _written(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
