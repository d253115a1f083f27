"""What tests of models have: the models that set-up built, and endpoints of a language model on the loopback interface.

Endpoints keep what they are sent and answer as a test says.
"""

from __future__ import annotations

import json
import shutil
import ssl
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any, cast

import pytest

from cairn.models.embedders import BUILT
from cairn.models.lazy_model import MODEL, READER
from support.loopback import LoopbackServer, serving

PATIENCE_SECONDS = 8.0
"""How long an endpoint keeps a caller waiting at most: far longer than any deadline of these tests."""


class Exchange(BaseHTTPRequestHandler):
    """One request, which the test answers."""

    @property
    def endpoint(self) -> Endpoint:
        return cast("Endpoint", self.server)

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.endpoint.asked.append((self.path, dict(self.headers), json.loads(body)))
        with suppress(OSError):
            self.endpoint.answer(self)

    def send(self, data: bytes) -> None:
        self.wfile.write(data)

    def trickle(self, data: bytes) -> None:
        """Send this now and then."""
        given_up = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < given_up and not self.endpoint.ended.wait(0.02):
            self.send(data)

    def hesitate(self, seconds: float = PATIENCE_SECONDS) -> None:
        self.endpoint.ended.wait(seconds)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name in the class above
        """Say nothing."""


class Endpoint(LoopbackServer[tuple[str, dict[str, str], dict[str, Any]]]):
    """A server of one test."""

    def __init__(self, answer: Callable[[Exchange], object], tls: ssl.SSLContext | None) -> None:
        super().__init__(Exchange, tls)
        self.answer = answer


@pytest.fixture
def serve() -> Iterator[Callable[..., Endpoint]]:
    """Return a function that starts an endpoint with an answer, and with TLS if a context is given."""
    with serving() as run:

        def start(answer: Callable[[Exchange], object], tls: ssl.SSLContext | None = None) -> Endpoint:
            return run(Endpoint(answer, tls))

        yield start


@pytest.fixture
def says() -> Callable[..., Callable[[Exchange], None]]:
    """Return a function that makes an answer of a body, further headers, a status and the length it claims to have."""

    def make(body: bytes, *head: str, status: str = "200 OK", length: int | None = None) -> Callable[[Exchange], None]:
        lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body) if length is None else length}", *head, "", ""]
        return lambda exchange: exchange.send("\r\n".join(lines).encode() + body)

    return make


@pytest.fixture
def good() -> bytes:
    """Return the body of an answer that proposes one fact, of the cat Tom."""
    upsert = {"fact_id": "pet", "key": "cat", "value": "Tom", "tier": "L0", "confidence": 1, "quote": "my cat Tom"}
    arguments = json.dumps({"upserts": [upsert], "deletes": []})
    call = {"type": "function_call", "call_id": "c", "name": "record_facts", "arguments": arguments}
    return json.dumps({"status": "completed", "output": [call]}).encode()


@pytest.fixture(scope="session")
def directory() -> Path:
    """Return where set-up built the models."""
    if not all((BUILT / name).is_file() for name in (MODEL, READER)):
        pytest.fail("set-up could not build the models: run make test again, with a package index in reach")
    return BUILT


@pytest.fixture
def copied(directory: Path, tmp_path: Path) -> Path:
    """Return a copy of the models to damage."""
    return Path(shutil.copytree(directory, tmp_path / "model"))
