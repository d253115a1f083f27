"""A loopback proxy that adds an API key, for the conformance suite, which can send none."""

from __future__ import annotations

import sys
import threading
from collections.abc import Generator
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from typing_extensions import override

_TIMEOUT_SECONDS = 30
_HOP_BY_HOP = {"connection", "keep-alive", "transfer-encoding", "content-length", "date", "server"}


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
