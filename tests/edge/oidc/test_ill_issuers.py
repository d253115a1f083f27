"""An issuer that is ill makes tokens unavailable, for as long as its keys are unknown."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, cast

import pytest
from starlette.testclient import TestClient

from cairn.process.http_get import MAX_BYTES
from support.access import (
    BEFORE,
    LIST_TOOLS,
    OAUTH_HOST,
    Answer,
    Exchange,
    Issuer,
    IssuerServer,
    bearer,
    elsewhere,
    judged,
    signed,
)

pytestmark = pytest.mark.enable_socket


def too_large(exchange: Exchange, body: bytes) -> None:
    exchange.send(body.ljust(MAX_BYTES + 1))


def trickling(exchange: Exchange, body: bytes) -> None:
    server = cast("IssuerServer", exchange.server)
    headers = {"content-length": str(len(body))}
    exchange.send(b"", 200, **headers)
    for position in range(len(body)):
        if server.ended.wait(0.02):
            break
        exchange.wfile.write(body[position : position + 1])


def silent(exchange: Exchange, _body: bytes) -> None:
    cast("IssuerServer", exchange.server).ended.wait(8)


ILL: dict[str, Answer] = {
    "redirecting": elsewhere,
    "too large": too_large,
    "trickling": trickling,
    "silent": silent,
    "failing": lambda exchange, _body: exchange.send(b"{}", 500),
    "not JSON": lambda exchange, _body: exchange.send(b"<html>"),
    "cut off": lambda exchange, body: exchange.send(body[:-9]),
    "hanging up": lambda exchange, _body: exchange.connection.close(),
}


@pytest.mark.slow
@pytest.mark.parametrize("answer", ILL.values(), ids=list(ILL))
def test_an_ill_issuer_makes_tokens_unavailable_and_not_unauthenticated(
    answer: Answer,
    server: IssuerServer,
    token: Callable[..., str],
    open_client: Callable[[str], TestClient],
    said: pytest.LogCaptureFixture,
) -> None:
    server.answer = answer
    started = time.monotonic()
    with open_client(OAUTH_HOST) as client:
        over_mcp = client.post("/mcp", json=LIST_TOOLS, headers=bearer(token()))
        over_http = client.post(f"/v1/tools/{BEFORE.name}", json=BEFORE.example, headers=bearer(token()))

    assert (over_mcp.status_code, over_http.status_code) == (503, 503)
    assert over_http.json()["error"]["code"] == "UNAVAILABLE"
    assert over_http.json()["error"]["retryable"] is True
    assert "www-authenticate" not in over_http.headers
    assert time.monotonic() - started < 5
    assert len(server.issuer.asked) <= 2
    (failure, *_) = [vars(each)["call"].failure for each in said.records if "call" in vars(each)]
    assert failure.startswith("The issuer's keys cannot be fetched: ")


@pytest.mark.slow
def test_known_keys_go_on_while_the_issuer_is_ill(
    server: IssuerServer, issuer: Issuer, clock: Any, token: Callable[..., str]
) -> None:
    tenant = judged(token())["tenant"]
    server.answer = ILL["failing"]
    clock.advance(hours=23)

    assert judged(token())["tenant"] == tenant
    assert judged(signed(issuer.claims(clock.now()), "ES256", {"kid": "second"})) == {"refused": "unavailable"}
