"""JSON-RPC 2.0 as MCP uses it: validate messages and form replies.

MCP narrows JSON-RPC: an id is a string or an integer, params are an object, and an error that belongs to no known
request leaves `id` out, since the MCP schema allows no null there.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias, cast

PARSE_ERROR: Final = -32700
INVALID_REQUEST: Final = -32600
METHOD_NOT_FOUND: Final = -32601
INVALID_PARAMS: Final = -32602
INTERNAL_ERROR: Final = -32603
RESOURCE_NOT_FOUND: Final = -32002
"""What the handshake eras call a missing resource; 2026-07-28 calls it invalid params."""
HEADER_MISMATCH: Final = -32020
UNSUPPORTED_VERSION: Final = -32022

_STATUS: Final = {METHOD_NOT_FOUND: 404, INTERNAL_ERROR: 500}
_BAD_REQUEST: Final = 400
_SURROGATE: Final = re.compile("[\ud800-\udfff]")

RequestId: TypeAlias = str | int


class RpcError(Exception):
    """Answers a request with a JSON-RPC error instead of a result."""

    def __init__(
        self,
        code: int,
        message: str,
        data: Mapping[str, object] | None = None,
        *,
        status: int | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        """Keep what the reply will say; `status` is the HTTP status where the code does not settle it."""
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data
        self.status = status if status is not None else _STATUS.get(code, _BAD_REQUEST)
        self.headers = dict(headers or {})


class ResourceMissing(RpcError):
    """The caller finds no resource at a URI: there is none, or it may not be read; which of them is not told."""

    def __init__(self, uri: str, code: int = INVALID_PARAMS) -> None:
        """Name the URI, as the specification has it."""
        super().__init__(code, "Resource not found", {"uri": uri})
        self.uri = uri


@dataclass(frozen=True, slots=True)
class Message:
    """A request, or a notification where `id` is None."""

    method: str
    params: Mapping[str, Any] = field(default_factory=dict[str, Any])
    id: RequestId | None = None


def read(value: object) -> Message:
    """Return the request or notification in a parsed body; RpcError where it is neither."""
    if not isinstance(value, dict):
        raise RpcError(INVALID_REQUEST, "The body must be one JSON-RPC request or notification object")
    body = cast("dict[str, Any]", value)
    if body.get("jsonrpc") != "2.0":
        raise RpcError(INVALID_REQUEST, 'jsonrpc must be "2.0"')
    if "id" in body and request_id(body) is None:
        raise RpcError(INVALID_REQUEST, "id must be a string or an integer")
    method = body.get("method")
    if not isinstance(method, str):
        raise RpcError(INVALID_REQUEST, "method must be a string")
    params = body.get("params")
    if params is None:
        params = {}
    if not isinstance(params, dict):
        raise RpcError(INVALID_REQUEST, "params must be an object")
    return Message(method, cast("dict[str, Any]", params), request_id(body))


def request_id(value: object) -> RequestId | None:
    """Return the id a reply to this body may carry: None where there is none that MCP allows and UTF-8 can hold."""
    found = cast("dict[str, Any]", value).get("id") if isinstance(value, dict) else None
    if isinstance(found, str):
        return None if _SURROGATE.search(found) else found
    return found if isinstance(found, int) and not isinstance(found, bool) else None


def success(request: RequestId, result: Mapping[str, Any]) -> dict[str, Any]:
    """Return the reply that carries a result."""
    return {"jsonrpc": "2.0", "id": request, "result": result}


def failure(request: RequestId | None, error: RpcError) -> dict[str, Any]:
    """Return the reply that carries an error."""
    said: dict[str, Any] = {"code": error.code, "message": error.message}
    if error.data is not None:
        said["data"] = error.data
    return {"jsonrpc": "2.0"} | ({} if request is None else {"id": request}) | {"error": said}
