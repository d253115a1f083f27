"""The catalog over standard input and output, for desktop clients that start their servers.

One process, one client, no cold start: here the official SDK speaks the protocol, in both eras.
"""

from __future__ import annotations

import anyio
from anyio import to_thread
from mcp import MCPError
from mcp.server.caching import CacheHint
from mcp.server.lowlevel import Server as SdkServer
from mcp.server.stdio import stdio_server
from mcp_types import CallToolRequestParams, CallToolResult, ListToolsResult, PaginatedRequestParams, Tool

from cairn.domain.callers import Caller
from cairn.edge.tool import Call
from cairn.runtime import wiring
from cairn_mcp.jsonrpc import INVALID_PARAMS, RpcError
from cairn_mcp.modern import CACHE_SCOPE, TTL_MS
from cairn_mcp.profiles import PROFILES, WHOLE, Profile
from cairn_mcp.server import Server, Toolbox, ToolCall
from cairn_mcp.toolbox import SERVER, CatalogTools
from cairn_tools.catalog import CATALOG


def run(caller: Caller, profile: str | None = None) -> None:
    """Serve this process's services to one caller until standard input ends; KeyError for no profile's name."""
    serve(caller, wiring.services(), WHOLE if profile is None else PROFILES[profile])


def serve(caller: Caller, services: wiring.Services, profile: Profile = WHOLE) -> None:
    """Serve these services to one caller until standard input ends."""
    anyio.run(_serve, sdk_server(SERVER, CatalogTools(CATALOG, Call(caller, services), profile)))


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


async def _serve(server: SdkServer) -> None:
    async with stdio_server() as (received, sent):
        await server.run(received, sent, server.create_initialization_options())
