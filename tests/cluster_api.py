"""A cluster's API on the loopback interface, which answers as a test says."""

from __future__ import annotations

import json
import ssl
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler
from ipaddress import ip_address
from pathlib import Path
from socketserver import ThreadingTCPServer
from threading import Event
from typing import Protocol, cast

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


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


class Api(ThreadingTCPServer):
    """A server of one test."""

    def __init__(self, answer: Answer, tls: ssl.SSLContext | None) -> None:
        super().__init__(("127.0.0.1", 0), Exchange)
        self.answer = answer
        self.asked: list[tuple[str, str]] = []
        self.ended = Event()
        self.url = f"{'https' if tls else 'http'}://127.0.0.1:{self.server_address[1]}"
        if tls:
            self.socket = tls.wrap_socket(self.socket, server_side=True)


class Serve(Protocol):
    """Starts an API with an answer, and with TLS if a context is given."""

    def __call__(self, answer: Answer, tls: ssl.SSLContext | None = None) -> Api: ...


def says(body: object, status: int = 200, **headers: str) -> Answer:
    return lambda exchange: exchange.say(body, status, **headers)


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
