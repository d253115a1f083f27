"""A local stand-in for API Gateway: HTTP in, payload 2.0 events to the Lambda handlers, HTTP out.

It asks the same authorizer as the deployed gateway, puts its word into the event's context, and lets no credential
reach a handler.
"""

from __future__ import annotations

import base64
import logging
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from anyio import CapacityLimiter, to_thread
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from cairn.edge import problems
from cairn.edge.callers import NAME_HEADERS
from cairn.ground.errors import CairnError, InternalError, InvalidArgument, NotFound, PayloadTooLarge
from cairn.local.server.address import LOOPBACK_HOST
from cairn.local.server.doors import Handler, ToolRoute
from cairn.tool.call import is_memory_action, missing_action

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
"""Of Prometheus' text format."""
_THREADS = 8
_PATIENCE = 8
"""A body over the limit is read and dropped up to this many times the limit, so that its sender sees the answer."""
_CREDENTIALS = frozenset({"authorization", "x-api-key", "cookie", "proxy-authorization"})
_SESSION_HEADER = "mcp-session-id"
_CORS_HEADERS = (
    "authorization",
    "x-api-key",
    "content-type",
    "mcp-protocol-version",
    "mcp-method",
    "mcp-name",
    _SESSION_HEADER,
    *NAME_HEADERS.values(),
)
_log = logging.getLogger(__name__)
_Judge: TypeAlias = Callable[[dict[str, Any]], dict[str, Any]]
"""What an event becomes before its body is read."""


@dataclass(frozen=True, slots=True)
class Bridge:
    """The handlers behind the routes, the authorizer before the door and the tools, and the largest body in bytes.

    `routes` are those of tools that are asked with path and query. Pages of the allowed origins may read what is
    answered, and those whose origins match the regular expression `own_origins`, of servers of this machine. `metrics`
    writes what /metrics tells.
    """

    door: Handler
    tools: Mapping[str, Handler]
    probe: Handler
    metadata: Handler
    authorizer: Handler
    body_limit: int
    allowed_origins: tuple[str, ...] = ()
    own_origins: str | None = None
    metrics: Callable[[], bytes] = bytes
    routes: Sequence[ToolRoute] = ()
    mcp_paths: Sequence[str] = ("/mcp",)
    console: Handler | None = None
    below: Mapping[str, Handler] = field(default_factory=dict[str, Handler])
    """The doors that answer whatever is asked below a path, by that path: those of other products' clients."""

    async def mcp(self, request: Request) -> Response:
        """Answer at /mcp and its profiles, whatever the method: the door itself refuses what is no POST."""
        return await self._logged(request.url.path, self.door, request)

    async def tool(self, request: Request) -> Response:
        """Answer at /v1/tools/{name}."""
        name: str = request.path_params["name"]
        if name not in self.tools:
            return _problem(missing_action(name) if is_memory_action(name) else NotFound("There is no such tool"))
        return await self._logged(f"/v1/tools/{name}", self.tools[name], request)

    def routed(self, route: ToolRoute) -> Route:
        """Return the route at which a tool is asked with path and query."""

        async def answer(request: Request) -> Response:
            return await self._logged(route.path, self.tools[route.tool], request)

        return Route(route.path, answer, methods=[route.method])

    async def public(self, request: Request) -> Response:
        """Answer at /healthz, /openapi.json and /v1/runtime-config, for which no key is asked."""
        return await _open(self.probe, request)

    async def metrics_text(self, _request: Request) -> Response:
        """Answer at /metrics, for which no key is asked: names and numbers, never content."""
        return Response(self.metrics(), headers={"content-type": CONTENT_TYPE})

    def pages(self) -> list[Route]:
        """Return the routes of the console: a browser shows a cookie there, which no other handler gets to see."""
        console = self.console
        if console is None:
            return []

        async def answer(request: Request) -> Response:
            return await self._logged("/console", console, request, judge=_with_cookies)

        return [Route(path, answer, methods=["GET", "POST"]) for path in ("/", "/console", "/console/{page:path}")]

    def doors_below(self) -> list[Route]:
        """Return the routes of the doors that answer whatever is asked below a path."""
        return [self._below(path, handler) for path, handler in self.below.items()]

    def _below(self, path: str, handler: Handler) -> Route:
        async def answer(request: Request) -> Response:
            return await self._logged(path, handler, request)

        return Route(f"{path}/{{call:path}}", answer, methods=["GET", "POST", "PUT", "PATCH", "DELETE"])

    async def protected_resource(self, request: Request) -> Response:
        """Answer where clients of the OAuth port ask for its metadata; the handler itself refuses the other port's."""
        return await _open(self.metadata, request)

    async def _logged(self, route: str, handler: Handler, request: Request, judge: _Judge | None = None) -> Response:
        started = time.perf_counter()
        request_id = secrets.token_hex(8)
        response = await self._answer(handler, request, request_id, judge or self._judged)
        milliseconds = (time.perf_counter() - started) * 1000
        _log.info("%s %s %d %.1f ms %s", request.method, route, response.status_code, milliseconds, request_id)
        return response

    def _judged(self, asked: dict[str, Any]) -> dict[str, Any]:
        """Return the event with what the authorizer says of it, and without credentials."""
        return _without_credentials(asked, self.authorizer(asked, None)["context"])

    async def _answer(self, handler: Handler, request: Request, request_id: str, judge: _Judge) -> Response:
        try:
            asked = _event(request, request_id)
            judged = await to_thread.run_sync(judge, asked, limiter=_limiter(request))
            event = _with_body(judged, await _read_body(request, self.body_limit))
            return _response(await to_thread.run_sync(handler, event, None, limiter=_limiter(request)))
        except ClientDisconnect:
            return _problem(InvalidArgument("body", "ended early"))
        except CairnError as error:
            return _problem(error)
        except Exception as error:  # noqa: BLE001 - a gateway answers, whatever a handler does
            _log.error("%s failed in its handler: %s", request_id, type(error).__name__)
            return _problem(InternalError("The call failed", {"request_id": request_id}))


