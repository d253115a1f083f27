"""Between API Gateway's events (payload 2.0 and 1.0) and plain requests, and what is JSON and what is not."""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn, cast
from urllib.parse import parse_qsl

from cairn.ground.errors import InvalidArgument, PayloadTooLarge
from cairn.ground.settings import Limits

MAX_RESPONSE_BYTES = 6_000_000
"""Lambda takes 6,291,556 as it writes them, headers included."""
_MOST_PER_CHARACTER = 12
_MOST_PARAMETERS = 32
_TEXTS = re.compile(rb'"(?:[^"\\]|\\.)*+"', re.DOTALL)


@dataclass(frozen=True, slots=True)
class Request:
    """An HTTP request; header names are lower case.

    The gateway vouches for what it put beside it: `host`, the domain name it answers under, `caller_context`, the
    authorizer's, and `request_id`. It has decoded `path_parameters`, by their names in the route.
    """

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes
    host: str
    caller_context: Mapping[str, Any] | None
    request_id: str
    query: Sequence[tuple[str, str]] = ()
    path_parameters: Mapping[str, str] = field(default_factory=dict[str, str])


def read(event: Mapping[str, Any]) -> Request:
    """Return the request in an event of payload 2.0 or 1.0, InvalidArgument where it is neither."""
    context = _mapping(event.get("requestContext"))
    http = _mapping(context.get("http"))
    authorizer = context.get("authorizer")
    if http:
        authorizer = _mapping(authorizer).get("lambda")
    method, path = http.get("method", event.get("httpMethod")), event.get("rawPath", event.get("path"))
    if not isinstance(method, str) or not isinstance(path, str):
        raise InvalidArgument("event", "is no API Gateway event of payload 2.0 or 1.0")
    return Request(
        method=method.upper(),
        path=path,
        headers={name.lower(): str(value) for name, value in _mapping(event.get("headers")).items()},
        body=_body(event),
        host=str(context.get("domainName") or "").lower(),
        caller_context=_mapping(authorizer) or None,
        request_id=str(context.get("requestId") or ""),
        query=_query(event),
        path_parameters={name: str(value) for name, value in _mapping(event.get("pathParameters")).items()},
    )


def parse_json(body: bytes, limits: Limits) -> object:
    """Return the JSON value in a body.

    PayloadTooLarge over `limits.request_bytes` or `limits.json_values`; InvalidArgument for what is not UTF-8 or not
    JSON (truncated, NaN, Infinity, a name twice in one object, nested beyond what the parser can follow). What a value
    may hold is the tool's business: `cairn.edge.validation`.
    """
    if len(body) > limits.request_bytes:
        raise PayloadTooLarge(
            f"The body is over {limits.request_bytes} bytes",
            {"field": "body", "limit": limits.request_bytes, "actual": len(body)},
        )
    _check_values(body, limits.json_values)
    try:
        return json.loads(body.decode("utf-8"), object_pairs_hook=_object, parse_constant=_no_number)
    except UnicodeDecodeError:
        raise InvalidArgument("body", "is not UTF-8") from None
    except json.JSONDecodeError as error:
        raise InvalidArgument("body", f"is not JSON (line {error.lineno}, column {error.colno})") from None
    except ValueError:
        raise InvalidArgument("body", "holds a number of too many digits") from None
    except RecursionError:
        raise InvalidArgument("body", f"nests deeper than {limits.json_depth}") from None


def respond(status: int, body: object | None, headers: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Return the response that both payload versions take; a body is JSON. PayloadTooLarge where Lambda refuses it."""
    if body is None:
        return {"statusCode": status, "headers": dict(headers or {}), "body": ""}
    text = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
    check_size(text)
    return {"statusCode": status, "headers": {"content-type": "application/json", **(headers or {})}, "body": text}


def check_size(body: str) -> None:
    """Refuse a body that Lambda, which wraps it in JSON once more and may escape all but ASCII, cannot hand on."""
    if len(body) * _MOST_PER_CHARACTER <= MAX_RESPONSE_BYTES:
        return
    size = len(json.dumps(body))
    if size > MAX_RESPONSE_BYTES:
        raise PayloadTooLarge(
            f"The answer is over {MAX_RESPONSE_BYTES} bytes; ask for less at once",
            {"field": "response", "limit": MAX_RESPONSE_BYTES, "actual": size},
        )


def _query(event: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the query's names and values, decoded; InvalidArgument for a query that is none or too long."""
    raw = event.get("rawQueryString")
    if not isinstance(raw, str):  # payload 1.0 has them decoded
        several = _mapping(event.get("multiValueQueryStringParameters"))
        return [(name, str(each)) for name, values in several.items() for each in values]
    try:
        return parse_qsl(raw, keep_blank_values=True, errors="strict", max_num_fields=_MOST_PARAMETERS)
    except ValueError:  # UnicodeDecodeError is one
        problem = f"is not UTF-8, or of more than {_MOST_PARAMETERS} parameters"
        raise InvalidArgument("query", problem) from None


def _mapping(value: object) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}


def _body(event: Mapping[str, Any]) -> bytes:
    body = event.get("body") or ""
    if not isinstance(body, str):
        raise InvalidArgument("event", "has a body that is no text")
    try:
        return base64.b64decode(body, validate=True) if event.get("isBase64Encoded") else body.encode("utf-8")
    except (binascii.Error, UnicodeEncodeError, ValueError):
        raise InvalidArgument(
            "body", "is not valid base64" if event.get("isBase64Encoded") else "is not UTF-8"
        ) from None


def _check_values(body: bytes, limit: int) -> None:
    """Refuse a body of too many values before it is parsed: that would keep all other calls waiting."""
    # Each value but the first follows a comma or an opening bracket; those inside of texts open nothing.
    if _separators(body) >= limit and _separators(_TEXTS.sub(b"", body)) >= limit:
        raise PayloadTooLarge(f"The body holds over {limit} JSON values", {"field": "body", "limit": limit})


def _separators(body: bytes) -> int:
    return sum(map(body.count, (b",", b"[", b"{")))


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise InvalidArgument("body", "names a field twice in one object")
    return found


def _no_number(_constant: str) -> NoReturn:
    raise InvalidArgument("body", "holds NaN or Infinity, which are not JSON")
