"""Signing in at an issuer over HTTP: from the browser's way there to what its session opens."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from cairn.access.browser_sessions import BrowserSessions
from cairn.access.sign_in import SignIn
from cairn.edge.callers import caller
from cairn.edge.events import read
from cairn.ground.errors import Unavailable
from cairn.ground.settings import AuthSettings
from cairn.process.http_get import MAX_BYTES
from cairn.process.http_post import FormPost
from cairn.services import Services
from cairn.settings.settings import Settings
from support.access import RESOURCE, Exchange, Issuer, IssuerServer, judged

pytestmark = pytest.mark.enable_socket
BACK = "https://memory.example.com/console/sign-in/back"
SECONDS = 0.3


@pytest.fixture
def settings(issuer: Issuer) -> Settings:
    oidc = issuer.settings(
        resource=RESOURCE,
        console_client_id="console",
        tenant_claim="org",
        projects_claim="projects",
        user_claim="email",
    )
    return Settings(memory_enabled=True, auth=AuthSettings(oidc=oidc))


@pytest.fixture
def services(services: Services) -> Services:
    """Return the services, which send the issuer its codes too."""
    vars(services)["http_post"] = FormPost(SECONDS)
    return services


@pytest.fixture
def sign_in(services: Services) -> SignIn:
    assert services.sign_in is not None
    return services.sign_in


def signed_in(sign_in: SignIn, issuer: Issuer, token: str) -> str | None:
    issuer.access_token = token
    url, kept = sign_in.begin(BACK)
    return sign_in.finish(issuer.authorize(url), kept, BACK)


def test_a_session_opens_what_the_authorizer_says_of_the_token(
    services: Services, sign_in: SignIn, issuer: Issuer, token: Callable[..., str]
) -> None:
    given = token(org="acme", projects=["garden", "team.*"], email="ada@example.com", scope="cairn:read cairn:admin")
    assert services.access_tokens is not None

    got = signed_in(sign_in, issuer, given)
    assert got == given
    identity = services.access_tokens.check(given)
    assert identity is not None
    session = services.browser_sessions.begin_of_token(identity)
    assert session is not None
    held = services.browser_sessions.held(session)
    assert held is not None

    event: dict[str, Any] = {
        "version": "2.0",
        "rawPath": "/",
        "headers": {},
        "requestContext": {
            "http": {"method": "GET", "path": "/"},
            "requestId": "request-1",
            "authorizer": {"lambda": judged(given)},
        },
    }
    told, grant = caller(read(event)), held.grant
    assert (held.tenant, held.id, frozenset(grant.scopes)) == (told.tenant, told.credential, told.scopes)
    assert (grant.projects, grant.users) == (told.projects, told.users)


def test_a_token_for_something_else_is_handed_over_and_opens_nothing(
    services: Services, sign_in: SignIn, issuer: Issuer, token: Callable[..., str]
) -> None:
    """The issuer's word that somebody signed in is no token for this memory."""
    got = signed_in(sign_in, issuer, token(aud="console", org="acme", projects="*", email="ada"))

    assert got is not None
    assert services.access_tokens is not None
    assert services.access_tokens.check(got) is None


def test_a_code_that_was_used_gets_no_token(sign_in: SignIn, issuer: Issuer) -> None:
    url, kept = sign_in.begin(BACK)
    query = issuer.authorize(url)

    assert sign_in.finish(query, kept, BACK) == issuer.access_token
    assert sign_in.finish(query, kept, BACK) is None


def redirecting(exchange: Exchange, body: bytes) -> None:
    if exchange.command == "POST":
        exchange.send(b"", 307, location="/realm/other")
    else:
        exchange.send(body)


def too_large(exchange: Exchange, body: bytes) -> None:
    if exchange.command == "POST":
        exchange.send(json.dumps({"access_token": "a" * MAX_BYTES, "token_type": "Bearer"}).encode())
    else:
        exchange.send(body)


def silent(exchange: Exchange, body: bytes) -> None:
    if exchange.command == "POST":
        server: Any = exchange.server
        server.ended.wait(5)
    else:
        exchange.send(body)


@pytest.mark.parametrize("ill", [redirecting, too_large, silent], ids=["redirecting", "too large", "silent"])
def test_an_issuer_that_answers_no_code_makes_signing_in_unavailable(
    sign_in: SignIn, issuer: Issuer, server: IssuerServer, ill: Callable[[Exchange, bytes], None]
) -> None:
    server.answer = ill

    with pytest.raises(Unavailable):
        signed_in(sign_in, issuer, "a.b.c")


def test_no_code_token_or_session_is_in_the_log_or_the_store(
    services: Services,
    sign_in: SignIn,
    issuer: Issuer,
    said: pytest.LogCaptureFixture,
    store: Any,
) -> None:
    given = issuer.token(services.adapters.clock.now(), org="acme", projects="*", email="ada@example.com")
    assert services.access_tokens is not None
    url, kept = sign_in.begin(BACK)
    query = issuer.authorize(url)
    issuer.access_token = given
    assert sign_in.finish(query, kept, BACK) == given
    identity = services.access_tokens.check(given)
    assert identity is not None
    session = services.browser_sessions.begin_of_token(identity)
    assert session is not None
    assert BrowserSessions(services.adapters, services.settings.auth.oidc).held(session) is not None

    for secret in (query["state"], kept, given, session, query["code"]):
        assert secret not in said.text
        assert secret.encode() not in store.contents()