def application(
    bridge: Bridge,
    lifespan: Callable[[Starlette], AbstractAsyncContextManager[None]],
    allowed_hosts: Sequence[str] = (LOOPBACK_HOST, "localhost"),
) -> Starlette:
    """Return the ASGI application with the routes of the deployed gateway.

    Only requests to the allowed hosts are served, so that no web page can point a name of its own at this machine.
    """
    app = Starlette(
        routes=[
            *(Route(path, bridge.mcp, methods=["POST", "GET", "DELETE"]) for path in bridge.mcp_paths),
            Route("/v1/tools/{name}", bridge.tool, methods=["POST"]),
            *map(bridge.routed, bridge.routes),
            Route("/healthz", bridge.public, methods=["GET"]),
            Route("/openapi.json", bridge.public, methods=["GET"]),
            Route("/v1/runtime-config", bridge.public, methods=["GET"]),
            *bridge.pages(),
            *bridge.doors_below(),
            Route("/metrics", bridge.metrics_text, methods=["GET"]),
            Route("/.well-known/oauth-protected-resource", bridge.protected_resource, methods=["GET"]),
            Route("/.well-known/oauth-protected-resource/mcp", bridge.protected_resource, methods=["GET"]),
        ],
        middleware=[
            Middleware(TrustedHostMiddleware, allowed_hosts=allowed_hosts, www_redirect=False),
            Middleware(
                CORSMiddleware,
                allow_origins=bridge.allowed_origins,
                allow_origin_regex=bridge.own_origins,
                allow_methods=["GET", "POST", "DELETE"],
                allow_headers=_CORS_HEADERS,
                expose_headers=[_SESSION_HEADER],
            ),
        ],
        exception_handlers={HTTPException: _nowhere},
        lifespan=lifespan,
    )
    app.state.limiter = CapacityLimiter(_THREADS)
    return app


async def _open(handler: Handler, request: Request) -> Response:
    event = _with_body(_without_credentials(_event(request, secrets.token_hex(8)), {}), b"")
    return _response(await to_thread.run_sync(handler, event, None, limiter=_limiter(request)))


def _limiter(request: Request) -> CapacityLimiter:
    return request.app.state.limiter


