"""A language model on Amazon Bedrock: a stand-in for its endpoint on the loopback interface, good, broken and slow."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

import pytest
from botocore.exceptions import NoRegionError

from cairn.aws.bedrock import BedrockModel
from cairn.aws.clients import Clients
from cairn.facts.proposals import INSTRUCTIONS, PARAMETERS, FactQuestion, Proposals
from cairn.ground.errors import ModelFailed
from cairn.ground.settings import HeuristicSettings
from cairn.models.fact_models import FactModels

pytestmark = pytest.mark.enable_socket

MODEL = "eu.amazon.nova-micro-v1:0"
CANARY = "canary-51c2"
QUESTION = FactQuestion(said=("I feed my cat Tom.",), believed=())
UPSERT = {"fact_id": "pet", "key": "cat", "value": "Tom", "tier": "L0", "confidence": 1, "quote": "my cat Tom"}
OK = b"HTTP/1.1 200 OK\r\n"
Answer = Callable[[Any], object]
Serve = Callable[..., Any]
Says = Callable[..., Answer]


def converse(*content: Mapping[str, object]) -> bytes:
    """Return the body of Converse's answer with this content."""
    usage = {"inputTokens": 9, "outputTokens": 9, "totalTokens": 18}
    said = {"message": {"role": "assistant", "content": list(content)}}
    return json.dumps({"output": said, "stopReason": "tool_use", "usage": usage, "metrics": {"latencyMs": 9}}).encode()


def called(name: str, arguments: object) -> dict[str, object]:
    return {"toolUse": {"toolUseId": "t", "name": name, "input": arguments}}


GOOD = converse({"text": "Recorded."}, called("record_facts", {"upserts": [UPSERT], "deletes": []}))


@pytest.fixture
def ask(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Proposals]:
    """Return a function that asks an endpoint."""
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-central-1")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "role-id")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", CANARY)

    def propose(endpoint: Any, **knobs: Any) -> Proposals:
        monkeypatch.setenv("AWS_ENDPOINT_URL_BEDROCK_RUNTIME", endpoint.url)
        settings = HeuristicSettings(enabled=True, provider="bedrock", model=MODEL, **knobs)
        clients = Clients()
        with suppress(NoRegionError):  # what is given up goes on, and must not find a later test's endpoint
            _ = clients.bedrock
        return FactModels({"bedrock": BedrockModel(clients)}).propose(QUESTION, settings)

    return propose


def test_it_is_asked_once_for_a_forced_tool_call_as_the_process_s_role(
    serve: Serve, says: Says, ask: Callable[..., Proposals]
) -> None:
    endpoint = serve(says(GOOD))

    assert [upsert.value for upsert in ask(endpoint, max_output_tokens=64).upserts] == ["Tom"]
    [(path, headers, body)] = endpoint.asked
    assert path == f"/model/{MODEL.replace(':', '%3A')}/converse"
    assert headers["Authorization"].startswith("AWS4-HMAC-SHA256 Credential=role-id/")
    assert "/eu-central-1/bedrock/" in headers["Authorization"]
    (tool,) = body["toolConfig"]["tools"]
    assert (tool["toolSpec"]["name"], tool["toolSpec"]["inputSchema"]) == ("record_facts", {"json": PARAMETERS})
    assert body["toolConfig"]["toolChoice"] == {"tool": {"name": "record_facts"}}
    assert (body["system"], body["inferenceConfig"]) == ([{"text": INSTRUCTIONS}], {"maxTokens": 64})
    [said] = body["messages"]
    assert (said["role"], json.loads(said["content"][0]["text"])["said"]) == ("user", list(QUESTION.said))


def refused(status: str, code: str) -> Callable[[Says], Answer]:
    return lambda says: says(json.dumps({"message": CANARY}).encode(), f"x-amzn-ErrorType: {code}", status=status)


FAILURES: dict[str, tuple[Callable[[Says], Answer], str]] = {
    "not allowed": (refused("403 Forbidden", "AccessDeniedException"), "Converse failed: AccessDeniedException"),
    "no such model": (refused("400 Bad", "ValidationException"), "Converse failed: ValidationException"),
    "throttled": (refused("429 Slow", "ThrottlingException"), "Converse failed: ThrottlingException"),
    "its model broke": (refused("424 Failed", "ModelErrorException"), "Converse failed: ModelErrorException"),
    "it fails": (refused("500 Failed", "InternalServerException"), "Converse failed: InternalServerException"),
    "it is moved": (
        lambda says: says(b"", "Location: https://elsewhere.example", status="307 Moved"),
        "Converse failed: 307",
    ),
    "no call": (lambda says: says(converse({"text": CANARY})), "the answer is no call of the function"),
    "another call": (lambda says: says(converse(called(CANARY, {}))), "the answer is no call of the function"),
    "no content": (lambda says: says(converse()), "the answer is no call of the function"),
    "no output": (lambda says: says(b"{}"), "the answer is no call of the function"),
    "no object": (lambda says: says(b"[]"), "the answer makes no sense"),
    "content of texts": (
        lambda says: says(GOOD.replace(b'{"text": "Recorded."}', b'"x"')),
        "the answer makes no sense",
    ),
    "no JSON": (lambda says: says(CANARY.encode()), "the answer is no call of the function"),
    "no HTTP": (lambda _: lambda exchange: exchange.send(b"SSH-2.0-canary\r\n\r\n"), "AWS could not be reached"),
    "hung up": (lambda _: lambda exchange: exchange.connection.close(), "AWS could not be reached"),
    "cut short": (lambda says: says(GOOD[:-9], length=len(GOOD)), "the answer is no call of the function"),
}


@pytest.mark.req("R062")
@pytest.mark.parametrize("case", FAILURES)
def test_however_it_fails_it_was_asked_once_and_nothing_it_said_is_repeated(
    case: str, serve: Serve, says: Says, ask: Callable[..., Proposals]
) -> None:
    answer, told = FAILURES[case]
    endpoint = serve(answer(says))

    with pytest.raises(ModelFailed) as failed:
        ask(endpoint)

    assert str(failed.value).startswith(told)
    assert "canary" not in str(failed.value)
    assert len(endpoint.asked) == 1


SLOW: Mapping[str, Answer] = {
    "silence": lambda exchange: exchange.hesitate(2),
    "trickling body": lambda exchange: (exchange.send(OK + b"Content-Length: 99\r\n\r\n{"), exchange.trickle(b" ")),
}


@pytest.mark.req("R064")
@pytest.mark.slow
@pytest.mark.parametrize("answer", SLOW.values(), ids=list(SLOW))
def test_the_deadline_is_that_of_the_whole_call(answer: Answer, serve: Serve, ask: Callable[..., Proposals]) -> None:
    endpoint = serve(answer)
    started = time.monotonic()

    with pytest.raises(ModelFailed, match=r"^no answer: TimeoutError$"):
        ask(endpoint, timeout_ms=300)
    assert time.monotonic() - started < 4


@pytest.mark.req("R063")
def test_without_credentials_of_aws_no_model_is_asked(
    serve: Serve, says: Says, ask: Callable[..., Proposals], monkeypatch: pytest.MonkeyPatch
) -> None:
    endpoint = serve(says(GOOD))
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", "/dev/null")

    with pytest.raises(ModelFailed, match=r"^the AWS SDK failed: NoCredentialsError$"):
        ask(endpoint)
    assert endpoint.asked == []
