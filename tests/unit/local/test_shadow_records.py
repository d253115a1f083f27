"""The records of a direct memory path: what they ask of the tools, and what is wrong with those that are none."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cairn.ground.errors import InvalidArgument, SettingsError
from cairn.local.shadow.records import read

RECORD: dict[str, Any] = {
    "project": "garden",
    "session_id": "monday",
    "turn_id": "turn-1",
    "at": "2026-03-02T10:00:00+01:00",
    "current_input": "Hello",
    "output_items": [{"role": "assistant", "content": "Hi."}],
    "direct": {"recall_facts": [{"key": "user_name", "value": "Ada"}, "raised beds"], "context_token_count": 3},
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "records.jsonl"


def write(path: Path, *records: object) -> None:
    path.write_text("\n\n".join(json.dumps(record) for record in records) + "\n", encoding="utf-8")


def test_a_record_is_the_arguments_of_both_tools_and_what_the_direct_path_recalled(path: Path) -> None:
    write(path, RECORD | {"user_id": "ada", "max_input_tok": 900})

    (record,) = read(path)

    said = [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Hello"}]}]
    names = {"session_id": "monday", "turn_id": "turn-1", "user_id": "ada"}
    assert record.before() == {**names, "current_input": said, "max_input_tok": 900}
    assert record.after() == {**names, "input_items": said, "output_items": RECORD["output_items"]}
    assert record.direct.values() == ("Ada", "raised beds")


def test_input_items_are_passed_on_as_they_are(path: Path) -> None:
    items = [{"role": "user", "content": "Hello", "x": 1}]
    write(path, RECORD | {"current_input": items})

    assert read(path)[0].before() == {"session_id": "monday", "turn_id": "turn-1", "current_input": items}


@pytest.mark.parametrize(
    ("record", "told"),
    [
        ({**RECORD, "at": "2026-03-02T10:00:00"}, "line 3: at"),
        ({**RECORD, "at": "2026-03-02T08:59:59Z"}, "line 3: at is before the time of the line above"),
        ({**RECORD, "fles": []}, "line 3: fles"),
        ({name: value for name, value in RECORD.items() if name != "direct"}, "line 3: direct is required"),
        ({**RECORD, "direct": {**RECORD["direct"], "context_token_count": -1}}, "line 3: direct.context_token_count"),
        ([], "line 3: arguments must be a JSON object"),
    ],
)
def test_what_is_wrong_is_told_with_its_line_and_its_field(path: Path, record: object, told: str) -> None:
    write(path, RECORD, record)

    with pytest.raises(InvalidArgument) as raised:
        read(path)

    assert told in raised.value.message
    assert "Hello" not in raised.value.message


@pytest.mark.parametrize(
    ("text", "told"), [("{", "line 1 is not JSON"), ("[" * 99999, "line 1 is not JSON"), ("\n", "holds no")]
)
def test_a_file_that_holds_no_records_is_refused(path: Path, text: str, told: str) -> None:
    path.write_text(text, encoding="utf-8")

    with pytest.raises(InvalidArgument, match=told):
        read(path)


def test_a_file_that_is_no_text_is_refused(path: Path) -> None:
    path.write_bytes(b"\xff")

    with pytest.raises(SettingsError, match="RECORDS: cannot be read"):
        read(path)