async def _nowhere(_request: Request, _error: Exception) -> Response:
    return _problem(
        NotFound(
            "There is nothing here: POST /mcp or /v1/tools/{name}; GET /openapi.json says what else there is; "
            "/ is for people"
        )
    )


async def _read_body(request: Request, limit: int) -> bytes:
    """Return the body; PayloadTooLarge over `limit`, of which nothing is kept."""
    kept = bytearray()
    size = _announced(request)
    if size <= limit * _PATIENCE:
        size = 0
        async for chunk in request.stream():
            size += len(chunk)
            if size <= limit:
                kept += chunk
            elif size <= limit * _PATIENCE:
                kept.clear()
            else:
                break
    if size > limit:
        raise PayloadTooLarge(f"The body is over {limit} bytes", {"field": "body", "limit": limit})
    return bytes(kept)


def _address(request: Request) -> str:
    """Return the host and port that were called: the socket's own, whatever the Host header says."""
    host, port = request.scope["server"]
    return f"{host}:{port}"


def _announced(request: Request) -> int:
    length = request.headers.get("content-length", "")
    return int(length) if length.isascii() and length.isdecimal() else 0


def _event(request: Request, request_id: str) -> dict[str, Any]:
    """Return the event that API Gateway would send to a Lambda authorizer: payload 2.0, without the body."""
    return {
        "version": "2.0",
        "type": "REQUEST",
        "routeKey": "$default",
        "rawPath": request.scope["path"],  # decoded, as the gateway's: a URL of it would end at a decoded # or ?
        "rawQueryString": request.url.query,
        "headers": _headers(request),
        "pathParameters": dict(request.path_params),
        "requestContext": {
            "accountId": "local",
            "apiId": "local",
            "domainName": _address(request),
            "http": {
                "method": request.method,
                "path": request.url.path,
                "protocol": "HTTP/1.1",
                "sourceIp": LOOPBACK_HOST,
            },
            "requestId": request_id,
            "stage": "$default",
        },
    }


def _headers(request: Request) -> dict[str, str]:
    """Return the headers by their names, those of one name joined, as API Gateway joins them."""
    found: dict[str, str] = {}
    for name, value in request.headers.items():
        found[name] = f"{found[name]},{value}" if name in found else value
    return found


def _without_credentials(asked: Mapping[str, Any], judged: Mapping[str, Any]) -> dict[str, Any]:
    """Return the event that API Gateway would send to a handler behind the authorizer, but without credentials."""
    headers: dict[str, str] = asked["headers"]
    return {
        **{name: value for name, value in asked.items() if name != "type"},
        "headers": {name: value for name, value in headers.items() if name not in _CREDENTIALS},
        "requestContext": {**asked["requestContext"], "authorizer": {"lambda": judged}},
    }


def _with_cookies(asked: dict[str, Any]) -> dict[str, Any]:
    """Return the event that API Gateway would send to a handler that it asks no authorizer for: cookies stand apart."""
    cookies: str = asked["headers"].get("cookie", "")
    return {**_without_credentials(asked, {}), "cookies": [each.strip() for each in cookies.split(";") if each.strip()]}


def _with_body(event: Mapping[str, Any], body: bytes) -> dict[str, Any]:
    text, encoded = _text(body)
    return {**event, "body": text, "isBase64Encoded": encoded}


def _text(body: bytes) -> tuple[str, bool]:
    try:
        return body.decode("utf-8"), False
    except UnicodeDecodeError:
        return base64.b64encode(body).decode("ascii"), True


def _response(answer: Mapping[str, Any]) -> Response:
    body: str = answer.get("body") or ""
    content = base64.b64decode(body) if answer.get("isBase64Encoded") else body.encode("utf-8")
    response = Response(content, int(answer["statusCode"]), headers=answer.get("headers"))
    for cookie in answer.get("cookies", ()):
        response.headers.append("set-cookie", cookie)
    return response


def _problem(error: CairnError) -> Response:
    headers = problems.headers(error)
    if isinstance(error, PayloadTooLarge):
        headers["connection"] = "close"
    return JSONResponse(problems.envelope(error), problems.http_status(error), headers)
