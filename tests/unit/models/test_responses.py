"""The language model's adapter against endpoints on the loopback interface: good ones, broken ones, slow ones."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from socket import socket
from types import SimpleNamespace
from typing import Any

import pytest

from cairn.facts.proposals import FactQuestion, Proposals
from cairn.ground.errors import ModelFailed
from cairn.ground.settings import HeuristicSettings
from cairn.models.responses import MAX_ANSWER_BYTES, ResponsesModel
from support.loopback import certified

pytestmark = pytest.mark.enable_socket

KEY = "canary-key-51c2"
QUESTION = FactQuestion(said=("I feed my cat Tom.",), believed=())
OK = b"HTTP/1.1 200 OK\r\n"

Answer = Callable[[Any], object]
Serve = Callable[..., Any]
Says = Callable[..., Answer]


def ask(endpoint: Any, **knobs: Any) -> Proposals:
    settings = HeuristicSettings(enabled=True, base_url=endpoint.url, **knobs)
    return ResponsesModel(lambda _: KEY).propose(QUESTION, settings)


def test_it_asks_the_endpoint_once_with_its_key_and_reads_the_answer(serve: Serve, says: Says, good: bytes) -> None:
    endpoint = serve(says(good))

    assert [upsert.value for upsert in ask(endpoint).upserts] == ["Tom"]
    [(path, headers, body)] = endpoint.asked
    assert (path, headers["Authorization"]) == ("/v1/responses", f"Bearer {KEY}")
    assert (headers["Content-Type"], set(body) >= {"model", "input", "tools"}) == ("application/json", True)


@pytest.mark.parametrize("status", ["500 Internal Server Error", "401 Unauthorized", "204 No Content", "206 Partial"])
def test_any_status_but_200_is_a_failure_whatever_the_body_says(
    status: str, serve: Serve, says: Says, good: bytes
) -> None:
    with pytest.raises(ModelFailed, match=f"^status {status[:3]}$"):
        ask(serve(says(good, status=status)))


BROKEN: Mapping[str, Answer] = {
    "the answer is no JSON": lambda exchange: exchange.send(OK + b"\r\n{canary"),
    "the answer is no call of the function": lambda exchange: exchange.send(OK + b"\r\n{}"),
    "no answer: BadStatusLine": lambda exchange: exchange.send(b"SSH-2.0-canary\r\n\r\n"),
    "no answer: LineTooLong": lambda exchange: exchange.send(OK + b"X-Canary: " + b"x" * 70_000),
    "no answer: RemoteDisconnected": lambda exchange: exchange.connection.close(),
    "no answer: IncompleteRead": lambda exchange: exchange.send(OK + b"Transfer-Encoding: chunked\r\n\r\nffff\r\n{"),
}


@pytest.mark.parametrize(("failure", "answer"), BROKEN.items(), ids=list(BROKEN))
def test_a_broken_answer_is_a_failure_that_says_why_and_quotes_nothing(
    failure: str, answer: Answer, serve: Serve
) -> None:
    with pytest.raises(ModelFailed) as failed:
        ask(serve(answer))

    assert str(failed.value) == failure
    assert failed.value.__cause__ is None
    assert failed.value.__suppress_context__ or failed.value.__context__ is None


def test_an_answer_cut_short_is_a_failure(serve: Serve, says: Says, good: bytes) -> None:
    with pytest.raises(ModelFailed, match="no JSON"):
        ask(serve(says(good[:-1], length=len(good))))


@pytest.mark.req("R266")
def test_an_answer_of_2_mib_is_the_largest(serve: Serve, says: Says, good: bytes) -> None:
    largest = good.ljust(MAX_ANSWER_BYTES)
    assert len(largest) == 2 * 1024 * 1024
    assert ask(serve(says(largest))).upserts

    for too_large in (largest + b" ", good.ljust(3 * 1024 * 1024)):
        with pytest.raises(ModelFailed, match="too large"):
            ask(serve(says(too_large)))


@pytest.mark.req("R266")
@pytest.mark.parametrize("status", ["301 Moved", "302 Found", "307 Temporary Redirect", "308 Permanent Redirect"])
def test_a_redirect_is_not_followed(status: str, serve: Serve, says: Says, good: bytes) -> None:
    elsewhere = serve(says(good))
    endpoint = serve(says(b"", f"Location: {elsewhere.url}/v1/responses", status=status))

    with pytest.raises(ModelFailed, match=f"^status {status[:3]}$"):
        ask(endpoint)
    assert elsewhere.asked == []


SLOW: Mapping[str, Answer] = {
    "silence": lambda exchange: exchange.hesitate(),
    "slow headers": lambda exchange: (exchange.send(OK + b"X-Slow: "), exchange.trickle(b"x")),
    "trickling body": lambda exchange: (
        exchange.send(OK + b"Content-Length: 999999\r\n\r\n{"),
        exchange.trickle(b" "),
    ),
    "body without end": lambda exchange: (exchange.send(OK + b"\r\n"), exchange.trickle(b"{}")),
}


@pytest.mark.req("R064")
@pytest.mark.parametrize("answer", SLOW.values(), ids=list(SLOW))
def test_the_deadline_is_that_of_the_whole_call(answer: Answer, serve: Serve) -> None:
    endpoint = serve(answer)
    started = time.monotonic()

    with pytest.raises(ModelFailed, match=r"^no answer: TimeoutError$"):
        ask(endpoint, timeout_ms=150)
    assert time.monotonic() - started < 4
    assert len(endpoint.asked) == 1


def test_an_endpoint_that_is_not_there_is_a_failure() -> None:
    with socket() as deaf:
        deaf.bind(("127.0.0.1", 0))
        nowhere = SimpleNamespace(url=f"http://127.0.0.1:{deaf.getsockname()[1]}")
        with pytest.raises(ModelFailed, match=r"^no answer: ConnectionRefusedError$"):
            ask(nowhere)


@pytest.mark.req("R266")
def test_nothing_is_sent_to_an_endpoint_whose_certificate_is_not_trusted(
    serve: Serve, says: Says, good: bytes, tmp_path: Path
) -> None:
    endpoint = serve(says(good), certified(tmp_path / "certificate.pem"))

    with pytest.raises(ModelFailed, match=r"^no answer: SSLCertVerificationError$"):
        ask(endpoint)
    assert endpoint.asked == []


def test_an_endpoint_whose_certificate_is_trusted_is_asked(
    serve: Serve, says: Says, good: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    endpoint = serve(says(good), certified(tmp_path / "certificate.pem"))
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "certificate.pem"))

    assert ask(endpoint).upserts
