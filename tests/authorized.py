"""Requests that pass the authorizer on their way to a door, as API Gateway has them do."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from cairn.tool.tool import Tool
from cairn_auth import authorizer
from cairn_mcp import door
from cairn_tools.catalog import CATALOG

BEFORE, AFTER = CATALOG[0], CATALOG[1]
EventOf = Callable[..., dict[str, Any]]
Outcome = tuple[int, dict[str, Any]]


def asked(headers: dict[str, str], **fields: Any) -> dict[str, Any]:
    """Return what the gateway asks an authorizer, payload 2.0."""
    return {
        "version": "2.0",
        "type": "REQUEST",
        "routeArn": "arn",
        "rawPath": "/mcp",
        "headers": headers,
        "requestContext": {"http": {"method": "POST", "path": "/mcp"}, "requestId": "request-1"},
        **fields,
    }


def refused(why: str) -> dict[str, Any]:
    return {"isAuthorized": True, "context": {"refused": why, "challenge": "Bearer"}}


def bearer(key: str) -> dict[str, str]:
    return {"authorization": f"Bearer {key}"}


def judged(credential: str, **context: Any) -> dict[str, Any]:
    """Return what the authorizer says of a request with this credential."""
    asked = {"http": {"method": "POST", "path": "/mcp"}, "requestId": "request-1", **context}
    event = {"version": "2.0", "rawPath": "/mcp", "headers": bearer(credential), "requestContext": asked}
    return authorizer.handler(event, None)["context"]


def through(headers: dict[str, str], event: dict[str, Any]) -> dict[str, Any]:
    """Return the event as the gateway passes it on behind the authorizer; the test fails where it would not."""
    answer = authorizer.handler(asked(headers), None)
    assert answer["isAuthorized"] is True
    event["requestContext"]["authorizer"] = {"lambda": answer["context"]}
    event["headers"] |= headers
    return event


def answered(tool: Tool, event: dict[str, Any]) -> Outcome:
    response = tool.handler(event, None)
    return response["statusCode"], json.loads(response["body"])


def over_mcp(tool: Tool, headers: dict[str, str], event_of: EventOf, client: dict[str, str] | None = None) -> Outcome:
    """Call the tool through the MCP door; a tool's own refusal has the status that it has over HTTP."""
    about = {"io.modelcontextprotocol/clientInfo": client or {"name": "test", "version": "1"}}
    params = {"name": tool.name, "arguments": tool.example, "_meta": about}
    event = event_of("/mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
    response = door.handler(through(headers, event), None)
    result = json.loads(response["body"])["result"]
    refused = {"PERMISSION_DENIED": 403, "NOT_FOUND": 404}
    body = result["structuredContent"]
    return (refused[body["error"]["code"]] if result["isError"] else 200), body
