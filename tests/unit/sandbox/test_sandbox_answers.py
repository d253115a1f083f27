"""What comes back from a sandbox: a result, an error the caller may see, or nonsense."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cairn.edge import problems
from cairn.ground import sandbox_messages as sandbox
from cairn.ground.errors import (
    CairnError,
    InternalError,
    InvalidArgument,
    NotFound,
    PayloadTooLarge,
    PermissionDenied,
    Unavailable,
)
from cairn_sandbox import door
from cairn_tools.catalog import CATALOG
from cairn_tools.oc_diagnostic_pod_health import EXAMPLE, oc_diagnostic_pod_health

EVENTS = Path(__file__).resolve().parents[3] / "events" / "sandbox"
TOOL = oc_diagnostic_pod_health.name
DENIED = {"namespace": "shop", "operation": "read"}


def through(answered: object) -> Any:
    return sandbox.answer(answered if isinstance(answered, bytes) else json.dumps(answered).encode())


def test_a_request_reaches_the_tool_and_its_result_comes_back() -> None:
    asked = json.loads(sandbox.request(TOOL, EXAMPLE, "request-1"))

    result = through(door.answer(asked))

    assert [each["reason"] for each in result["findings"]] == ["Evicted"]
    assert asked["request_id"] == "request-1"


@pytest.mark.parametrize("name", door.TOOLS)
def test_the_sample_event_of_a_standard_tool_is_answered(name: str) -> None:
    event = json.loads((EVENTS / f"{name}.json").read_text(encoding="utf-8"))

    assert through(door.handler(event, None))


@pytest.mark.parametrize(
    "error",
    [
        NotFound("There is no such pod"),
        PermissionDenied("No", DENIED),
        PayloadTooLarge("Too much", {"limit": 1}),
        Unavailable("The cluster answered with status 500"),
        InvalidArgument("pods.items[0]", "must be an object", ("pods.kind", "is wrong")),
    ],
    ids=lambda each: each.code,
)
def test_an_error_comes_back_as_it_was_raised(error: CairnError) -> None:
    with pytest.raises(type(error)) as raised:
        through(problems.envelope(error))

    assert problems.envelope(raised.value) == problems.envelope(error)


def test_what_failed_inside_comes_back_without_its_words_but_with_the_request_id() -> None:
    said = problems.envelope(InternalError("canary", {"request_id": "request-1"}))

    with pytest.raises(InternalError) as raised:
        through(said)

    assert (raised.value.message, raised.value.details) == (
        "Something failed in the sandbox",
        {"request_id": "request-1"},
    )


def test_a_code_that_is_none_of_the_sandbox_s_is_a_failure_of_the_sandbox() -> None:
    with pytest.raises(InternalError):
        through({"error": {"code": "UNAUTHENTICATED", "message": "canary", "details": {}}})


@pytest.mark.parametrize(
    "answered",
    [
        b"",
        b"canary",
        b"\xff",
        b"[" * 100_000,
        [],
        7,
        {},
        {"result": "canary"},
        {"error": "canary"},
        {"error": {"code": "NOT_FOUND"}},
        {"error": {"code": 7, "message": "canary", "details": {}}},
        {"error": {"code": "NOT_FOUND", "message": "canary", "details": []}},
        {"error": {"code": "INVALID_ARGUMENT", "message": "canary", "details": {"fields": 7}}},
        b'{"result": {}}' + b" " * sandbox.MAX_ANSWER_BYTES,
    ],
)
def test_an_answer_that_makes_no_sense_is_a_failure_that_repeats_nothing_of_it(answered: object) -> None:
    with pytest.raises(InternalError) as raised:
        through(answered)

    assert "canary" not in f"{raised.value}{raised.value.details}"


@pytest.mark.parametrize("event", [{}, {"tool": "memory_after_turn"}, {"tool": 7}, {"tool": ["a"]}])
def test_the_door_runs_standard_tools_and_no_other(event: dict[str, Any]) -> None:
    answered = door.answer({"arguments": {}, "request_id": "r", **event})

    assert answered["error"]["details"] == {"fields": {"tool": "is no standard tool"}}


@pytest.mark.parametrize("arguments", [None, [], {}, {"namespace": "shop", "pods": 7}])
def test_the_door_never_raises_and_says_nothing_of_what_failed(arguments: object) -> None:
    answered = door.answer({"tool": TOOL, "arguments": arguments, "request_id": "request-1"})

    assert answered["type"] == "error"
    assert answered["error"]["code"] in {"INTERNAL_ERROR", "INVALID_ARGUMENT"}


def test_every_standard_tool_has_its_place_in_the_sandbox() -> None:
    assert set(door.TOOLS) == {tool.name for tool in CATALOG if tool.family == "standard"}
