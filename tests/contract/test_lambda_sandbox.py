"""The sandbox as a Lambda: what is asked of it, and how it may end."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from botocore.awsrequest import AWSResponse
from botocore.exceptions import ConnectTimeoutError, EndpointConnectionError, ReadTimeoutError

from cairn.aws.clients import Clients
from cairn.aws.sandbox import LambdaSandbox
from cairn.edge import problems
from cairn.ground import sandbox_messages as sandbox
from cairn.ground.errors import CairnError, InternalError, NotFound, SettingsError, Unavailable
from cairn.ground.ports import SANDBOX_SECONDS

ARGUMENTS: dict[str, Any] = {"namespace": "shop", "pods": {"items": []}}
RESULT: dict[str, Any] = {"findings": [], "summary": "0 pods in shop, 0 with findings."}
CANARY = "canary-19d3"


class _Body:
    def __init__(self, data: bytes) -> None:
        self._data = data

    def stream(self, **_: Any) -> Iterator[bytes]:
        yield self._data

    def read(self, amount: int | None = None) -> bytes:
        read, self._data = self._data[:amount], self._data[len(self._data[:amount]) :]
        return read

    def close(self) -> None:
        """Let go of nothing."""


def answered(body: bytes, status: int = 200, **headers: str) -> AWSResponse:
    named: Any = {"content-length": str(len(body))} | {each.replace("_", "-"): said for each, said in headers.items()}
    return AWSResponse("https://aws", status, named, _Body(body))


def failed(status: int, code: str) -> AWSResponse:
    body = json.dumps({"Type": "User", "Message": CANARY, "message": CANARY}).encode()
    return answered(body, status, x_amzn_ErrorType=code)


@pytest.fixture
def clients(monkeypatch: pytest.MonkeyPatch) -> Clients:
    for name, value in (
        ("AWS_DEFAULT_REGION", "us-east-1"),
        ("AWS_ACCESS_KEY_ID", "a"),
        ("AWS_SECRET_ACCESS_KEY", "b"),
    ):
        monkeypatch.setenv(name, value)
    return Clients()


@pytest.fixture
def answering(clients: Clients) -> Callable[[AWSResponse | Exception], list[Any]]:
    """Return a function that makes every call end in this answer, and lists the requests."""

    def arm(answer: AWSResponse | Exception) -> list[Any]:
        requests: list[Any] = []

        def handle(request: Any, **_: Any) -> Any:
            requests.append(request)
            if isinstance(answer, Exception):
                raise answer
            return answer

        clients.functions.meta.events.register("before-send.lambda.Invoke", handle)
        return requests

    return arm


Answering = Callable[[AWSResponse | Exception], list[Any]]


def invoked(clients: Clients) -> Any:
    return LambdaSandbox(clients, "sandbox-f").invoke("oc_diagnostic_pod_health", ARGUMENTS, "request-1")


def test_the_function_is_invoked_once_with_the_request_and_its_result_comes_back(
    clients: Clients, answering: Answering
) -> None:
    requests = answering(answered(json.dumps({"result": RESULT}).encode()))

    assert invoked(clients) == RESULT
    (request,) = requests
    assert request.url.endswith("/functions/sandbox-f/invocations")
    assert json.loads(request.body) == {
        "tool": "oc_diagnostic_pod_health",
        "arguments": ARGUMENTS,
        "request_id": "request-1",
    }


def test_an_error_of_the_tool_is_the_caller_s(clients: Clients, answering: Answering) -> None:
    answering(answered(json.dumps(problems.envelope(NotFound("There is no such pod"))).encode()))

    with pytest.raises(NotFound, match="There is no such pod"):
        invoked(clients)


FAILURES: dict[str, tuple[AWSResponse | Exception, type[CairnError]]] = {
    "it times out": (answered(CANARY.encode(), X_Amz_Function_Error="Unhandled"), Unavailable),
    "it fails with a result": (answered(b'{"result": {}}', X_Amz_Function_Error="Handled"), Unavailable),
    "it says garbage": (answered(CANARY.encode()), InternalError),
    "it says nothing": (answered(b""), InternalError),
    "it says null": (answered(b"null"), InternalError),
    "it says too much": (answered(b'{"result": {}}' + b" " * sandbox.MAX_ANSWER_BYTES), InternalError),
    "it is throttled": (failed(429, "TooManyRequestsException"), Unavailable),
    "the service fails": (failed(500, "ServiceException"), Unavailable),
    "it may not be invoked": (failed(403, "AccessDeniedException"), InternalError),
    "it is not there": (failed(404, "ResourceNotFoundException"), InternalError),
    "no answer comes in time": (ReadTimeoutError(endpoint_url="https://aws"), Unavailable),
    "no connection comes about": (ConnectTimeoutError(endpoint_url="https://aws"), Unavailable),
    "the network is gone": (EndpointConnectionError(endpoint_url="https://aws"), Unavailable),
}


@pytest.mark.parametrize("case", FAILURES)
def test_however_it_fails_it_was_asked_once_and_nothing_it_said_is_repeated(
    case: str, clients: Clients, answering: Answering
) -> None:
    answer, kind = FAILURES[case]
    requests = answering(answer)

    with pytest.raises(kind) as raised:
        invoked(clients)

    assert type(raised.value) is kind
    assert CANARY not in f"{raised.value}{raised.value.details}"
    assert len(requests) == 1


def test_the_client_waits_as_long_as_the_port_says_and_asks_once(clients: Clients) -> None:
    config: Any = clients.functions.meta.config

    assert config.read_timeout == SANDBOX_SECONDS
    assert config.retries == {"total_max_attempts": 1, "mode": "standard"}


def test_without_a_function_s_name_the_setting_is_named_and_no_client_is_made(clients: Clients) -> None:
    with pytest.raises(SettingsError, match=r"^CAIRN_SANDBOX: "):
        LambdaSandbox(clients, None).invoke("oc_diagnostic_pod_health", ARGUMENTS, "request-1")

    assert "functions" not in vars(clients)
