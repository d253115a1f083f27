"""A JSON-RPC server with two tools, and the official SDK's server over such tools."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from anyio import to_thread
from mcp import MCPError
from mcp.server.caching import CacheHint
from mcp.server.lowlevel import Server as SdkServer
from mcp_types import CallToolRequestParams, CallToolResult, ListToolsResult, PaginatedRequestParams, Tool

from cairn_mcp.jsonrpc import INVALID_PARAMS, RpcError
from cairn_mcp.server import Reply, Server, Toolbox, ToolCall
from cairn_mcp.stateless import CACHE_SCOPE, TTL_MS

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


def sdk_server(server: Server, tools: Toolbox) -> SdkServer:
    """Return the SDK's server with these tools; a call runs in a thread, so that a slow one holds up no other."""

    async def listing(_context: object, params: PaginatedRequestParams | None) -> ListToolsResult:
        if params is not None and params.cursor is not None:
            raise MCPError(INVALID_PARAMS, "Unknown cursor: tools/list has one page")
        return ListToolsResult(tools=[Tool.model_validate(tool) for tool in tools.listing()])

    async def call(_context: object, params: CallToolRequestParams) -> CallToolResult:
        requested = ToolCall(params.name, params.arguments or {}, params.model_dump(by_alias=True))
        try:
            return CallToolResult.model_validate(await to_thread.run_sync(tools.call, requested))
        except RpcError as error:
            raise MCPError(error.code, error.message, error.data) from None

    hint = CacheHint(ttl_ms=TTL_MS, scope=CACHE_SCOPE)
    return SdkServer(
        server.name,
        version=server.version,
        title=server.title,
        instructions=server.instructions,
        cache_hints={"server/discover": hint, "tools/list": hint},
        on_list_tools=listing,
        on_call_tool=call,
    )
