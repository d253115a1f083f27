"""`cairn serve`: run the Lambda handlers behind HTTP on this machine, over the embedded store."""

from __future__ import annotations

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

from cairn.access.api_keys import Grant
from cairn.access.key_store import Credentials
from cairn.embedded.table import SqliteTable
from cairn.ground.errors import SettingsError, Unavailable
from cairn.local.server.announcement import announce
from cairn.local.server.bridge import HOST, Bridge, application
from cairn.local.server.doors import load, tool_handlers
from cairn.local.store import LOCAL_TENANT, LocalStore, open_store
from cairn.telemetry import logs

_SWEEP_SECONDS = 600.0
_GRACE_SECONDS = 10
_BACKLOG = 128


def serve(data: Path | None, port: int, oauth_port: int | None = None) -> None:
    """Serve on 127.0.0.1 until SIGTERM or SIGINT; port 0 lets the system choose. SettingsError if it cannot start.

    On the OAuth port, clients are told of the settings' issuer.
    """
    logs.configure()
    environment = dict(os.environ)
    with ExitStack() as opening:
        listeners = [opening.enter_context(_listening("--port", port))]
        if oauth_port is not None:
            listeners.append(opening.enter_context(_listening("--oauth-port", oauth_port)))
            environment["CAIRN_AUTH_OIDC_RESOURCE"] = _url(listeners[-1])
        store = opening.enter_context(open_store(data, environment))
        if oauth_port is not None and not store.settings.auth.oidc.issuer:
            raise SettingsError("--oauth-port: is for the tokens of settings.mcp.auth.oidc.issuer, which is not set")
        announce([_url(each) for each in listeners], store.directory, _first_key(store.credentials))
        if not store.settings.memory_enabled_for(LOCAL_TENANT):
            click.echo("Your settings leave the memory tools off: settings.mcp.tools.memory.enabled switches them on.")
        _Server(_config(store)).run(sockets=listeners)


def _config(store: LocalStore) -> uvicorn.Config:
    bridge = Bridge(
        door=load("cairn_mcp.door.handler"),
        tools=tool_handlers(),
        probe=load("cairn_health.door.handler"),
        metadata=load("cairn_auth.metadata.handler"),
        authorizer=load("cairn_auth.authorizer.handler"),
        body_limit=store.settings.limits.request_bytes,
        allowed_origins=store.settings.allowed_origins,
    )
    return uvicorn.Config(
        application(bridge, _sweeping(store.table)),
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


def _url(listener: socket.socket) -> str:
    return f"http://{HOST}:{listener.getsockname()[1]}/mcp"


@contextmanager
def _listening(option: str, port: int) -> Generator[socket.socket]:
    try:
        listener = socket.create_server((HOST, port), backlog=_BACKLOG)
    except OSError as error:
        raise SettingsError(f"{option}: cannot listen on {HOST}:{port}: {error.strerror}") from None
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


def _first_key(credentials: Credentials) -> str | None:
    now = datetime.now(UTC)
    if any(credential.is_open(now) for credential in credentials.list()):
        return None
    return credentials.create(LOCAL_TENANT, Grant()).text
