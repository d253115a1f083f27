"""How AgentCore's names, ids and namespaces stand for Cairn's, and back."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cairn.ground.errors import InvalidArgument
from cairn_agentcore.event_ids import event_id, position_of
from cairn_agentcore.names import actor_of, memory_of, owner_digits, project_of, session_id_of, session_of, user_of
from cairn_agentcore.namespaces import About, about, labels_of
from cairn_agentcore.record_fields import RecordFilter
from cairn_agentcore.record_filters import matches
from cairn_agentcore.record_ids import Learnt, SaidPlace, found_id, is_kept, kept_id, session_digits, source_of
from cairn_agentcore.said import turns, words

MEMORY_ID = st.from_regex(r"[a-zA-Z][a-zA-Z0-9_-]{0,99}-[a-zA-Z0-9]{10}", fullmatch=True)
ACTOR_CHARACTERS = "abcXYZ019-_/:%@. "
ACTOR_ID = st.text(ACTOR_CHARACTERS, min_size=1, max_size=40).filter(lambda each: each.strip(". ") != "")
RECORD_ID = re.compile(r"mem-[a-zA-Z0-9_-]{36,46}")


@given(MEMORY_ID)
def test_two_memories_are_never_one_project_but_by_the_name_that_says_so(memory_id: str) -> None:
    project = project_of(memory_id)

    assert project == memory_id.removesuffix("-cairnstore")
    assert memory_of(project) in {memory_id, project}


@pytest.mark.parametrize(
    ("project", "memory"),
    [
        ("garden", "garden-cairnstore"),
        ("garden-0123456789", "garden-0123456789"),
        ("owner/repo", None),
        ("team.garden", None),
        ("9lives", None),
        ("g" * 101, None),
    ],
)
def test_a_project_is_told_as_the_memory_that_stands_for_it(project: str, memory: str | None) -> None:
    assert memory_of(project) == memory
    assert memory is None or project_of(memory) == project


def test_a_memory_s_arn_is_the_memory() -> None:
    assert project_of("arn:aws:bedrock-agentcore:eu-central-1:123456789012:memory/garden-0123456789") == project_of(
        "garden-0123456789"
    )
    for wrong in ("garden", "garden-012345678", "../x-0123456789", "arn:aws:s3:::memory/garden-0123456789", ""):
        with pytest.raises(InvalidArgument):
            project_of(wrong)


@given(ACTOR_ID, st.from_regex(r"[a-zA-Z0-9][a-zA-Z0-9_~-]{0,20}", fullmatch=True))
def test_an_actor_is_one_user_and_its_session_one_session(actor_id: str, session_id: str) -> None:
    user = user_of(actor_id)

    assert actor_of(user) == actor_id
    assert "/" not in user
    assert session_id_of(session_of(user, session_id)) == session_id
    assert session_of(user, session_id) != session_of(f"{user}x", session_id)


@given(st.integers(0, 4_000_000_000_000), st.integers(0, 2**52))
def test_an_event_s_id_tells_its_position_and_sorts_by_time(milliseconds: int, position: int) -> None:
    found = event_id(milliseconds / 1000, position)

    assert re.fullmatch(r"[0-9]+#[a-fA-F0-9]+", found)
    assert position_of(found) == position
    assert event_id(milliseconds / 1000 + 1, 0) > found


def test_an_id_of_no_event_tells_no_position() -> None:
    assert position_of(f"1#{'f' * 30}") is None


@pytest.mark.parametrize(
    ("namespace", "expected"),
    [
        ("/facts/ada", About("ada")),
        ("facts/user/ada:1/", About("user/ada:1")),
        ("/preferences/ada", About("ada")),
        ("/summaries/ada/monday", About("ada", "monday")),
        ("/summaries/user/ada/monday", About("user/ada", "monday")),
        ("/summaries/ada", About("ada")),
        ("/strategies/s-1/actors/ada", About("ada")),
        ("/strategies/s-1/actors/user/ada/sessions/monday/", About("user/ada", "monday")),
        ("/actors/ada", About("ada")),
        ("/users/ada/facts", About("ada")),
        ("/actors/sessions/sessions/monday", About("sessions", "monday")),
        ("/", None),
        ("/facts", None),
        ("/actors/", None),
        ("/support/customer/ada/preferences", None),
        ("/a/b/c/actors/ada", None),
    ],
)
def test_a_namespace_tells_whose_memory_it_is_about(namespace: str, expected: About | None) -> None:
    assert about(labels_of(namespace)) == expected


@pytest.mark.parametrize(
    ("found", "source"),
    [
        ("01M8CHQRCH00AJCK7RRP98TZ0A", Learnt(owner_digits("ada"), "01M8CHQRCH00AJCK7RRP98TZ0A")),
        (f"u-{'0a' * 16}", Learnt(owner_digits("ada"), f"u-{'0a' * 16}")),
        (
            "0000001795717763767#0000000a-2-in-3",
            SaidPlace(owner_digits("ada"), session_digits("monday"), 10, 2, "i", 3),
        ),
        (
            f"{event_id(4e9, 2**52 - 1)}-99-out-99",
            SaidPlace(owner_digits("ada"), session_digits("monday"), 2**52 - 1, 99, "o", 99),
        ),
        ("turn-1-in-0", None),
        ("turn-" + "x" * 100 + "-in-0", None),
    ],
)
def test_a_record_s_id_tells_where_what_was_found_comes_from(found: str, source: object) -> None:
    named = found_id("ada", found, "monday")

    assert RECORD_ID.fullmatch(named)
    assert source_of(named) == source
    assert not is_kept(named)


@given(st.text(max_size=20), st.text("abc-_", min_size=1, max_size=20))
def test_a_record_that_a_client_made_has_an_id_of_its_own_kind(token: str, identifier: str) -> None:
    named = kept_id(token, identifier)

    assert RECORD_ID.fullmatch(named)
    assert is_kept(named)
    assert source_of(named) is None
    assert kept_id(token, identifier) == named != kept_id(f"{token}x", identifier)


METADATA = {
    "kind": {"stringValue": "garden note"},
    "tags": {"stringListValue": ["a", "b"]},
    "rows": {"numberValue": 3.0},
    "at": {"dateTimeValue": 1_772_366_400.0},
}


@pytest.mark.parametrize(
    ("key", "operator", "value", "expected"),
    [
        ("kind", "EQUALS_TO", {"stringValue": "garden note"}, True),
        ("kind", "EQUALS_TO", {"stringValue": "garden"}, False),
        ("tags", "EQUALS_TO", {"stringListValue": ["a", "b"]}, True),
        ("rows", "EQUALS_TO", {"numberValue": 3}, True),
        ("rows", "EQUALS_TO", {"stringValue": "3"}, False),
        ("at", "EQUALS_TO", {"dateTimeValue": "2026-03-01T12:00:00Z"}, True),
        ("kind", "EXISTS", None, True),
        ("none", "EXISTS", None, False),
        ("none", "NOT_EXISTS", None, True),
        ("kind", "CONTAINS", {"stringValue": "note"}, True),
        ("kind", "CONTAINS", {"stringValue": "notes"}, False),
        ("tags", "CONTAINS", {"stringValue": "a"}, True),
        ("tags", "CONTAINS", {"stringValue": "ab"}, False),
        ("at", "BEFORE", {"dateTimeValue": 1_772_366_401}, True),
        ("at", "BEFORE", {"dateTimeValue": 1_772_366_400}, False),
        ("at", "AFTER", {"dateTimeValue": 1_772_366_399}, True),
        ("rows", "GREATER_THAN", {"numberValue": 3}, False),
        ("rows", "GREATER_THAN_OR_EQUALS", {"numberValue": 3}, True),
        ("rows", "LESS_THAN", {"numberValue": 3.5}, True),
        ("rows", "LESS_THAN_OR_EQUALS", {"numberValue": 2}, False),
        ("rows", "LESS_THAN", {"stringValue": "4"}, False),
        ("none", "LESS_THAN", {"numberValue": 4}, False),
    ],
)
def test_a_filter_compares_values_of_one_kind(
    key: str, operator: str, value: dict[str, Any] | None, *, expected: bool
) -> None:
    told: dict[str, Any] = {"left": {"metadataKey": key}, "operator": operator}
    wanted = RecordFilter.model_validate(told | ({} if value is None else {"right": {"metadataValue": value}}))

    assert matches(METADATA, [wanted]) is expected


def said(*parts: tuple[str, str]) -> list[dict[str, Any]]:
    return [{"conversational": {"role": role, "content": {"text": text}}} for role, text in parts]


def test_turns_are_what_a_user_said_up_to_the_next_that_was_answered() -> None:
    payload = said(
        *(("ASSISTANT", "Hello."), ("USER", "a"), ("USER", "b"), ("TOOL", "t"), ("ASSISTANT", "c"), ("OTHER", "o")),
        *(("ASSISTANT", "d"), ("USER", "e"), ("USER", " ")),
    )

    found = turns([payload[0], {"blob": "x"}, *payload[1:], {"json": {"content": 1}}])

    assert [([each["content"] for each in one.inputs], [each["content"] for each in one.outputs]) for one in found] == [
        ([], ["Hello."]),
        (["a", "b"], ["c", "d"]),
        (["e"], []),
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I live in Oslo.", "I live in Oslo."),
        ('{"message": {"role": "user", "content": [{"text": "I"}, {"toolUse": {}}, {"text": "live"}]}}', "I\nlive"),
        ('{"message": {"role": "user", "content": [{"toolResult": {}}]}}', ""),
        ('{"a": 1}', '{"a": 1}'),
        ('{"message": "x"}', '{"message": "x"}'),
        ("{not json", "{not json"),
        ("{" * 100_000, "{" * 100_000),
    ],
)
def test_a_message_of_strands_is_read_by_its_words_and_any_other_text_as_it_is(text: str, expected: str) -> None:
    assert words(text) == expected
