"""Serve the stateless version, 2026-07-28, in which each request says who asks, in which version, and for what.

A request is checked in the order of the specification: its `_meta`, then the headers that mirror the body for proxies
on the way, then the version.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Mapping
from typing import Any, Final, cast

from cairn_mcp import apps, jsonrpc
from cairn_mcp.jsonrpc import HEADER_MISMATCH, INVALID_PARAMS, UNSUPPORTED_VERSION, Message, RpcError
from cairn_mcp.library import capabilities, listens, result_of
from cairn_mcp.server import Reply, Server, Toolbox

VERSIONS: Final = ("2026-07-28",)
VERSION_KEY: Final = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES_KEY: Final = "io.modelcontextprotocol/clientCapabilities"
SERVER_INFO_KEY: Final = "io.modelcontextprotocol/serverInfo"
VERSION_HEADER: Final = "mcp-protocol-version"
TTL_MS: Final = 300_000
"""How long a client may keep what is listed: it changes with a deployment only."""
CACHE_SCOPE: Final = "private"
"""No cache may share one caller's list with another: tenants have switches of their own."""

_CACHING: Final[Mapping[str, Any]] = {"ttlMs": TTL_MS, "cacheScope": CACHE_SCOPE}
_STALE: Final[Mapping[str, Any]] = {"ttlMs": 0, "cacheScope": CACHE_SCOPE}
_CACHED: Final[Mapping[str, Mapping[str, Any]]] = {
    **dict.fromkeys(("tools/list", "prompts/list", "resources/templates/list"), _CACHING),
    **dict.fromkeys(("resources/list", "resources/read"), _STALE),  # the next turn changes them
}
_MIRRORED: Final = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
"""What the header Mcp-Name says of a method's parameters."""

_ENCODED: Final = re.compile(r"=\?base64\?(.*)\?=")


def is_modern(message: Message) -> bool:
    """Say whether the body itself claims this era."""
    return VERSION_KEY in _meta(message)


def answer(server: Server, message: Message, headers: Mapping[str, str] | None, tools: Toolbox) -> Reply:
    """Answer one request, or accept one notification with an empty 202; RpcError for the rest.

    `headers` are None where the transport has none.
    """
    if message.id is None:
        _check_version((headers or {}).get(VERSION_HEADER, VERSIONS[0]))
        return Reply(202)
    version = _check_meta(message)
    if headers is not None:
        _check_headers(message, headers, version)
    _check_version(version)
    if listens(message, tools):
        return Reply(202)
    result = _result(server, message, apps.declared(_meta(message)[CAPABILITIES_KEY], tools))
    meta: dict[str, Any] = {SERVER_INFO_KEY: server.info} | result.get("_meta", {})
    return Reply(200, jsonrpc.success(message.id, {"resultType": "complete"} | dict(result) | {"_meta": meta}))


def decode_header(value: str | None) -> str | None:
    """Return a header's text, out of its base64 wrapping where it has one; None where that is broken."""
    encoded = _ENCODED.fullmatch(value or "")
    if encoded is None:
        return value
    try:
        return base64.b64decode(encoded[1], validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return None


def _meta(message: Message) -> Mapping[str, Any]:
    meta = message.params.get("_meta")
    return cast("dict[str, Any]", meta) if isinstance(meta, dict) else {}


def _check_meta(message: Message) -> object:
    """Return the version that the request says it is of."""
    meta = _meta(message)
    if VERSION_KEY not in meta or not isinstance(meta.get(CAPABILITIES_KEY), dict):
        raise RpcError(INVALID_PARAMS, f"params._meta must hold {VERSION_KEY} and {CAPABILITIES_KEY}, an object")
    return meta[VERSION_KEY]


def _check_headers(message: Message, headers: Mapping[str, str], version: object) -> None:
    _check_header(VERSION_HEADER, headers.get(VERSION_HEADER), version)
    _check_header("mcp-method", headers.get("mcp-method"), message.method)
    if (name := message.params.get(_MIRRORED.get(message.method, ""))) is not None:
        _check_header("mcp-name", decode_header(headers.get("mcp-name")), name)


def _check_header(name: str, found: str | None, expected: object) -> None:
    if found is None or found != expected:
        raise RpcError(HEADER_MISMATCH, f"The header {name} must say the same as the body")


def _check_version(version: object) -> None:
    if version not in VERSIONS:
        supported = {"supported": list(VERSIONS), "requested": version}
        raise RpcError(UNSUPPORTED_VERSION, "Unsupported protocol version", supported)


def _result(server: Server, message: Message, tools: Toolbox) -> Mapping[str, Any]:
    if message.method == "server/discover":
        return _discover(server, message, tools)
    return {**result_of(message, tools), **_CACHED.get(message.method, {})}


def _discover(server: Server, message: Message, tools: Toolbox) -> dict[str, Any]:
    return {
        "supportedVersions": list(VERSIONS),
        "capabilities": capabilities(tools) | apps.offered(_meta(message)[CAPABILITIES_KEY], tools),
        "instructions": server.instructions,
        **_CACHING,
    }
