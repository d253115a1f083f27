"""AWS's own client without a network: what it would send goes through the authorizer to the door, as the gateway does.

Nothing of boto3 is changed but where its last step sends the request, and the clock that it signs by.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, cast
from unittest.mock import patch
from urllib.parse import unquote, urlsplit

import boto3
from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from botocore.config import Config

from cairn.access.api_keys import IssuedKey, parse
from cairn_agentcore import door
from cairn_auth import authorizer
from support.doubles import FakeClock

MEMORY = "garden-0123456789"
ENDPOINT = "https://memory.example.com/agentcore"


@dataclass(frozen=True, slots=True)
class Sent:
    """A request on its way: as it was sent, percent-encoded."""

    method: str
    path: str
    query: str
    headers: Mapping[str, str]
    body: bytes

    @classmethod
    def of(cls, request: AWSPreparedRequest) -> Sent:
        parts = urlsplit(str(request.url))
        headers = {name.lower(): _text(value) for name, value in request.headers.items()}
        body = cast("bytes | str | None", request.body) or b""
        raw = body.encode() if isinstance(body, str) else body
        return cls(str(request.method), parts.path, parts.query, {"host": parts.netloc, **headers}, raw)

    def event(self, *, decodes: bool = True) -> dict[str, Any]:
        """Return the event of the gateway, which decodes the path unless told."""
        path = unquote(self.path) if decodes else self.path
        return {
            "version": "2.0",
            "rawPath": path,
            "rawQueryString": self.query,
            "headers": dict(self.headers),
            "requestContext": {"http": {"method": self.method, "path": path}, "requestId": "request-1"},
            "body": self.body.decode(),
            "isBase64Encoded": False,
        }


@dataclass
class Gateway:
    """Hands requests on, as they are or as a test changes them on the way; it keeps what it was sent and answered."""

    change: Callable[[Sent], Sent] = lambda sent: sent
    decodes: bool = True
    sent: list[Sent] = field(default_factory=list[Sent])
    answers: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])

    def answer(self, sent: Sent) -> dict[str, Any]:
        """Return the door's response to a request."""
        event = sent.event(decodes=self.decodes)
        asked = {name: value for name, value in event.items() if name not in {"body", "isBase64Encoded"}}
        context = authorizer.handler({**asked, "type": "REQUEST"}, None)["context"]
        event["requestContext"] = {**event["requestContext"], "authorizer": {"lambda": context}}
        response = door.handler(event, None)
        self.answers.append(response)
        return response

    def __call__(self, request: AWSPreparedRequest, **_: Any) -> AWSResponse:
        """Answer in the place of the network."""
        self.sent.append(Sent.of(request))
        response = self.answer(self.change(self.sent[-1]))
        raw: Any = _Raw(response["body"].encode())
        return AWSResponse(str(request.url), response["statusCode"], response["headers"], raw)


class _Raw(io.BytesIO):
    def stream(self, **_: Any) -> Iterator[bytes]:
        yield self.read()


def client(issued: IssuedKey, gateway: Gateway, **changed: Any) -> Any:
    """Return boto3's client of the data plane, or of another service, with a key's access key id and secret."""
    key = parse(issued.text)
    assert key is not None
    told: dict[str, Any] = {
        "service_name": "bedrock-agentcore",
        "endpoint_url": ENDPOINT,
        "region_name": "eu-central-1",
        "aws_access_key_id": key.access_key_id,
        "aws_secret_access_key": key.secret,
        "config": Config(retries={"max_attempts": 0}),
        **changed,
    }
    session: Any = boto3.Session()
    made = session.client(**told)
    made.meta.events.register("before-send", gateway)
    return made


@contextmanager
def signing_at(clock: FakeClock) -> Generator[None]:
    """Let botocore sign by a test's clock."""
    with patch("botocore.auth.get_current_datetime", lambda: clock.now().replace(tzinfo=None)):
        yield


def with_body(sent: Sent, change: Callable[[Any], Any]) -> Sent:
    """Return a request with another JSON body, signed as it was."""
    return replace(sent, body=json.dumps(change(json.loads(sent.body))).encode())


def with_header(sent: Sent, name: str, value: str) -> Sent:
    """Return a request with another header, signed as it was."""
    return replace(sent, headers={**sent.headers, name: value})


def _text(value: str | bytes) -> str:
    return value if isinstance(value, str) else value.decode()
