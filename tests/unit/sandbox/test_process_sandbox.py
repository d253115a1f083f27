"""The sandbox as a process: what it sees, and how it may end."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Mapping
from typing import Any

import pytest

from cairn.embedded.sandbox import ProcessSandbox
from cairn.ground.errors import CairnError, InternalError, InvalidArgument, PermissionDenied, Unavailable
from cairn.ground.settings import ClusterSettings
from cairn.settings.settings import Settings, sandbox_environment
from cairn_tools.oc_diagnostic_pod_health import EXAMPLE, oc_diagnostic_pod_health
from support.sandbox import Serve, container, pod, pod_list, says, waiting

pytestmark = pytest.mark.slow

TOOL = oc_diagnostic_pod_health.name
CANARY = "canary-8d02"


def python(program: str) -> tuple[str, ...]:
    return (sys.executable, "-I", "-c", program)


def told(program: str, environment: Mapping[str, str] | None = None) -> Any:
    return ProcessSandbox(environment or {}, python(program)).invoke(TOOL, EXAMPLE, "request-1")


def test_it_runs_the_tool() -> None:
    result: Any = ProcessSandbox({}).invoke(TOOL, EXAMPLE, "request-1")

    assert [each["reason"] for each in result["findings"]] == ["Evicted"]


def test_an_error_of_the_tool_is_the_caller_s() -> None:
    with pytest.raises(InvalidArgument, match=r"settings\.mcp\.cluster\.base_url"):
        ProcessSandbox({}).invoke(TOOL, {"namespace": "shop"}, "request-1")


def test_it_sees_nothing_of_the_environment_but_what_it_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LUMERA_MEMORY_KEY", "CAIRN_DATA", "CAIRN_HEURISTIC_API_KEY", "AWS_SECRET_ACCESS_KEY", "PYTHONPATH"):
        monkeypatch.setenv(name, CANARY)
    show = "import json, os; print(json.dumps({'result': dict(os.environ)}))"

    seen = told(show, {"CAIRN_CLUSTER_TIMEOUT_MS": "100"})

    assert CANARY not in str(seen)
    assert {"PATH", "CAIRN_CLUSTER_TIMEOUT_MS"} <= set(seen) <= {"PATH", "CAIRN_CLUSTER_TIMEOUT_MS", "LC_CTYPE"}


def test_it_is_given_the_cluster_and_its_token_and_no_other_setting() -> None:
    cluster = ClusterSettings(base_url="https://cluster.example.com", ca_pem="PEM", timeout_ms=300)
    settings = Settings(memory_enabled=True, cluster=cluster, cluster_token="t", model_key=CANARY, sandbox="f")

    assert sandbox_environment(settings) == {
        "CAIRN_CLUSTER_BASE_URL": "https://cluster.example.com",
        "CAIRN_CLUSTER_CA_PEM": "PEM",
        "CAIRN_CLUSTER_TIMEOUT_MS": "300",
        "CAIRN_CLUSTER_TOKEN": "t",
    }
    assert "CAIRN_CLUSTER_TOKEN" not in sandbox_environment(Settings(memory_enabled=True))


def test_it_gets_the_request_on_its_input_and_nothing_on_its_command_line() -> None:
    echo = "import json, sys; print(json.dumps({'result': {'asked': json.load(sys.stdin), 'argv': sys.argv}}))"

    assert told(echo) == {
        "asked": {"tool": TOOL, "arguments": json.loads(json.dumps(EXAMPLE)), "request_id": "request-1"},
        "argv": ["-c"],
    }


def test_one_that_does_not_end_is_killed() -> None:
    began = time.monotonic()

    with pytest.raises(Unavailable):
        ProcessSandbox({}, python("import time; time.sleep(60)"), seconds=0.3).invoke(TOOL, EXAMPLE, "request-1")

    assert time.monotonic() - began < 10


ENDS: dict[str, tuple[str, type[CairnError]]] = {
    "it crashes": ("import os; os.abort()", Unavailable),
    "it fails": (f"raise SystemExit('{CANARY}')", Unavailable),
    "it fails after an answer": ("print('{\"result\": {}}'); raise SystemExit(3)", Unavailable),
    "it says nothing": ("", InternalError),
    "it says garbage": (f"print('{CANARY}')", InternalError),
    "it says something before its answer": (f"print('{CANARY}'); print('{{\"result\": {{}}}}')", InternalError),
    "it says too much": ("print('{\"result\": {\"a\": \"' + 'x' * 2_000_000 + '\"}}')", InternalError),
    "it does not read its request": ("import os; os.close(0); print('{}')", InternalError),
}


@pytest.mark.parametrize("case", ENDS)
def test_however_it_ends_the_caller_gets_an_error_that_repeats_nothing(
    case: str, capfd: pytest.CaptureFixture[str]
) -> None:
    program, kind = ENDS[case]

    with pytest.raises(kind) as raised:
        told(program)

    assert type(raised.value) is kind
    assert CANARY not in f"{raised.value}{raised.value.details}"
    assert capfd.readouterr() == ("", "")


def test_a_program_that_is_not_there_is_unavailable() -> None:
    with pytest.raises(Unavailable):
        ProcessSandbox({}, ("/nowhere/python",)).invoke(TOOL, EXAMPLE, "request-1")


@pytest.mark.enable_socket
def test_it_reads_the_configured_cluster_with_the_token_of_the_settings(serve: Serve) -> None:
    sick = pod("web-1", container(state=waiting("ErrImagePull", "manifest unknown")), phase="Pending")
    api = serve(lambda exchange: exchange.say(pod_list(*([sick] if "/pods" in exchange.path else []))))
    settings = Settings(memory_enabled=True, cluster=ClusterSettings(base_url=api.url), cluster_token="token-1")

    result: Any = ProcessSandbox(sandbox_environment(settings)).invoke(TOOL, {"namespace": "shop"}, "request-1")

    assert result["summary"] == "1 pod in shop, 1 with findings: 1 critical."
    assert [(path.partition("?")[0], shown) for path, shown in api.asked] == [
        ("/api/v1/namespaces/shop/pods", "Bearer token-1"),
        ("/api/v1/namespaces/shop/events", "Bearer token-1"),
    ]


@pytest.mark.enable_socket
def test_what_the_cluster_refuses_is_told_by_the_child(serve: Serve) -> None:
    settings = Settings(
        memory_enabled=True, cluster=ClusterSettings(base_url=serve(says({}, 403)).url), cluster_token="token-1"
    )

    with pytest.raises(PermissionDenied, match="may not read this namespace"):
        ProcessSandbox(sandbox_environment(settings)).invoke(TOOL, {"namespace": "shop"}, "request-1")
