"""An event that is too large is cut where it hurts least."""

from __future__ import annotations

from typing import Any

import pytest

from cairn.local.hook.event import MOST_BYTES, Event, Unusable, encoded, fitting, parsed

PROMPT = "Which colour? " * 1000


def told(**more: Any) -> dict[str, Any]:
    return {"hook_event_name": "Stop", "prompt": PROMPT, **more}


def test_an_event_that_is_small_enough_stays_as_it_is() -> None:
    event = told(tool_response={"stdout": "x" * 100_000})

    assert fitting(event) is event


@pytest.mark.parametrize(
    "tools",
    [
        {"tool_response": "x" * MOST_BYTES},
        {"toolResult": {"text": ["x" * MOST_BYTES]}},
        {"tool_calls": [{"tool_name": "Read", "tool_response": "é" * 20_000} for _ in range(100)]},
        {"tool_response": list(range(MOST_BYTES))},
    ],
)
def test_texts_of_tools_are_cut_before_what_was_said(tools: dict[str, Any]) -> None:
    event = fitting(told(**tools))

    assert len(encoded(event)) <= MOST_BYTES
    assert (event["prompt"], event["hook_event_name"]) == (PROMPT, "Stop")


def test_of_each_tool_s_text_the_beginning_stays() -> None:
    event = fitting(told(tool_calls=[{"tool_name": "Read", "tool_response": "x" * MOST_BYTES, "code": 0}]))

    assert event["tool_calls"] == [{"tool_name": "Read", "tool_response": "x" * 3999 + "…", "code": 0}]


def test_what_was_said_is_cut_where_nothing_else_is_left() -> None:
    event = fitting(told(last_assistant_message="é" * MOST_BYTES))

    assert event["prompt"] == PROMPT
    assert event["last_assistant_message"] == "é" * 199_999 + "…"


def test_what_no_cut_makes_small_is_refused() -> None:
    with pytest.raises(Unusable, match="too large"):
        fitting({f"field {number}": number for number in range(100_000)})


@pytest.mark.parametrize(
    ("data", "problem"), [(b"[]", "no JSON object"), (b"{", "no JSON"), (b"{" * 33_000_000, "32 MB")]
)
def test_what_is_no_event_is_said_to_be_none(data: bytes, problem: str) -> None:
    with pytest.raises(Unusable, match=problem):
        parsed(data)


def test_a_mark_at_the_beginning_that_some_shells_write_is_no_part_of_it() -> None:
    assert parsed(b'\xef\xbb\xbf{"prompt": "a"}') == {"prompt": "a"}


def test_what_an_agent_calls_its_events_and_sessions_is_found() -> None:
    assert Event("cursor", "garden", None, {"conversation_id": "c", "hook_event_name": 7}).session == "c"
    assert Event("copilot", "garden", None, {"sessionId": "s" * 300}).session == "s" * 200
    assert Event("codex", "garden", None, {}).name == ""
