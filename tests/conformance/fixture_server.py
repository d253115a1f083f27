"""A loopback HTTP server that hands API Gateway events to a handler, for programs that speak MCP to call.

`fixture_server.py scenarios` serves the conformance suite's tools through the protocol core, `fixture_server.py door`
the real door with the services of the environment. It prints its port on the first line of stdout and serves until
stdin is closed, so that it cannot outlive whoever started it.
"""

from __future__ import annotations

import base64
import json
import sys
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, TypeAlias

from scenario_library import ScenarioLibrary
from typing_extensions import override

from cairn.edge import events
from cairn_mcp import door
from cairn_mcp.jsonrpc import PARSE_ERROR, RpcError
from cairn_mcp.protocol import answer
from cairn_mcp.server import Server

Handler: TypeAlias = Callable[[dict[str, Any], object], dict[str, Any]]

_SCENARIOS = Server("cairn-conformance", "Conformance fixture", "1.0.0", "Call the tools by name.")
_AUTHORIZED = {"lambda": {"tenant": "conformance", "scopes": "read write", "projects": "*"}}


def scenarios(event: dict[str, Any], context: object) -> dict[str, Any]:
    """Answer an event as the door does, with the suite's tools in place of the catalog."""
    del context
    request = events.read(event)
    reply = answer(_SCENARIOS, request.method, request.headers, (), lambda: (_parse(request.body), ScenarioLibrary()))
    return events.respond(reply.status, reply.body, reply.headers)


def _parse(body: bytes) -> object:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        raise RpcError(PARSE_ERROR, "The body is not JSON") from None


_HANDLERS: dict[str, Handler] = {"scenarios": scenarios, "door": door.handler}


class _Gateway(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    handler: Handler

    def _serve(self) -> None:
        length = int(self.headers.get("content-length", "0"))
        response = type(self).handler(self._event(self.rfile.read(length)), None)
        body = response["body"].encode()
        self.send_response(response["statusCode"])
        for name, value in response["headers"].items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST = do_DELETE = do_PUT = _serve  # noqa: N815 - the names are the standard library's

    def _event(self, body: bytes) -> dict[str, Any]:
        return {
            "version": "2.0",
            "rawPath": self.path,
            "headers": {name.lower(): value for name, value in self.headers.items()},
            "requestContext": {
                "authorizer": _AUTHORIZED,
                "http": {"method": self.command, "path": self.path},
                "requestId": "fixture",
            },
            "body": base64.b64encode(body).decode(),
            "isBase64Encoded": True,
        }

    @override
    def log_message(self, format: str, *args: object) -> None:
        """Say nothing: what the caller makes of the answers is what matters."""


class _Loopback(ThreadingHTTPServer):
    @override
    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of a client that hangs up."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)  # pyright: ignore[reportArgumentType] - the stub narrows what it passes on


def main(name: str) -> None:
    """Serve one of the handlers until stdin closes."""
    gateway = type("_NamedGateway", (_Gateway,), {"handler": staticmethod(_HANDLERS[name])})
    with _Loopback(("127.0.0.1", 0), gateway) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        print(server.server_port, flush=True)  # noqa: T201 - the caller reads the port from here
        sys.stdin.read()
        server.shutdown()


if __name__ == "__main__":
    main(sys.argv[1])
