"""Servers on the loopback interface that answer as a test says, with TLS if it wants."""

from __future__ import annotations

import ssl
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler
from ipaddress import ip_address
from pathlib import Path
from socketserver import ThreadingTCPServer
from threading import Event, Thread
from typing import Any, Generic, Protocol, TypeVar

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from starlette.applications import Starlette

Asked = TypeVar("Asked")


class LoopbackServer(ThreadingTCPServer, Generic[Asked]):
    """A server of one test; it keeps what it was asked, and `ended` is set when the test is over."""

    request_queue_size = 20

    def __init__(self, exchange: type[BaseHTTPRequestHandler], tls: ssl.SSLContext | None) -> None:
        super().__init__(("127.0.0.1", 0), exchange)
        self.asked: list[Asked] = []
        self.ended = Event()
        self.url = f"{'https' if tls else 'http'}://127.0.0.1:{self.server_address[1]}"
        if tls:
            self.socket = tls.wrap_socket(self.socket, server_side=True)


Server = TypeVar("Server", bound=LoopbackServer[Any])


class Run(Protocol):
    """Runs a server until the test is over."""

    def __call__(self, server: Server, /) -> Server: ...


@contextmanager
def serving() -> Generator[Run]:
    """Yield what runs a server on a thread; all of them end with the block."""
    running: list[tuple[LoopbackServer[Any], Thread]] = []

    def run(server: Server, /) -> Server:
        thread = Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        running.append((server, thread))
        return server

    yield run
    for server, thread in running:
        server.ended.set()
        server.shutdown()
        thread.join()
        server.server_close()


@asynccontextmanager
async def no_lifespan(_app: Starlette) -> AsyncGenerator[None]:
    """Start an application with nothing to begin or to end."""
    yield


def certified(path: Path) -> ssl.SSLContext:
    """Return a server's context whose self-signed certificate for 127.0.0.1 is written to the path."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.now(UTC)
    builder = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
    builder = builder.not_valid_before(now - timedelta(hours=1)).not_valid_after(now + timedelta(hours=1))
    alternative = x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))])
    certificate = builder.add_extension(alternative, critical=False).sign(key, hashes.SHA256())
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    path.write_bytes(private + certificate.public_bytes(serialization.Encoding.PEM))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(path)
    return context
