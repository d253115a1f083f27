"""What leaves a call besides its answer: one log line, without content."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Callable
from hashlib import sha256
from typing import Any

import pytest
from pydantic import BaseModel

from cairn.telemetry import logs
from cairn.telemetry import record as telemetry
from cairn.tool.call import Call, execute
from cairn.tool.tool import tool
from cairn_mcp.door import handler as mcp_handler
from cairn_tools.catalog import CATALOG
from support.telemetry import calls, lines

AFTER = CATALOG[1]
CANARY = "canary-7f3a"
EventOf = Callable[..., dict[str, Any]]


class Anything(BaseModel):
    """No field."""


@pytest.mark.req("R101")
def test_a_call_leaves_one_line_that_says_who_what_and_how_long(call: Call, log: io.StringIO) -> None:
    execute(CATALOG, AFTER.name, dict(AFTER.example), call)

    (line,) = calls(log)
    assert line["request_id"] == "request-1"
    assert line["tool"] == "memory_after_turn"
    assert line["tenant"] == sha256(b"acme").hexdigest()[:12]
    assert (line["project"], line["session_id"], line["turn_id"]) == ("garden", "monday", "turn-1")
    assert line["status"] == "OK"
    assert line["latency_ms"] > 0
    assert line["level"] == "INFO"


@pytest.mark.req("R013")
@pytest.mark.usefixtures("services")
def test_each_tool_call_of_a_batch_leaves_its_own_line(event_of: EventOf, log: io.StringIO) -> None:
    before = {"name": CATALOG[0].name, "arguments": dict(CATALOG[0].example)}
    after = {"name": AFTER.name, "arguments": dict(AFTER.example)}
    calls_made = [before, after, {"name": "no_such_tool"}]
    batch = [{"jsonrpc": "2.0", "id": i, "method": "tools/call", "params": made} for i, made in enumerate(calls_made)]

    mcp_handler(event_of("/mcp", batch), None)

    assert sorted((line.get("tool", "-"), line["status"]) for line in calls(log)) == [
        ("-", "DISABLED"),
        ("memory_after_turn", "OK"),
        ("memory_before_turn", "OK"),
    ]


@pytest.mark.req("R101")
@pytest.mark.usefixtures("services")
def test_a_refused_call_leaves_one_line_too(event_of: EventOf, log: io.StringIO) -> None:
    AFTER.handler(event_of("/", "{"), None)
    AFTER.handler(event_of("/", {"project": "x"}), None)
    AFTER.handler({}, None)

    assert [line["status"] for line in calls(log)] == ["INVALID_ARGUMENT"] * 3


@pytest.mark.req("R137")
@pytest.mark.req("R099")
@pytest.mark.req("R100")
@pytest.mark.usefixtures("services")
def test_no_log_line_holds_content_or_a_key(
    event_of: EventOf, log: io.StringIO, capfd: pytest.CaptureFixture[str]
) -> None:
    say = [{"type": "message", "role": "user", "content": f"My name is {CANARY}. I prefer {CANARY}."}]
    secret = {"authorization": f"Bearer {CANARY}", "x-api-key": CANARY, "cookie": CANARY}
    turn = {**AFTER.example, "input_items": say, "output_items": say}
    ask = {**CATALOG[0].example, "current_input": f"Who is {CANARY}?", "base_instructions": CANARY}
    responses = [
        AFTER.handler(event_of("/", turn, headers=secret), None),
        AFTER.handler(event_of("/", turn, headers=secret), None),
        AFTER.handler(event_of("/", {**turn, "output_items": [{"content": CANARY}]}, headers=secret), None),
        AFTER.handler(event_of("/", {**turn, "session_id": f"{CANARY}/"}, headers=secret), None),
        AFTER.handler(event_of("/", {**turn, "session_id": 7, CANARY: 1}, headers=secret), None),
        AFTER.handler(event_of("/", f'{{"{CANARY}', headers=secret), None),
        *(each.handler(event_of("/", ask | {"x": CANARY}, headers=secret), None) for each in CATALOG),
        CATALOG[0].handler(event_of("/", ask, headers=secret), None),
    ]

    assert [response["statusCode"] for response in responses[:4]] == [200, 200, 409, 400]
    assert CANARY in responses[-1]["body"]
    assert len(calls(log)) == len(responses)
    assert CANARY not in log.getvalue()
    assert CANARY not in "".join(capfd.readouterr())


@pytest.mark.req("R100")
@pytest.mark.usefixtures("services")
def test_what_is_stored_holds_neither_a_key_nor_a_text_in_the_clear(event_of: EventOf, store: Any) -> None:
    secret = {"authorization": f"Bearer {CANARY}", "x-api-key": CANARY}
    say = [{"type": "message", "role": "user", "content": f"My name is {CANARY}."}]

    assert (
        AFTER.handler(event_of("/", {**AFTER.example, "input_items": say}, headers=secret), None)["statusCode"] == 200
    )

    assert store.rows() > 0
    assert CANARY.encode() not in store.contents()


@pytest.mark.req("R012")
def test_every_line_logged_during_a_call_carries_its_request_id(call: Call, log: io.StringIO) -> None:
    @tool(title="Speak", example={}, grants=())
    def speak(request: Anything, call: Call) -> Anything:
        """Log something."""
        assert call
        logging.getLogger("cairn.somewhere").info("working")
        try:
            int(CANARY)
        except ValueError:
            logging.getLogger("elsewhere").exception("went on")
        return request

    execute([speak], "speak", {}, call)
    logging.getLogger("elsewhere").info("afterwards")

    said = ["tool_call", "working", "went on", "call", "tool_result", "afterwards"]
    assert [line["message"] for line in lines(log)] == said
    assert [line.get("request_id") for line in lines(log)] == ["request-1"] * 5 + [None]
    assert lines(log)[2]["exception_name"] == "ValueError"
    assert CANARY not in log.getvalue()


def test_configured_logs_go_to_standard_error_as_json(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    logger = logging.getLogger("cairn")
    monkeypatch.setattr(logger, "handlers", [])
    monkeypatch.setattr(logger, "propagate", logger.propagate)
    monkeypatch.setattr(logger, "level", logger.level)

    logs.configure()
    logs.configure()
    with telemetry.recorded("request-9"):
        pass

    output = capsys.readouterr()
    (line,) = output.err.splitlines()
    assert json.loads(line)["request_id"] == "request-9"
    assert output.out == ""
