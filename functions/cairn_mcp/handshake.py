"""Serve the protocol versions with an initialize handshake, 2024-11-05 to 2025-11-25, without keeping sessions.

Nothing is kept between requests. An `Mcp-Session-Id` is issued to clients that show pages alone, none is asked for, and
whoever skips the handshake is served all the same. A JSON-RPC error to a well-formed request comes with HTTP 200, as
these revisions have it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from cairn_mcp import apps, jsonrpc
from cairn_mcp.jsonrpc import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    RESOURCE_NOT_FOUND,
    Message,
    ResourceMissing,
    RpcError,
)
from cairn_mcp.library import capabilities, result_of, sets_up
from cairn_mcp.server import Reply, Server, Toolbox

VERSIONS: Final = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
BATCH_VERSIONS: Final = frozenset({None, "2025-03-26"})
"""Only 2025-03-26 has batches, and servers of it must take them; it sends no version header, later revisions do."""
MAX_BATCH: Final = 50


def answer(server: Server, message: Message, tools: Toolbox) -> Reply:
    """Answer one request, or accept one notification with an empty 202."""
    reply = _reply(server, message, tools)
    if reply is None:
        return Reply(202)
    begins = message.method == "initialize" and "result" in reply
    return Reply(200, reply, apps.session_of(message.params.get("capabilities"), tools) if begins else {})


def answer_batch(server: Server, messages: Sequence[object], tools: Toolbox) -> Reply:
    """Answer the requests of a batch in order; an empty 202 where there are only notifications."""
    if not 0 < len(messages) <= MAX_BATCH:
        raise RpcError(INVALID_REQUEST, f"A batch holds 1 to {MAX_BATCH} messages")
    replies = [reply for value in messages if (reply := _batch_reply(server, value, tools)) is not None]
    return Reply(200, replies) if replies else Reply(202)


def _batch_reply(server: Server, value: object, tools: Toolbox) -> dict[str, Any] | None:
    try:
        message = _read_batched(value)
    except RpcError as error:
        return jsonrpc.failure(jsonrpc.request_id(value), error)
    return _reply(server, message, tools)


def _read_batched(value: object) -> Message:
    message = jsonrpc.read(value)
    if message.method == "initialize":
        raise RpcError(INVALID_REQUEST, "initialize must not be part of a batch")
    return message


def _reply(server: Server, message: Message, tools: Toolbox) -> dict[str, Any] | None:
    if message.id is None:
        return None
    try:
        return jsonrpc.success(message.id, _result(server, message, tools))
    except ResourceMissing as error:
        return jsonrpc.failure(message.id, ResourceMissing(error.uri, RESOURCE_NOT_FOUND))
    except RpcError as error:
        return jsonrpc.failure(message.id, error)


def _result(server: Server, message: Message, tools: Toolbox) -> Mapping[str, Any]:
    match message.method:
        case "initialize":
            return _initialize(server, message, tools)
        case "ping":
            return {}
        case _:
            return {} if sets_up(message, tools) else result_of(message, tools)


def _initialize(server: Server, message: Message, tools: Toolbox) -> dict[str, Any]:
    # A stateless revision is never named here: a client that reads one in a handshake gives up.
    wanted = message.params.get("protocolVersion")
    if not isinstance(wanted, str):
        raise RpcError(INVALID_PARAMS, "params.protocolVersion must be a string")
    return {
        "protocolVersion": wanted if wanted in VERSIONS else VERSIONS[-1],
        "capabilities": capabilities(tools) | apps.offered(message.params.get("capabilities"), tools),
        "serverInfo": server.info,
        "instructions": server.instructions,
    }
