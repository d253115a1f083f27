"""What was answered, read from the session's transcript where an agent's event does not say it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cairn.local.hook.answers import with_answer


def line(kind: str, content: str) -> str:
    return json.dumps({"type": kind, "data": {"content": content}}) + "\n"


def end(path: Path) -> dict[str, Any]:
    return {"hook_event_name": "Stop", "session_id": "s", "transcript_path": str(path)}


def never(_: float) -> None:
    raise AssertionError("nothing was to be waited for")


def test_an_answer_is_taken_from_the_transcript(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    path.write_text(line("user.message", "Hello?") + line("assistant.message", "Here."))

    assert with_answer(end(path), never) == {**end(path), "last_assistant_message": "Here."}


def test_an_answer_that_is_written_late_is_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    path.write_text(line("user.message", "Hello?"))
    waits: list[float] = []

    def sleep(seconds: float) -> None:
        waits.append(seconds)
        if len(waits) == 3:
            path.write_text(line("user.message", "Hello?") + line("assistant.message", "Here."))

    assert with_answer(end(path), sleep)["last_assistant_message"] == "Here."
    assert len(waits) == 3


def test_what_never_comes_is_waited_for_half_a_second(tmp_path: Path) -> None:
    waits: list[float] = []

    assert with_answer(end(tmp_path / "none.jsonl"), waits.append) == end(tmp_path / "none.jsonl")
    assert sum(waits) == pytest.approx(0.5)


def test_of_a_long_transcript_the_end_is_read(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    path.write_text(
        line("user.message", "x" * 3_000_000) + line("user.message", "Hi") + line("assistant.message", "Ho")
    )

    assert with_answer(end(path), never)["last_assistant_message"] == "Ho"


def test_an_event_that_says_its_answer_or_names_no_transcript_is_left_as_it_is() -> None:
    for event in ({"hook_event_name": "Stop", "last_assistant_message": "Here."}, {"hook_event_name": "SessionStart"}):
        assert with_answer({**event}, never) == event
