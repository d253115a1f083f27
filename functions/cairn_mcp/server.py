"""The parts that both protocol eras share: the server's description, its tools, and the two tool methods."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, cast

from cairn_mcp.jsonrpc import INVALID_PARAMS, Message, RpcError


@dataclass(frozen=True, slots=True)
class Server:
    """The server's description for its clients."""

    name: str
    title: str
    version: str
    instructions: str

    @property
    def info(self) -> dict[str, str]:
        """The `Implementation` object of the MCP schema."""
        return {"name": self.name, "title": self.title, "version": self.version}


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One tools/call; `params` are all of its parameters, such as the client's capabilities in `_meta`."""

    name: str
    arguments: Mapping[str, Any]
    params: Mapping[str, Any] = field(repr=False)


class Toolbox(Protocol):
    """The tools one caller may use."""

    def listing(self) -> Sequence[Mapping[str, Any]]:
        """Return the `Tool` objects of the MCP schema, always in the same order."""
        ...

    def call(self, call: ToolCall) -> Mapping[str, Any]:
        """Return a `CallToolResult`; RpcError where there is no such tool."""
        ...


@dataclass(frozen=True, slots=True)
class Reply:
    """An HTTP answer; `body` is JSON data, None for an empty body."""

    status: int
    body: object = None
    headers: Mapping[str, str] = field(default_factory=dict[str, str])


def list_tools(message: Message, tools: Toolbox) -> dict[str, Any]:
    """Answer tools/list in one page, so that no cursor was ever given out."""
    if message.params.get("cursor") is not None:
        raise RpcError(INVALID_PARAMS, "Unknown cursor: tools/list has one page")
    return {"tools": list(tools.listing())}


def call_tool(message: Message, tools: Toolbox) -> Mapping[str, Any]:
    """Answer tools/call."""
    name = message.params.get("name")
    if not isinstance(name, str):
        raise RpcError(INVALID_PARAMS, "params.name must be a string")
    arguments = message.params.get("arguments")
    if arguments is None:
        arguments = {}
    if not isinstance(arguments, dict):
        raise RpcError(INVALID_PARAMS, "params.arguments must be an object")
    return tools.call(ToolCall(name, cast("dict[str, Any]", arguments), message.params))
