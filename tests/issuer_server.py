"""An issuer on a real HTTP server, which answers as a test says."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event
from typing import cast

from issuers import Issuer

LIST_TOOLS = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
KEY_HOST, OAUTH_HOST = "http://127.0.0.1:8787", "http://127.0.0.1:8788"
RESOURCE = f"{OAUTH_HOST}/mcp"
Answer = Callable[["Exchange", bytes], None]


class Exchange(BaseHTTPRequestHandler):
    """One request to the issuer, answered as the test says."""

    def do_GET(self) -> None:
        server = cast("IssuerServer", self.server)
        url = f"{server.issuer.url}{self.path.removeprefix('/realm')}"
        server.issuer.asked.append(url)
        with suppress(OSError):
            server.answer(self, server.issuer.documents().get(url, b""))

    def send(self, body: bytes, status: int = 200, **headers: str) -> None:
        self.send_response(status)
        for name, value in {"content-length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name in the class above
        """Say nothing."""


class IssuerServer(ThreadingHTTPServer):
    """An issuer on the loopback interface."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Exchange)
        self.issuer = Issuer(f"http://127.0.0.1:{self.server_address[1]}/realm")
        self.answer: Answer = lambda exchange, body: exchange.send(body)
        self.ended = Event()


def elsewhere(exchange: Exchange, body: bytes) -> None:
    """Send whoever asks for the keys to the same keys at another origin."""
    server = cast("IssuerServer", exchange.server)
    if exchange.path.endswith("/keys"):
        exchange.send(b"", 302, location=f"http://localhost:{server.server_address[1]}/realm/moved")
    else:
        exchange.send(body)
