"""A JSON-RPC server with two tools, requests to it and what its replies say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from cairn_mcp.jsonrpc import INVALID_PARAMS, RpcError
from cairn_mcp.server import Reply, Server, ToolCall

SERVER = Server("memory", "Memory", "1.2.3", "Remember.")
JSON = {"content-type": "application/json"}


class Tools:
    """Two tools: one echoes its arguments, one is broken in its result only."""

    def listing(self) -> Sequence[Mapping[str, Any]]:
        return [{"name": name, "inputSchema": {"type": "object"}} for name in ("echo", "märchen")]

    def call(self, call: ToolCall) -> Mapping[str, Any]:
        if call.name not in {"echo", "märchen"}:
            raise RpcError(INVALID_PARAMS, "Unknown tool")
        return {"content": [], "structuredContent": dict(call.arguments), "isError": False}


def request(method: str, params: Mapping[str, Any] | None = None, **more: object) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 7, "method": method, "params": params or {}, **more}


def said(reply: Reply) -> Any:
    return reply.body


def result(reply: Reply) -> dict[str, Any]:
    return said(reply)["result"]


def code(reply: Reply) -> int:
    return said(reply)["error"]["code"]
