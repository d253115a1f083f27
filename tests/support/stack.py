"""The deployed stack as a test holds it, and a proxy that adds an API key."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, cast
from urllib.parse import urlsplit

import boto3
from typing_extensions import override

from cairn.ground.ids import Project, SessionId, Tenant
from cairn.ground.session import Session
from cairn.local.emulator.deployment import Deployment
from cairn.local.emulator.emulator import emulated
from cairn.sessions.layout import session_pk

AWS = cast("Any", boto3)  # its stubs know three services
_TIMEOUT_SECONDS = 30
_HOP_BY_HOP = {"connection", "keep-alive", "transfer-encoding", "content-length", "date", "server"}


@dataclass(slots=True)
class Stack:
    """The deployed stack; the emulator under it can be ended and started again."""

    deployment: Deployment
    port: int
    outputs: dict[str, str] = field(default_factory=dict[str, str])
    _running: ExitStack = field(default_factory=ExitStack)

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def host(self) -> str:
        """Return what the API is called: no resolver knows the name, so it goes into the Host header."""
        return urlsplit(self.outputs["ApiUrl"]).netloc

    def start(self) -> None:
        self._running.enter_context(emulated(self.deployment.emulator, self.deployment.home, self.port, iam=True))

    def stop(self) -> None:
        self._running.close()


@dataclass(frozen=True, slots=True)
class Items:
    """The items of acme's sessions in the deployed table, seen and changed as by the account's owner."""

    table: str

    def has(self, turn: Mapping[str, Any], sk: str) -> bool:
        found = AWS.client("dynamodb").get_item(TableName=self.table, Key=_key(turn, sk), ConsistentRead=True)
        return "Item" in found

    def change(self, turn: Mapping[str, Any], sk: str, name: str, value: dict[str, str]) -> None:
        """Change an attribute that the item has."""
        AWS.client("dynamodb").update_item(
            TableName=self.table,
            Key=_key(turn, sk),
            UpdateExpression="SET #n = :v",
            ConditionExpression="attribute_exists(#n)",
            ExpressionAttributeNames={"#n": name},
            ExpressionAttributeValues={":v": value},
        )


def eventually(condition: Callable[[], bool], seconds: float) -> None:
    """Wait until a condition holds, AssertionError where it does not in time."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"not within {seconds} s"
        time.sleep(0.5)


def _key(turn: Mapping[str, Any], sk: str) -> dict[str, Any]:
    session = Session(Tenant("acme"), Project(turn["project"]), SessionId(turn["session_id"]))
    return {"pk": {"S": session_pk(session)}, "sk": {"S": sk}}


def as_if_over_tls(request: Any, **_: object) -> None:
    """Say what a proxy with TLS in front of the emulator would say: a queue's policy holds for its owner too."""
    request.headers["X-Forwarded-Proto"] = "https"


@contextmanager
def key_added(endpoint: str, host: str, key: str) -> Generator[str]:
    """Yield an address that passes every request on to the host behind the endpoint, as the holder of the key.

    The host is the API's, whatever the caller named: API Gateway finds an API by it, so that none other reaches it.
    """

    class Proxy(_Proxy):
        upstream = endpoint.removeprefix("http://")
        added = {"host": host, "authorization": f"Bearer {key}"}  # noqa: RUF012 - read only

    with _Loopback(("127.0.0.1", 0), Proxy) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


class _Proxy(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    upstream: str
    added: dict[str, str]

    def _pass_on(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", "0")))
        headers = {name.lower(): value for name, value in self.headers.items()} | self.added
        with closing(HTTPConnection(self.upstream, timeout=_TIMEOUT_SECONDS)) as connection:
            connection.request(self.command, self.path, body, headers)
            response = connection.getresponse()
            answer = response.read()
        self.send_response(response.status)
        for name, value in response.getheaders():
            if name.lower() not in _HOP_BY_HOP:
                self.send_header(name, value)
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    do_GET = do_POST = do_DELETE = do_PUT = do_OPTIONS = _pass_on  # noqa: N815 - the names are the standard library's

    @override
    def log_message(self, format: str, *args: object) -> None:
        """Say nothing: what the caller makes of the answers is what matters."""


class _Loopback(ThreadingHTTPServer):
    @override
    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of a client that hangs up, as the suite does when it has read enough."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)  # pyright: ignore[reportArgumentType] - the stub narrows what it passes on
