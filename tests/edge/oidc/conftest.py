"""An issuer on the loopback interface, and processes that know it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from threading import Thread
from typing import Any

import pytest
from starlette.testclient import TestClient

from cairn.ground.settings import AuthSettings
from cairn.local.server.bridge import Bridge, application
from cairn.local.server.doors import mcp_paths, tool_handlers
from cairn.process.http_get import DocumentGet
from cairn.services import Services
from cairn.settings.settings import Settings
from cairn_auth import authorizer, metadata
from cairn_health import door as health
from cairn_mcp import door
from support.access import RESOURCE, Issuer, IssuerServer
from support.loopback import no_lifespan

SECONDS = 0.3


@pytest.fixture
def server() -> Iterator[IssuerServer]:
    with IssuerServer() as started:
        thread = Thread(target=started.serve_forever, args=(0.01,))
        thread.start()
        yield started
        started.ended.set()
        started.shutdown()
        thread.join()


@pytest.fixture
def issuer(server: IssuerServer) -> Issuer:
    return server.issuer


@pytest.fixture
def settings(issuer: Issuer) -> Settings:
    return Settings(memory_enabled=True, auth=AuthSettings(oidc=issuer.settings(resource=RESOURCE)))


@pytest.fixture
def services(services: Services) -> Services:
    """Return the services, which fetch the issuer's documents."""
    vars(services)["http_get"] = DocumentGet(SECONDS)
    return services


@pytest.fixture
def token(services: Services, issuer: Issuer, clock: Any) -> Callable[..., str]:
    """Return a function that makes a token of the issuer's."""
    assert services.access_tokens is not None

    def make(**changed: Any) -> str:
        return issuer.token(clock.now(), **changed)

    return make


@pytest.fixture
def open_client(services: Services) -> Callable[[str], TestClient]:
    """Return a function that opens a client of one of the hosts."""
    assert services
    handlers = door.handler, tool_handlers(), health.handler, metadata.handler, authorizer.handler
    bridge = Bridge(*handlers, 100_000, mcp_paths=mcp_paths())
    return lambda host: TestClient(application(bridge, no_lifespan), base_url=host)


@pytest.fixture
def said(caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch) -> pytest.LogCaptureFixture:
    """What any logger says, whether or not another test has cut this package off from the root logger."""
    monkeypatch.setattr(logging.getLogger("cairn"), "propagate", True)
    caplog.set_level(logging.DEBUG)
    return caplog
