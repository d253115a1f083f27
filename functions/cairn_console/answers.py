"""Answers to a browser: each with the headers that keep other pages, frames and scripts out of it."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from cairn.edge.events import check_size

_POLICY: Final = "; ".join(
    (
        "default-src 'none'",
        *("script-src 'self'", "style-src 'self'", "img-src 'self'", "connect-src 'self'"),
        *("form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'"),
    )
)
HEADERS: Final[Mapping[str, str]] = {
    "content-security-policy": _POLICY,
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=()",
    "referrer-policy": "same-origin",
    "strict-transport-security": "max-age=31536000",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "cache-control": "no-store",
}
HTML: Final = "text/html; charset=utf-8"


def answered(
    status: int, content_type: str, body: str | bytes, *, cookies: Sequence[str] = (), **headers: str
) -> dict[str, Any]:
    """Return a response of payload 2.0; bytes are encoded for the gateway. PayloadTooLarge where Lambda refuses it."""
    is_text = isinstance(body, str)
    text = body if is_text else base64.b64encode(body).decode("ascii")
    check_size(text)
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return {
        "statusCode": status,
        "headers": {**HEADERS, "content-type": content_type, **named},
        **({"cookies": list(cookies)} if cookies else {}),
        "body": text,
        "isBase64Encoded": not is_text,
    }


def json_answered(status: int, value: object) -> dict[str, Any]:
    """Return a JSON response."""
    return answered(status, "application/json", json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def sent_on(to: str, *cookies: str) -> dict[str, Any]:
    """Return a response that has the browser go on to a path of this host, or to an issuer's page."""
    return answered(303, HTML, "", cookies=cookies, location=to)
