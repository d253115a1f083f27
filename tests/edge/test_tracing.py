"""Spans of a call: what they say, when they are sent, and what they cost where nobody asks for them."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import pytest

from cairn.ground.errors import CairnError, Conflict, Unavailable
from cairn.keyvalue.fields import NamespaceInput
from cairn.telemetry.tracing import TRACE_HEADER, span
from cairn.telemetry.xray import DAEMON
from cairn.tool.tool import Tool
from cairn_tools.catalog import CATALOG
from support.tool import FOR_AGENTS, outcome

pytestmark = pytest.mark.enable_socket

EventOf = Callable[..., dict[str, Any]]
Spans: TypeAlias = Callable[[], list[dict[str, Any]]]
HEADER = "Root=1-5e272390-8c398be037738dc042009320;Parent=94ae789b969f1cc5;Sampled=1;Lineage=a:0"


@pytest.fixture
def spans(monkeypatch: pytest.MonkeyPatch) -> Iterator[Spans]:
    """Return a function that reads what has come to a daemon, in a process whose request is sampled."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as daemon:
        daemon.bind(("127.0.0.1", 0))
        daemon.setblocking(False)
        monkeypatch.setenv(DAEMON, f"127.0.0.1:{daemon.getsockname()[1]}")
        monkeypatch.setenv(TRACE_HEADER, HEADER)

        def received() -> list[dict[str, Any]]:
            found: list[dict[str, Any]] = []
            while True:
                try:
                    header, _, document = daemon.recv(65536).decode().partition("\n")
                except BlockingIOError:
                    return found
                assert json.loads(header) == {"format": "json", "version": 1}
                found.append(json.loads(document))

        yield received


@pytest.mark.req("R177")
@pytest.mark.usefixtures("services")
@pytest.mark.parametrize(
    "tool", [tool for tool in FOR_AGENTS if outcome(tool) == "OK" and tool.runs is None], ids=lambda tool: tool.name
)
def test_a_sampled_call_is_a_span_with_its_permission_checks_in_it(tool: Tool, event_of: EventOf, spans: Spans) -> None:
    assert tool.handler(event_of("/", tool.example), None)["statusCode"] == 200

    *checks, whole = spans()
    in_namespace = ["permission check"] * issubclass(tool.input, NamespaceInput)
    filtered = ["pii filter"] * (tool.name == "putMemory")
    wanted = ["permission check", "permission check", *in_namespace, *filtered, "tool"]
    assert [each["name"] for each in (*checks, whole)] == wanted
    assert whole["parent_id"] == "94ae789b969f1cc5"
    assert {check["parent_id"] for check in checks} == {whole["id"]}
    operation = "read" if tool.read_only else "write"
    for each in (*checks, whole):
        assert each["trace_id"] == "1-5e272390-8c398be037738dc042009320"
        assert each["type"] == "subsegment"
        assert whole["start_time"] <= each["start_time"] <= each["end_time"] <= whole["end_time"]
        assert each["annotations"] == {"tool": tool.name, "operation": operation, "status": "OK"}
        assert not {"error", "fault"} & set(each)


@pytest.mark.req("R177")
@pytest.mark.usefixtures("services")
def test_a_refused_call_s_spans_say_by_which_code(event_of: EventOf, spans: Spans) -> None:
    CATALOG[0].handler(event_of("/", CATALOG[0].example, projects="other"), None)

    first, second, whole = spans()
    assert [each["annotations"]["status"] for each in (first, second, whole)] == ["OK", *["PERMISSION_DENIED"] * 2]
    assert second["error"] is True
    assert whole["error"] is True


@pytest.mark.parametrize(
    ("error", "status", "flag"),
    [
        (Conflict("canary"), "CONFLICT", "error"),
        (Unavailable("canary"), "UNAVAILABLE", "fault"),
        (RuntimeError("canary"), "INTERNAL_ERROR", "fault"),
        (KeyboardInterrupt("canary"), "INTERNAL_ERROR", "fault"),
    ],
    ids=lambda each: each if isinstance(each, str) else "",
)
def test_an_error_ends_its_span_by_its_code_and_goes_on(
    error: BaseException, status: str, flag: str, spans: Spans
) -> None:
    with pytest.raises(type(error)), span("tool", tool="x", operation="read"):
        raise error

    (document,) = spans()
    assert document["annotations"]["status"] == status
    assert document[flag] is True
    assert not {"error", "fault"} - {flag} & set(document)
    assert "canary" not in json.dumps(document)


def test_spans_side_by_side_have_one_parent_and_ids_of_their_own(spans: Spans) -> None:
    for _ in range(2):
        with span("tool", tool="x", operation="read"):
            pass

    first, second = spans()
    assert first["parent_id"] == second["parent_id"] == "94ae789b969f1cc5"
    assert first["id"] != second["id"]
    assert len(first["id"]) == 16


@pytest.mark.parametrize("header", ["", HEADER.replace("Sampled=1", "Sampled=0"), "Root=1-5e272390"])
def test_what_is_not_sampled_sends_nothing(header: str, spans: Spans, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(TRACE_HEADER, header)

    with span("tool", tool="x", operation="read"):
        pass

    assert spans() == []


@pytest.mark.parametrize(
    "daemon", [None, "", "nowhere", "localhost:2000", "127.0.0.1:1", "127.0.0.1:x", "[::1]:2000", "127.0.0.1:99999"]
)
@pytest.mark.parametrize("header", [HEADER, "Sampled=1", ";;=;Sampled=1"])
def test_without_a_daemon_spans_are_lost_and_nothing_else(
    daemon: str | None, header: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(TRACE_HEADER, header)
    if daemon is None:
        monkeypatch.delenv(DAEMON, raising=False)
    else:
        monkeypatch.setenv(DAEMON, daemon)

    with pytest.raises(CairnError), span("tool", tool="x", operation="read"):
        raise Conflict("as before")


@pytest.mark.slow
def test_a_call_that_is_not_sampled_loads_nothing_for_spans() -> None:
    program = (
        "import sys; from cairn_tools.memory_before_turn import handler; handler({}, None)\n"
        "print(*[name for name in sys.modules if 'xray' in name or name.startswith('opentelemetry')])"
    )
    environment = {name: value for name, value in os.environ.items() if name != TRACE_HEADER}

    command = [sys.executable, "-c", program]
    loaded = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60, env=environment)  # noqa: S603 - our own

    assert loaded.stdout.strip() == ""
