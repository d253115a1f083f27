"""Another program's pages on another port of this machine, as hostile as pages can be, and what browsers send there."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

from typing_extensions import override


@dataclass
class HostileSite:
    """Where it is, and the cookies that browsers showed it."""

    origin: str
    cookies: list[str] = field(default_factory=list[str])


@contextmanager
def hostile() -> Generator[HostileSite]:
    """Serve an empty page at every path."""

    class Page(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            site.cookies.append(self.headers.get("cookie", ""))
            self.send_response(200)
            self.send_header("content-type", "text/html")
            self.end_headers()
            self.wfile.write(b"<!doctype html><title>Hostile</title><main>A page of another program</main>")

        @override
        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Page) as server:
        site = HostileSite(f"http://127.0.0.1:{server.server_port}")
        thread = Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield site
        finally:
            server.shutdown()
            thread.join()
