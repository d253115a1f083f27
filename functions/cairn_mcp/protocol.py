"""The MCP endpoint as one pure function from an HTTP request to an HTTP reply.

No I/O, no clock, no framework, only the standard library: a Lambda that serves MCP starts as fast as one that does not.
Who may call and what a body may hold are the door's rules, so the door brings both.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from typing import Final, cast

from cairn_mcp import apps, jsonrpc
from cairn_mcp import handshake as legacy
from cairn_mcp import stateless as modern
from cairn_mcp.jsonrpc import INVALID_REQUEST, RpcError
from cairn_mcp.server import Reply, Server, Toolbox

LOOPBACK: Final = re.compile(r"https?://(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?")
"""The web origins of pages that this machine serves itself."""


def answer(
    server: Server,
    method: str,
    headers: Mapping[str, str],
    origins: Collection[str],
    receive: Callable[[], tuple[object, Toolbox]],
) -> Reply:
    """Answer one HTTP request in whichever protocol era it speaks.

    Header names are in lower case. `origins` are the web origins served besides this machine's own. `receive` admits
    the caller: it returns the parsed body and the caller's tools, or raises RpcError; it is not called for a request
    that is refused before.
    """
    if method != "POST":
        return Reply(405, headers={"allow": "POST"})
    trimmed = {name: value.strip(" \t") for name, value in headers.items()}
    body: object = None
    try:
        _admit(trimmed, origins)
        body, tools = receive()
        return answer_message(server, body, trimmed, tools)
    except RpcError as error:
        return Reply(error.status, jsonrpc.failure(jsonrpc.request_id(body), error), error.headers)


def _admit(headers: Mapping[str, str], origins: Collection[str]) -> None:
    """Refuse what a web page of a stranger may send, and what is not JSON."""
    origin = headers.get("origin")
    if origin is not None and origin not in origins and not LOOPBACK.fullmatch(origin):
        raise RpcError(INVALID_REQUEST, "Requests of this Origin are not served", status=403)
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise RpcError(INVALID_REQUEST, "Content-Type must be application/json", status=415)


def answer_message(
    server: Server, body: object, headers: Mapping[str, str] | None, tools: Toolbox, session: str | None = None
) -> Reply:
    """Answer a parsed body; RpcError where it has no request to answer.

    `headers` are None where none can be sent: there `session` is the id that the handshake gave. The body decides the
    era, since a client's header may be lost; the header where the body is silent.
    """
    version = None if headers is None else headers.get(modern.VERSION_HEADER)
    known = apps.resumed(session if headers is None else headers.get(apps.SESSION_HEADER), tools)
    if isinstance(body, list) and version in legacy.BATCH_VERSIONS:
        return legacy.answer_batch(server, cast("list[object]", body), known)
    message = jsonrpc.read(cast("object", body))
    if modern.is_modern(message) or version not in {None, *legacy.VERSIONS}:
        return modern.answer(server, message, headers, tools)
    return legacy.answer(server, message, known)
