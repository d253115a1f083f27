"""`cairn serve`: run the Lambda handlers behind HTTP on this machine, over the embedded store."""

from __future__ import annotations

import logging
import os
import signal
import socket
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import AbstractAsyncContextManager, ExitStack, asynccontextmanager, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

import anyio
import click
import uvicorn
from anyio import to_thread
from starlette.applications import Starlette

from cairn import wiring
from cairn.access.api_keys import Grant, project_pattern
from cairn.access.key_store import Credentials
from cairn.access.signed_requests import ROOT
from cairn.embedded.table import SqliteTable
from cairn.ground.errors import SettingsError, Unavailable
from cairn.local.backup.schedule import backing_up
from cairn.local.embedding_model import words_only
from cairn.local.own_names import OwnNames
from cairn.local.server import log_lines
from cairn.local.server.address import LOOPBACK_HOST, ListenAddress
from cairn.local.server.announcement import announce
from cairn.local.server.bounded_http import BoundedHttp
from cairn.local.server.bridge import Bridge, application
from cairn.local.server.doors import load, mcp_paths, tool_handlers, tool_routes
from cairn.local.server.log_lines import Verbosity
from cairn.local.server.prometheus import PrometheusMetrics
from cairn.local.server.sealing import sealing
from cairn.local.server.warming import warming
from cairn.local.store import LOCAL_TENANT, LocalStore, memories, open_store

_SWEEP_SECONDS = 600.0
_GRACE_SECONDS = 10
_BACKLOG = 128


def serve(
    data: Path | None, address: ListenAddress, verbosity: Verbosity = "calls", own: OwnNames | None = None
) -> None:
    """Serve until SIGTERM or SIGINT; port 0 lets the system choose. SettingsError if it cannot start.

    On the OAuth port, clients are told of the settings' issuer. A first key is bound to the project and user of `own`.
    """
    own = own or OwnNames.of()
    log_lines.configure(verbosity)
    environment = dict(os.environ)
    with ExitStack() as opening:
        listeners = [opening.enter_context(_listening("--port", address.host, address.port))]
        urls = [_url(address.shown_host, listeners[0])]
        if address.oauth_port is not None:
            listeners.append(opening.enter_context(_listening("--oauth-port", LOOPBACK_HOST, address.oauth_port)))
            urls.append(_url(LOOPBACK_HOST, listeners[-1]))
            environment["CAIRN_AUTH_OIDC_RESOURCE"] = urls[-1]
        store = opening.enter_context(open_store(data, environment))
        if address.oauth_port is not None and not store.settings.auth.oidc.issuer:
            raise SettingsError("--oauth-port: is for the tokens of settings.mcp.auth.oidc.issuer, which is not set")
        opening.enter_context(warming(wiring.services()))
        opening.enter_context(sealing(wiring.services()))
        opening.enter_context(backing_up(wiring.services()))
        known = memories(wiring.services())
        announce(urls, store.directory, first_key(store.credentials, own), known, own)
        for each in warnings(store, address):
            click.secho(each, fg="yellow", err=True)
        _Server(_config(store, address)).run(sockets=listeners)


def warnings(store: LocalStore, address: ListenAddress) -> list[str]:
    """Return what is not as whoever starts the server may expect, a sentence or two each."""
    off = not store.settings.memory_enabled_for(LOCAL_TENANT)
    told = [
        address.warning(),
        words_only(store.settings.embedding),
        "Your settings leave the memory tools off: settings.mcp.tools.memory.enabled switches them on."
        if off
        else None,
    ]
    return [each for each in told if each]


def _config(store: LocalStore, address: ListenAddress) -> uvicorn.Config:
    metrics = PrometheusMetrics()
    logging.getLogger("cairn").addHandler(metrics)
    bridge = Bridge(
        door=load("cairn_mcp.door.handler"),
        tools=tool_handlers(),
        routes=tool_routes(),
        mcp_paths=mcp_paths(),
        probe=load("cairn_health.door.handler"),
        metadata=load("cairn_auth.metadata.handler"),
        console=load("cairn_console.door.handler"),
        below={
            load("cairn_mem0.door.PATH"): load("cairn_mem0.door.handler"),
            ROOT: load("cairn_agentcore.door.handler"),
        },
        authorizer=load("cairn_auth.authorizer.handler"),
        body_limit=store.settings.limits.request_bytes,
        allowed_origins=store.settings.allowed_origins,
        own_origins=load("cairn_mcp.protocol.LOOPBACK").pattern,
        metrics=metrics.text,
    )
    return uvicorn.Config(
        application(bridge, _sweeping(store.table), address.allowed_hosts),
        http=BoundedHttp,
        log_config=None,
        access_log=False,
        server_header=False,
        ws="none",
        timeout_graceful_shutdown=_GRACE_SECONDS,
    )


class _Server(uvicorn.Server):
    """A server that ends in good order on a signal: the store is closed, and the exit status is 0."""

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        signals = (signal.SIGINT, signal.SIGTERM)
        before = {number: signal.signal(number, self.handle_exit) for number in signals}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def _url(host: str, listener: socket.socket) -> str:
    return f"http://{host}:{listener.getsockname()[1]}/mcp"


@contextmanager
def _listening(option: str, host: str, port: int) -> Generator[socket.socket]:
    try:
        listener = socket.create_server((host, port), backlog=_BACKLOG)
    except OSError as error:
        raise SettingsError(f"{option}: cannot listen on {host}:{port}: {error.strerror}") from None
    with listener:
        # Accepted sockets inherit it. Without it an answer in two writes waits 40 ms for the client's delayed ACK.
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        yield listener


def _sweeping(table: SqliteTable) -> Callable[[Starlette], AbstractAsyncContextManager[None]]:
    """Return a lifespan in which expired items are removed, at its start and now and then."""

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncGenerator[None]:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_sweep, table)
            yield
            tasks.cancel_scope.cancel()

    return lifespan


async def _sweep(table: SqliteTable) -> None:
    while True:
        with suppress(Unavailable):  # of a busy store: what has expired is filtered from every answer all the same
            await to_thread.run_sync(table.sweep, datetime.now(UTC))
        await anyio.sleep(_SWEEP_SECONDS)


def first_key(credentials: Credentials, own: OwnNames | None = None) -> str | None:
    """Return a new key to one project and user of the local memory where no key is open, None where one is."""
    now, own = datetime.now(UTC), own or OwnNames.of()
    if any(credential.is_open(now) for credential in credentials.list()):
        return None
    return credentials.create(LOCAL_TENANT, Grant((project_pattern(own.project),), users=(own.user,))).text
