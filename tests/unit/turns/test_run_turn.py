"""A turn in two calls: prepared input and a token, then the answer under the token."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cairn.access.api_keys import project_pattern
from cairn.access.callers import Caller
from cairn.ground.errors import Disabled, InvalidArgument, PermissionDenied
from cairn.ground.ids import Tenant
from cairn.settings.settings import Settings, load
from cairn.tool.call import Call
from cairn.turns.operation_token import parse
from cairn_tools.memory_after_turn import memory_after_turn
from cairn_tools.memory_before_turn import memory_before_turn
from cairn_tools.memory_run_turn import EXAMPLE, memory_run_turn
from support.receipts import without_call
from support.services import changed

SESSION = {"project": "garden", "session_id": "monday"}
SAID = [{"type": "message", "role": "user", "content": "My name is Ada. I prefer raised beds."}]
ANSWER = [{"type": "message", "role": "assistant", "content": "Raised beds suit beans well."}]
TURN = {**SESSION, "user_id": "ada", "turn_id": "1"}


def begin(call: Call, **fields: Any) -> dict[str, Any]:
    return memory_run_turn.execute({"phase": "begin", **TURN, "current_input": SAID, **fields}, call)


def finish(call: Call, token: str, outputs: list[dict[str, Any]] | None = None) -> dict[str, Any]:
    answer = ANSWER if outputs is None else outputs
    return memory_run_turn.execute({"phase": "commit", "operation_token": token, "output_items": answer}, call)


def recalled(call: Call) -> dict[str, Any]:
    return memory_before_turn.execute({**SESSION, "user_id": "ada", "current_input": "Who am I?"}, call)


def without_ids(answer: dict[str, Any]) -> str:
    """Return what was recalled, without the ids and tags in it, which differ between two tenants."""
    return re.sub(r"[0-9a-f]{32}|[0-9A-HJKMNP-TV-Z]{26}|#[0-9a-hjkmnp-tv-z]{4}", "", str(answer["input_items"]))


@pytest.mark.req("R094")
def test_the_tool_is_absent_until_the_settings_name_it() -> None:
    flag = {"settings": {"mcp": {"tools": {"memory": {"enabled": True}, "memory_run_turn": {"enabled": True}}}}}
    default, named = load({}, {"CAIRN_MEMORY_ENABLED": "true"}), load(flag, {})

    assert not memory_run_turn.enabled(default, Tenant("acme"))
    assert memory_run_turn.enabled(named, Tenant("acme"))


@pytest.mark.req("R094")
def test_a_call_of_the_tool_that_is_off_is_refused(call: Call) -> None:
    off = replace(call, services=changed(call.services, settings=Settings(memory_enabled=True)))

    with pytest.raises(Disabled):
        memory_run_turn.execute(EXAMPLE, off)


@pytest.mark.req("R094")
def test_begin_gives_what_before_turn_gives_and_a_token(call: Call) -> None:
    memory_after_turn.execute({**TURN, "turn_id": "0", "input_items": SAID, "output_items": ANSWER}, call)
    asked = {**SESSION, "user_id": "ada", "current_input": "What do I prefer?"}
    begun = memory_run_turn.execute({"phase": "begin", **asked, "turn_id": "1"}, call)

    prepared = memory_before_turn.execute(asked, call)

    assert without_call({name: begun[name] for name in prepared}) == without_call(prepared)
    assert set(begun) - set(prepared) == {"operation_token", "expires_at"}
    assert begun["recall_fact_ids"]


@pytest.mark.req("R095")
def test_a_commit_stores_what_after_turn_would_have_stored(call: Call) -> None:
    expected = memory_after_turn.execute({**TURN, "input_items": SAID, "output_items": ANSWER}, call)
    asked = recalled(call)
    other = replace(call, caller=replace(call.caller, tenant=Tenant("globex")))

    committed = finish(other, begin(other)["operation_token"])

    assert committed == expected
    assert without_ids(recalled(other)) == without_ids(asked)
    assert "Ada" in str(recalled(other)["input_items"])


@pytest.mark.req("R095")
def test_a_token_commits_once_and_a_repetition_is_a_replay(call: Call) -> None:
    token = begin(call)["operation_token"]

    answers = [finish(call, token) for _ in range(3)]

    assert [answer["replayed"] for answer in answers] == [False, True, True]


def test_a_turn_that_was_begun_twice_is_stored_once_whichever_token_comes_back(call: Call) -> None:
    first, second = (begin(call)["operation_token"] for _ in range(2))

    assert first != second
    assert [finish(call, token)["replayed"] for token in (second, first)] == [False, True]


def test_a_turn_without_an_id_gets_one_that_no_other_turn_has(call: Call) -> None:
    unnamed = {name: value for name, value in TURN.items() if name != "turn_id"}
    begun = [memory_run_turn.execute({"phase": "begin", **unnamed, "current_input": SAID}, call) for _ in range(2)]

    assert len({parse(each["operation_token"]).operation.turn_id for each in begun}) == 2
    assert [finish(call, each["operation_token"])["replayed"] for each in begun] == [False, False]


@pytest.mark.req("R095")
def test_an_expired_token_stores_nothing(call: Call, clock: Any) -> None:
    token = begin(call)["operation_token"]
    clock.advance(hours=1, seconds=1)

    with pytest.raises(PermissionDenied, match="expired"):
        finish(call, token)
    assert "Ada" not in str(recalled(call)["input_items"][:-1])


@pytest.mark.req("R095")
def test_another_tenants_token_is_refused_as_a_forged_one_is(call: Call, caller: Caller) -> None:
    token = begin(call)["operation_token"]
    other = replace(call, caller=replace(caller, tenant=Tenant("globex")))
    body, _, tag = token.partition(".")
    refusals: list[str] = []
    for who, forged in ((other, token), (call, f"{body}.{tag[:-1]}{'0' if tag[-1] != '0' else '1'}"), (call, body)):
        with pytest.raises(PermissionDenied) as refused:
            finish(who, forged)
        refusals.append(refused.value.message)

    assert len(set(refusals)) == 1
    assert finish(call, token)["replayed"] is False


@pytest.mark.req("R095")
def test_a_token_cannot_be_turned_to_another_turn(call: Call) -> None:
    token, other = (begin(call, turn_id=name)["operation_token"] for name in ("1", "2"))

    with pytest.raises(PermissionDenied):
        finish(call, f"{other.partition('.')[0]}.{token.partition('.')[2]}")


def test_a_key_of_another_project_cannot_commit_the_turn(call: Call, caller: Caller) -> None:
    token = begin(call)["operation_token"]
    elsewhere = replace(call, caller=replace(caller, projects=(project_pattern("shop"),)))

    with pytest.raises(PermissionDenied, match="project"):
        finish(elsewhere, token)


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({}, "phase"),
        ({"phase": "end"}, "phase"),
        ({"phase": 3}, "phase"),
        ({"phase": "begin", **SESSION}, "current_input"),
        ({"phase": "begin", **TURN, "current_input": "Hi", "output_items": []}, "output_items"),
        ({"phase": "commit", "output_items": []}, "operation_token"),
        ({"phase": "commit", "operation_token": "x.y", "output_items": []}, "operation_token"),
        ({"phase": "commit", "operation_token": 3, "output_items": []}, "operation_token"),
        ({"phase": "commit", "operation_token": "x.y", "output_items": [{"role": 3}]}, "output_items[0].role"),
    ],
)
def test_a_bad_field_of_either_phase_is_named(arguments: dict[str, Any], field: str, call: Call) -> None:
    with pytest.raises(InvalidArgument) as refused:
        memory_run_turn.execute(arguments, call)

    assert field in refused.value.details["fields"]  # pyright: ignore[reportOperatorIssue]


@given(st.text(max_size=200) | st.binary(max_size=60).map(lambda raw: raw.hex() + ".0"))
def test_any_text_is_a_token_or_refused_as_none(text: str) -> None:
    try:
        token = parse(text)
    except InvalidArgument:
        return
    assert parse(token.text()) == token


def test_what_was_said_stands_sealed_between_the_two_calls(call: Call, store: Any) -> None:
    begin(call, current_input="The canary sings at dawn.")

    assert b"canary" not in store.contents()
