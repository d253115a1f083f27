"""From an error to what a caller sees: one envelope and one table of HTTP statuses for every door."""

from __future__ import annotations

from typing import Any

from cairn.ground.errors import CairnError, Unauthenticated

HTTP_STATUS = {
    "INVALID_ARGUMENT": 400,
    "UNAUTHENTICATED": 401,
    "PERMISSION_DENIED": 403,
    "NOT_FOUND": 404,
    "DISABLED": 404,
    "CONFLICT": 409,
    "RESOURCE_BUSY": 409,
    "PAYLOAD_TOO_LARGE": 413,
    "PII_DETECTED": 422,
    "SECRET_DETECTED": 422,
    "QUOTA_EXCEEDED": 429,
    "RATE_LIMITED": 429,
    "INTERNAL_ERROR": 500,
    "UNAVAILABLE": 503,
}


def envelope(error: CairnError) -> dict[str, Any]:
    """Return the error as every door shows it: type, and code, message, details, retryable."""
    shown = {"code": error.code, "message": error.message, "details": error.details, "retryable": error.retryable}
    return {"type": "error", "error": shown}


def http_status(error: CairnError) -> int:
    """Return the HTTP status of an error's code."""
    return HTTP_STATUS[error.code]


def headers(error: CairnError) -> dict[str, str]:
    """Return the headers an error adds.

    WWW-Authenticate where credentials are asked for, Retry-After in whole seconds where details.retry_after_ms is set.
    """
    if isinstance(error, Unauthenticated):
        return {"www-authenticate": error.challenge}
    delay = error.details.get("retry_after_ms")
    return {"retry-after": str(-(-delay // 1000))} if isinstance(delay, int) else {}
