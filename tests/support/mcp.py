"""A JSON-RPC server with two tools, and the official SDK's server over such tools."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from anyio import to_thread
from mcp import MCPError
from mcp.server.caching import CacheHint
from mcp.server.lowlevel import Server as SdkServer
from mcp_types import (
    CallToolRequestParams,
    CallToolResult,
    CompleteResult,
    GetPromptResult,
    ListPromptsResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ListToolsResult,
    PaginatedRequestParams,
    ReadResourceResult,
    Tool,
)
from pydantic import BaseModel

from cairn_mcp.jsonrpc import INVALID_PARAMS, Message, RpcError
from cairn_mcp.library import Library, result_of
from cairn_mcp.server import Reply, Server, Toolbox, ToolCall
from cairn_mcp.stateless import CACHE_SCOPE, TTL_MS

SERVER = Server("memory", "Memory", "1.2.3", "Remember.")
JSON = {"content-type": "application/json"}
_KEPT, _STALE = (CacheHint(ttl_ms=each, scope=CACHE_SCOPE) for each in (TTL_MS, 0))
_CACHED: Any = {
    **dict.fromkeys(("prompts/list", "resources/templates/list"), _KEPT),
    **dict.fromkeys(("resources/list", "resources/read"), _STALE),
}
"""What clients may keep of a library's lists."""


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
    library = _handlers(tools) if isinstance(tools, Library) else {}
    return SdkServer(
        server.name,
        version=server.version,
        title=server.title,
        instructions=server.instructions,
        cache_hints={"server/discover": hint, "tools/list": hint, **_CACHED},
        on_list_tools=listing,
        on_call_tool=call,
        **library,
    )


def _handlers(library: Library) -> dict[str, Any]:
    """Return the SDK's handlers for a library's methods."""

    def one_page(result: type[BaseModel], name: str, listed: Callable[[], object]) -> Any:
        async def answer(_context: object, params: PaginatedRequestParams | None) -> BaseModel:
            if params is not None and params.cursor is not None:
                raise MCPError(INVALID_PARAMS, "Unknown cursor: there is one page")
            return result.model_validate({name: listed()})

        return answer

    def of(result: type[BaseModel], method: str) -> Any:
        async def answer(_context: object, params: BaseModel | None) -> BaseModel:
            given = {} if params is None else params.model_dump(by_alias=True, exclude_none=True)
            try:
                return result.model_validate(result_of(Message(method, given, 1), library_tools))
            except RpcError as error:
                raise MCPError(error.code, error.message, error.data) from None

        return answer

    library_tools = cast("Toolbox", library)
    return {
        "on_list_resources": of(ListResourcesResult, "resources/list"),
        "on_list_resource_templates": one_page(ListResourceTemplatesResult, "resourceTemplates", library.templates),
        "on_read_resource": of(ReadResourceResult, "resources/read"),
        "on_list_prompts": one_page(ListPromptsResult, "prompts", library.prompts),
        "on_get_prompt": of(GetPromptResult, "prompts/get"),
        "on_completion": of(CompleteResult, "completion/complete"),
    }
