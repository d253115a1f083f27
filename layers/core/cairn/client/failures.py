"""From what a server answers to the error that this process would have raised itself."""

from __future__ import annotations

import json
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Final, cast

from cairn.ground import errors
from cairn.ground.errors import CairnError

_OF_CODE: Final[Mapping[str, type[CairnError]]] = {
    each.code: each
    for each in (
        errors.Unauthenticated,
        errors.PermissionDenied,
        errors.NotFound,
        errors.Conflict,
        errors.PayloadTooLarge,
        errors.SecretDetected,
        errors.QuotaExceeded,
        errors.PersonalDataDetected,
        errors.RateLimited,
        errors.ResourceBusy,
        errors.Disabled,
        errors.Unavailable,
        errors.InternalError,
    )
}
_OF_STATUS: Final[Mapping[int, type[CairnError]]] = {
    HTTPStatus.FORBIDDEN: errors.PermissionDenied,
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: errors.PayloadTooLarge,
    HTTPStatus.TOO_MANY_REQUESTS: errors.RateLimited,
}
"""What gateways and proxies mean that answer in a server's place."""


def raised(status: int, headers: Mapping[str, str], body: bytes) -> CairnError:
    """Return the error of an answer that is none: the server's own, or what its status means.

    `details.retry_after_ms` is also what a Retry-After header in seconds says.
    """
    error = _own(body) or _of_status(status)
    seconds = headers.get("retry-after", "").strip()
    if seconds.isascii() and seconds.isdecimal():
        error.details.setdefault("retry_after_ms", int(seconds) * 1000)
    return error


def _own(body: bytes) -> CairnError | None:
    """Return the error of Cairn's envelope, None where the body is something else."""
    try:
        read: Any = json.loads(body)
        told = cast("dict[str, Any]", read["error"])
        code, message, details = str(told["code"]), str(told["message"]), dict[str, Any](told["details"])
    except (ValueError, TypeError, KeyError):
        return None
    return _of_code(code, message, details)


def _of_code(code: str, message: str, details: dict[str, Any]) -> CairnError:
    kind = _kind(code, details)
    if kind is errors.InvalidArgument:
        first, *more = cast("dict[str, str]", details.get("fields") or {"arguments": message}).items()
        invalid = errors.InvalidArgument(*first, *more)
        return _in_words(invalid, message, details) if details.get(errors.VERBATIM) else invalid
    if kind is errors.NewerStore:
        return errors.NewerStore(details["format"], details["known"])
    return _in_words(kind(message), message, details)


def _in_words(error: CairnError, message: str, details: dict[str, Any]) -> CairnError:
    """Return the error with the server's own message; some make a longer one of what they are given."""
    error.message, error.args = message, (message,)
    error.details = details
    return error


def _kind(code: str, details: Mapping[str, Any]) -> type[CairnError]:
    if code == errors.InvalidArgument.code:
        return errors.InvalidArgument
    kind, reason = _OF_CODE.get(code, errors.InternalError), details.get("reason")
    if kind is errors.Unavailable and reason is not None:
        return errors.NewerStore if reason == "NewerFormat" else errors.KeyUnusable
    if kind is errors.InternalError and reason == "damaged":
        return errors.CorruptData
    return kind


def _of_status(status: int) -> CairnError:
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return errors.Unavailable(f"The server answered {status}; the call may have been done all the same")
    if status == HTTPStatus.UNAUTHORIZED:
        return errors.Unauthenticated("The server does not accept this key")
    return _OF_STATUS.get(status, errors.NotFound)(f"What answered {status} is no Cairn; check the URL")
