"""The official SDK's server over the tools of Cairn's protocol core, to hold the core against."""

from __future__ import annotations

from anyio import to_thread
from mcp import MCPError
from mcp.server.caching import CacheHint
from mcp.server.lowlevel import Server as SdkServer
from mcp_types import CallToolRequestParams, CallToolResult, ListToolsResult, PaginatedRequestParams, Tool

from cairn_mcp.jsonrpc import INVALID_PARAMS, RpcError
from cairn_mcp.server import Server, Toolbox, ToolCall
from cairn_mcp.stateless import CACHE_SCOPE, TTL_MS


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
