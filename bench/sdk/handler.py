"""What an MCP server on Lambda takes with the official SDK: one tool over DynamoDB, behind an ASGI adapter.

The application's lifespan may begin once only and its requests share one event loop, so that both live as long as the
process, outside the adapter.
"""
# pyright: basic, reportMissingImports=false
# runs in an environment of its own

from __future__ import annotations

import asyncio
import os
from typing import Any

import boto3
from mangum import Mangum
from mcp.server.mcpserver import MCPServer
from mcp.server.transport_security import TransportSecuritySettings

_client = boto3.client("dynamodb")
_server = MCPServer("sdk")


@_server.tool()
def read(key: str) -> str:
    """Read an item that is not there."""
    _client.get_item(TableName=os.environ["CAIRN_TABLE"], Key={"pk": {"S": key}, "sk": {"S": key}})
    return "nothing"


_app = _server.streamable_http_app(
    json_response=True,
    stateless_http=True,
    transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
)
_loop = asyncio.new_event_loop()
asyncio.set_event_loop(_loop)
_lifespan = _app.router.lifespan_context(_app)
_loop.run_until_complete(_lifespan.__aenter__())
_adapted = Mangum(_app, lifespan="off")


def handler(event: dict[str, Any], context: object) -> dict[str, Any]:
    """Answer an API Gateway event; an empty one asks for nothing."""
    return _adapted(event, context) if event else {"statusCode": 200}
