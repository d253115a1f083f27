"""AgentCore's events, brought along: each once, with its time and branch, learnt from, for whom it was."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from cairn.ground.ids import Project, UserId
from cairn.tool.call import Call, execute
from cairn_agentcore.catalog import OPERATIONS
from cairn_agentcore.names import session_of
from cairn_tools.catalog import CATALOG
from support.brought import brought, document, figures

MEMORY = "garden-AbCdEf1234"
JUNE = datetime(2025, 6, 1, 9, tzinfo=UTC)


def event(number: int, *payload: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "memoryId": MEMORY,
        "actorId": "user/ada",
        "sessionId": "monday",
        "eventId": f"{number:019d}#ab12cd34",
        "eventTimestamp": str(JUNE.replace(minute=number)),
        "payload": list(payload),
        **more,
    }


def said(role: str, text: str) -> dict[str, Any]:
    return {"conversational": {"role": role, "content": {"text": text}}}


EVENTS = [
    event(3, {"blob": {"step": 2}}, branch={"name": "other", "rootEventId": "0000000000000000001#ab12cd34"}),
    event(2, {"blob": {"step": 1}}, metadata={"kind": {"stringValue": "state"}}),
    event(1, said("USER", "I live in Oslo."), said("ASSISTANT", "Noted.")),
]
"""As AWS lists them: the newest first."""


@pytest.fixture
def dumped(tmp_path: Path) -> Path:
    return document(tmp_path / "events.json", {"events": EVENTS})


def listed(call: Call, memory: str = MEMORY, actor: str = "user/ada") -> list[dict[str, Any]]:
    listing = next(each for each in OPERATIONS if each.name == "ListEvents")
    asked = {"memoryId": memory, "actorId": actor, "sessionId": "monday"}
    return list(listing.answer(asked, call, "")["events"])


def known(call: Call, project: str, user: str) -> list[str]:
    answer = execute(CATALOG, "memory_list_known", {"project": project, "user_id": user}, call)
    return [f"{each['value']} {each['since'][:10]}" for each in answer["facts"]]


def test_events_are_told_as_aws_told_them(call: Call, dumped: Path) -> None:
    outcome = brought(call, "agentcore", dumped)

    assert figures(outcome) == {(MEMORY, "user%2Fada"): (1, 3, 0, 0, 0)}
    found = listed(call)
    assert [(each["payload"], each["eventTimestamp"]) for each in found] == [
        (each["payload"], datetime.fromisoformat(each["eventTimestamp"]).timestamp()) for each in EVENTS
    ]
    assert found[1]["metadata"] == {"kind": {"stringValue": "state"}}
    assert found[0]["branch"] == {"name": "other", "rootEventId": found[2]["eventId"]}


def test_what_was_said_is_learnt_with_its_time(call: Call, dumped: Path) -> None:
    brought(call, "agentcore", dumped)

    assert known(call, MEMORY, "user%2Fada") == ["Oslo 2025-06-01"]
    session = {"project": MEMORY, "session_id": session_of("user%2Fada", "monday")}
    items = execute(CATALOG, "memory_list_items", session, call)["items"]
    assert [each["item"]["role"] for each in items] == ["user", "assistant"]


def test_a_second_run_finds_all_of_it_there_and_a_dry_one_stores_nothing(call: Call, dumped: Path) -> None:
    assert figures(brought(call, "agentcore", dumped, dry=True)) == {(MEMORY, "user%2Fada"): (1, 3, 0, 0, 0)}
    assert listed(call) == []
    brought(call, "agentcore", dumped)
    before = listed(call)

    assert figures(brought(call, "agentcore", dumped)) == {(MEMORY, "user%2Fada"): (0, 0, 0, 3, 0)}
    assert listed(call) == before


def test_a_branch_that_a_later_run_brings_begins_where_the_first_run_put_its_root(
    call: Call, dumped: Path, tmp_path: Path
) -> None:
    brought(call, "agentcore", document(tmp_path / "first.json", {"events": EVENTS[1:]}))
    root = listed(call)[1]["eventId"]

    brought(call, "agentcore", dumped)

    assert listed(call)[0]["branch"] == {"name": "other", "rootEventId": root}


def test_all_of_it_goes_to_the_project_and_user_that_are_named(call: Call, dumped: Path) -> None:
    brought(call, "agentcore", dumped, project=Project("yard"), user=UserId("eve"))

    assert len(listed(call, "yard-cairnstore", "eve")) == 3
    assert known(call, "yard", "eve") == ["Oslo 2025-06-01"]


@pytest.mark.parametrize(
    "broken",
    [
        {"memoryId": "none"},
        {"actorId": ""},
        {"sessionId": 7},
        {"eventId": 7},
        {"eventTimestamp": "June"},
        {"payload": [1]},
    ],
)
def test_what_is_no_event_is_named_and_the_rest_is_kept(call: Call, tmp_path: Path, broken: dict[str, Any]) -> None:
    file = tmp_path / "events.json"
    file.write_text(json.dumps([{**EVENTS[2], **broken}, EVENTS[1]]))

    outcome = brought(call, "agentcore", file)

    assert [str(each) for each in outcome.unreadable] == [f"{file}:1"]
    assert len(listed(call)) == 1
