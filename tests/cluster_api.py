"""A cluster's API on the loopback interface, which answers as a test says."""

from __future__ import annotations

import json
import ssl
from collections.abc import Callable
from contextlib import suppress
from http.server import BaseHTTPRequestHandler
from typing import Protocol, cast

from loopback import LoopbackServer


class Exchange(BaseHTTPRequestHandler):
    """One request, which the test answers."""

    @property
    def api(self) -> Api:
        return cast("Api", self.server)

    def do_GET(self) -> None:
        self.api.asked.append((self.path, self.headers["Authorization"]))
        with suppress(OSError):
            self.api.answer(self)

    def say(self, body: object, status: int = 200, **headers: str) -> None:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        lines = [f"HTTP/1.1 {status} Word", f"Content-Length: {len(data)}"]
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
        self.wfile.write("\r\n".join([*lines, "", ""]).encode() + data)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name in the class above
        """Say nothing."""


Answer = Callable[[Exchange], object]


class Api(LoopbackServer[tuple[str, str]]):
    """A server of one test."""

    def __init__(self, answer: Answer, tls: ssl.SSLContext | None) -> None:
        super().__init__(Exchange, tls)
        self.answer = answer


class Serve(Protocol):
    """Starts an API with an answer, and with TLS if a context is given."""

    def __call__(self, answer: Answer, tls: ssl.SSLContext | None = None) -> Api: ...


def says(body: object, status: int = 200, **headers: str) -> Answer:
    return lambda exchange: exchange.say(body, status, **headers)
