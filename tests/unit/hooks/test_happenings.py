"""Agents' hooks: what is told is stored once, in whole turns, and what is remembered comes with the next prompt."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from cairn.ground.errors import InvalidArgument, Unavailable
from cairn.ground.ids import Project, SessionId
from cairn.ground.session import Session
from cairn.ground.settings import MemorySettings
from cairn.recall.searching import Searcher
from cairn.tool.call import Call
from cairn.upkeep.erase_session import EraseSession
from cairn_tools.memory_list_users import memory_list_users
from support.hooks import (
    ADA,
    SESSION,
    answered,
    compacted,
    context,
    delegated,
    items,
    over,
    prompted,
    started,
    tell,
    used,
)
from support.services import changed

PNPM = "We use pnpm in this project, never npm."
OTHER = "another-session"


def maintain(call: Call, session: str = SESSION) -> None:
    call.services.maintenance.run(Session(call.caller.tenant, Project("widget"), SessionId(session)))


@pytest.mark.req("R311")
def test_a_prompt_and_its_answer_become_one_turn_however_often_each_is_told(call: Call) -> None:
    for _ in range(2):
        assert tell(call, prompted("1", PNPM)) == {}
    for _ in range(2):
        assert tell(call, answered("1", "Noted.")) == {}

    assert items(call) == [("user", PNPM), ("assistant", "Noted.")]


@pytest.mark.req("R311")
def test_turns_that_an_agent_gives_no_name_are_told_apart_though_they_say_the_same(call: Call) -> None:
    for _ in range(3):
        for event in (prompted("", "Go on."), answered("", "Done.")):
            for _ in range(2):
                tell(call, event)

    assert items(call) == [("user", "Go on."), ("assistant", "Done.")] * 3


@pytest.mark.req("R311")
def test_nothing_is_stored_before_the_answer_and_the_prompt_is_kept_sealed(call: Call, store: Any) -> None:
    tell(call, prompted("1", "The staging password rotates on Mondays."))

    assert items(call) == []
    assert b"staging password" not in store.contents()


def test_a_new_session_is_told_what_an_earlier_one_said(call: Call) -> None:
    tell(call, prompted("1", PNPM))
    tell(call, answered("1", "Noted."))

    told = context(tell(call, prompted("2", "Which package manager does this project use?", OTHER)))

    assert "pnpm" in told
    assert told.startswith("What follows")


def test_at_its_begin_a_session_is_told_what_stands(call: Call) -> None:
    tell(call, prompted("1", "Please answer in French from now on."))
    tell(call, answered("1", "D'accord."))

    assert "French" in context(tell(call, started(OTHER)))


def test_where_nothing_is_remembered_nothing_is_added(call: Call) -> None:
    assert context(tell(call, started())) == f'For memory tools: project "widget", session_id "{SESSION}".'
    assert tell(call, prompted("1", "Which package manager does this project use?")) == {}


def test_an_agent_is_not_told_again_what_it_has(call: Call) -> None:
    tell(call, prompted("1", PNPM))
    tell(call, answered("1", "Noted."))
    tell(call, prompted("2", "Which package manager does this project use?", OTHER))

    assert tell(call, prompted("3", "And which package manager did we say it uses?", OTHER)) == {}
    assert tell(call, prompted("4", "Which package manager does this project use?")) == {}


def test_a_prompt_that_is_told_again_gets_its_context_again(call: Call) -> None:
    tell(call, prompted("1", PNPM))
    tell(call, answered("1", "Noted."))
    asked = prompted("2", "Which package manager does this project use?", OTHER)

    assert tell(call, asked) == tell(call, asked) != {}


def test_after_a_compaction_an_agent_is_told_what_it_no_longer_has(call: Call, clock: Any) -> None:
    tell(call, prompted("1", PNPM))
    tell(call, answered("1", "Noted."))
    asked = "Which package manager does this project use?"
    assert tell(call, prompted("2", asked)) == {}

    clock.advance(minutes=5)
    tell(call, compacted("They settled the tools of the project."))

    assert "pnpm" in context(tell(call, prompted("3", asked)))


def test_what_was_said_since_a_compaction_an_agent_is_not_told(call: Call, clock: Any) -> None:
    tell(call, compacted("They settled the colours of the project."))
    clock.advance(minutes=5)
    tell(call, prompted("1", PNPM))
    tell(call, answered("1", "Noted."))

    assert tell(call, prompted("2", "Which package manager does this project use?")) == {}


def test_a_summary_is_kept_once_and_a_later_session_knows_it(call: Call) -> None:
    for _ in range(2):
        tell(call, compacted("They moved the nightly export to the blue cluster."))

    assert len(items(call)) == 1
    assert "blue cluster" in context(tell(call, prompted("9", "Where does the nightly export run?", OTHER)))


@pytest.mark.req("R312")
def test_what_was_added_to_a_prompt_is_not_stored_where_it_comes_back(call: Call) -> None:
    tell(call, prompted("1", PNPM))
    tell(call, answered("1", "Noted."))
    told = context(tell(call, prompted("2", "Which package manager does this project use?", OTHER)))

    tell(call, prompted("3", f"{told}\n\nShall we go on?", OTHER))
    tell(call, answered("3", "Yes.", OTHER))

    assert items(call, OTHER)[-2:] == [("user", "Shall we go on?"), ("assistant", "Yes.")]


@pytest.mark.req("R311")
def test_a_prompt_without_an_end_is_stored_by_the_next_prompt(call: Call) -> None:
    tell(call, prompted("1", PNPM))
    tell(call, prompted("2", "Are you there?"))
    tell(call, answered("2", "Yes."))

    assert items(call) == [("user", PNPM), ("user", "Are you there?"), ("assistant", "Yes.")]


@pytest.mark.req("R311")
def test_a_prompt_without_an_end_is_stored_when_the_session_ends(call: Call) -> None:
    tell(call, prompted("1", PNPM))
    for _ in range(2):
        tell(call, over())

    assert items(call) == [("user", PNPM)]


@pytest.mark.req("R311")
def test_maintenance_finds_a_prompt_without_an_end_and_stores_it_after_an_hour(call: Call, clock: Any) -> None:
    tell(call, prompted("1", PNPM))
    clock.advance(minutes=59)
    maintain(call)
    assert items(call) == []

    clock.advance(minutes=61)
    due = call.services.every_due
    run = call.services.maintenance.run_due
    found = [due.run_shard(shard, timedelta(minutes=1), run) for shard in due.due_shards()]

    assert found
    assert items(call) == [("user", PNPM)]


@pytest.mark.req("R311")
def test_an_answer_that_comes_after_its_turn_was_given_up_is_stored_behind_it(call: Call) -> None:
    tell(call, prompted("1", PNPM))
    tell(call, prompted("2", "Are you there?"))
    for _ in range(2):
        tell(call, answered("1", "Noted, late."))

    assert items(call) == [("user", PNPM), ("assistant", "Noted, late.")]


@pytest.mark.req("R311")
def test_an_answer_that_is_told_again_behind_the_next_prompt_is_stored_once(call: Call) -> None:
    tell(call, prompted("1", PNPM))
    tell(call, answered("1", "Noted."))
    tell(call, prompted("2", "Are you there?"))
    tell(call, answered("1", "Noted."))

    assert items(call) == [("user", PNPM), ("assistant", "Noted.")]


@pytest.mark.req("R311")
def test_an_answer_whose_prompt_was_never_told_is_stored_alone_and_once(call: Call) -> None:
    for _ in range(2):
        tell(call, answered("1", "The build is green again."))

    assert items(call) == [("assistant", "The build is green again.")]


def test_what_tools_did_is_in_the_turn_in_short_and_without_secrets(call: Call) -> None:
    tell(call, prompted("1", "Run the tests, please."))
    said = "GITHUB_TOKEN=ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2 + "\n" + "ok\n" * 2000
    for _ in range(2):
        tell(call, used("1", "t1", "pnpm test", said))
    tell(call, answered("1", "All green."))

    stored = items(call)

    assert [role for role, _ in stored] == ["user", "assistant", "tool", "assistant"]
    assert json.loads(stored[1][1]) == {"command": "pnpm test"}
    assert "ghp_" not in stored[2][1]
    assert len(stored[2][1]) <= 700


def test_of_much_that_tools_did_the_newest_is_kept(call: Call, clock: Any) -> None:
    tell(call, prompted("1", "Run everything, please."))
    for number in range(30):
        clock.advance(seconds=1)
        tell(call, used("1", f"t{number:02}", f"step {number:02}", f"{number:02} " + "word " * 100))
    tell(call, answered("1", "Done."))

    outputs = [text[:2] for role, text in items(call) if role == "tool"]

    assert outputs[-1] == "29"
    assert outputs == [f"{number:02}" for number in range(30 - len(outputs), 30)]
    assert sum(len(text) for _, text in items(call)) < 7000


def test_another_agents_answer_stands_in_the_turn_that_asked_for_it(call: Call) -> None:
    tell(call, prompted("1", "Have somebody look at the tests."))
    for _ in range(2):
        tell(call, delegated("1", "reviewer", "Two of the tests can never fail."))
    tell(call, delegated("1", "", "The harness sums up."))
    tell(call, answered("1", "Two are useless."))

    assert [text for _, text in items(call)] == [
        "Have somebody look at the tests.",
        "",
        "Two of the tests can never fail.",
        "Two are useless.",
    ]


def test_a_large_prompt_is_kept_whole(call: Call) -> None:
    prompt = "".join(f"line {number} of the log\n" for number in range(20_000))
    tell(call, prompted("1", prompt))
    tell(call, answered("1", "Long."))

    assert items(call)[0] == ("user", prompt)


def test_a_session_belongs_to_the_project_of_its_folder(call: Call) -> None:
    tell(call, {**prompted("1", PNPM), "cwd": "/srv/Some Project/"})
    tell(call, {**answered("1", "Noted."), "cwd": "/srv/Some Project/"})

    session = Session(call.caller.tenant, Project("Some-Project"), SessionId(SESSION))
    assert len(list(call.services.sessions.history(session))) == 1


def test_memory_that_cannot_be_searched_costs_the_context_and_not_the_turn(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> object:
        raise Unavailable("The store is away")

    with monkeypatch.context() as patched:
        patched.setattr(Searcher, "beliefs", fail)
        assert tell(call, prompted("1", PNPM)) == {}
    tell(call, answered("1", "Noted."))

    assert items(call)[0] == ("user", PNPM)


def test_events_that_memory_need_not_know_change_nothing(call: Call, store: Any) -> None:
    before = store.rows()
    for name in ("PreToolUse", "PreCompact", "Notification", "SomethingNew"):
        assert tell(call, {**started(), "hook_event_name": name}) == {}

    assert store.rows() == before


@pytest.mark.parametrize(
    ("agent", "event", "field"),
    [("clippy", started(), "agent"), ("claude-code", {"hook_event_name": "Stop"}, "session_id")],
)
def test_what_is_no_event_is_refused_by_the_name_of_its_field(
    call: Call, agent: str, event: dict[str, Any], field: str
) -> None:
    with pytest.raises(InvalidArgument) as refused:
        tell(call, event, agent)

    assert field in str(refused.value.details["fields"])


def test_in_a_project_that_is_shared_one_users_agent_is_told_what_anothers_was(call: Call) -> None:
    shared = MemorySettings(shared_projects=("widget",))
    settings = replace(call.services.settings, memory=shared)
    team = replace(call, services=changed(call.services, settings=settings))
    tell(team, prompted("1", PNPM))
    tell(team, answered("1", "Noted."))

    asked = prompted("2", "Which package manager does this project use?", OTHER)

    assert "pnpm" in context(tell(team, asked, user="ben"))
    assert tell(call, {**asked, "session_id": "a third"}, user="cem") == {}


def test_a_user_is_known_to_the_project_in_which_their_agent_spoke(call: Call) -> None:
    tell(call, prompted("1", PNPM))
    tell(call, answered("1", "Noted."))

    listed = memory_list_users.execute({"project": "widget"}, call)["users"]

    assert [each["user_id"] for each in listed] == [ADA]


def test_two_users_are_told_nothing_of_each_other(call: Call) -> None:
    tell(call, prompted("1", PNPM))
    tell(call, answered("1", "Noted."))

    assert tell(call, prompted("2", "Which package manager does this project use?", OTHER), user="ben") == {}


def test_a_session_that_has_ended_is_not_kept_for_what_its_agent_was_told(call: Call) -> None:
    tell(call, prompted("1", PNPM))
    tell(call, answered("1", "Noted."))
    tell(call, prompted("2", "Which package manager does this project use?", OTHER))
    session = Session(call.caller.tenant, Project("widget"), SessionId(OTHER))
    assert EraseSession(call.services).is_in_use(session)

    tell(call, over(OTHER))

    assert not EraseSession(call.services).is_in_use(session)
