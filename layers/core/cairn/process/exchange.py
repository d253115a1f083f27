"""Send one request to another server and read its answer within one deadline."""

from __future__ import annotations

import ssl
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from socket import SHUT_RDWR
from urllib.parse import urlsplit

from cairn.ground.errors import NoAnswer


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A request to a URL that was validated before."""

    method: str
    url: str
    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    body: bytes | None = field(default=None, repr=False)


class Exchanges:
    """Sends requests; TLS is verified, redirects are failures, nothing is sent twice.

    Each runs on a thread of its own: a socket's timeout bounds each read, not a name look-up or a body that trickles.
    """

    def __init__(self, at_once: int, name: str) -> None:
        """Allow this many at once, on threads of this name."""
        self._executor = ThreadPoolExecutor(at_once, thread_name_prefix=name)

    def send(self, outgoing: Outgoing, seconds: float, most_bytes: int) -> bytes:
        """Return the body of the answer if that is 200, in time and of no more bytes; NoAnswer otherwise."""
        connection = self._connection(outgoing.url, seconds)
        deadline = time.monotonic() + seconds
        call = self._executor.submit(_exchange, connection, deadline, outgoing, most_bytes)
        try:
            return call.result(seconds)
        except (OSError, HTTPException, UnicodeError) as error:
            raise NoAnswer(f"no answer: {type(error).__name__}") from None
        finally:
            call.cancel()
            _hang_up(connection)

    def _connection(self, url: str, seconds: float) -> HTTPConnection:
        parts = urlsplit(url)
        host = parts.hostname or ""
        if parts.scheme == "https":
            return HTTPSConnection(host, parts.port or 443, timeout=seconds, context=self._tls)
        return HTTPConnection(host, parts.port or 80, timeout=seconds)

    @cached_property
    def _tls(self) -> ssl.SSLContext:
        return ssl.create_default_context()


def _exchange(connection: HTTPConnection, deadline: float, outgoing: Outgoing, most_bytes: int) -> bytes:
    parts = urlsplit(outgoing.url)
    target = f"{parts.path or '/'}?{parts.query}" if parts.query else parts.path or "/"
    try:
        connection.connect()
        if time.monotonic() >= deadline:
            raise TimeoutError
        connection.request(outgoing.method, target, outgoing.body, dict(outgoing.headers))
        with connection.getresponse() as response:
            if response.status != HTTPStatus.OK:
                raise NoAnswer(f"status {response.status}", response.status)
            answer = response.read(most_bytes + 1)
    finally:
        connection.close()
    if len(answer) > most_bytes:
        raise NoAnswer("the answer is too large")
    return answer


def _hang_up(connection: HTTPConnection) -> None:
    """Wake a thread that still waits for the other side."""
    if (sock := connection.sock) is not None:
        with suppress(OSError):
            sock.shutdown(SHUT_RDWR)
