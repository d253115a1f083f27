"""Messages between a process and the sandbox, as JSON: a request, and a result or an error's envelope."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, cast

from cairn.ground.errors import (
    CairnError,
    InternalError,
    InvalidArgument,
    NotFound,
    PayloadTooLarge,
    PermissionDenied,
    Unavailable,
)

MAX_ANSWER_BYTES = 1024 * 1024
_FORWARDED: Mapping[str, type[CairnError]] = {
    each.code: each for each in (NotFound, PayloadTooLarge, PermissionDenied, Unavailable)
}


def request(tool: str, arguments: Mapping[str, object], request_id: str) -> bytes:
    """Return the request to run a tool."""
    asked = {"tool": tool, "arguments": arguments, "request_id": request_id}
    return json.dumps(asked, ensure_ascii=False, separators=(",", ":")).encode()


def answer(data: bytes) -> Mapping[str, object]:
    """Return the result in the sandbox's answer, or raise the error in it; InternalError where it is neither."""
    if len(data) > MAX_ANSWER_BYTES:
        raise InternalError("The sandbox's answer is too large")
    try:
        found: object = json.loads(data)
    except (ValueError, RecursionError):
        raise InternalError("The sandbox's answer is not JSON") from None
    said = _object(found)
    if "result" in said:
        return _object(said["result"])
    raise _error(_object(said.get("error")))


def _error(said: Mapping[str, Any]) -> CairnError:
    code, message, details = said.get("code"), said.get("message"), _object(said.get("details"))
    if not isinstance(code, str) or not isinstance(message, str):
        return InternalError("The sandbox's answer makes no sense")
    fields = _object(details.get("fields", {}))
    if code == InvalidArgument.code and fields:
        first, *more = ((field, str(problem)) for field, problem in fields.items())
        return InvalidArgument(*first, *more)
    kind = _FORWARDED.get(code)
    return InternalError("Something failed in the sandbox", details) if kind is None else kind(message, details)


def _object(value: object) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise InternalError("The sandbox's answer makes no sense")
    return cast("dict[str, Any]", value)
