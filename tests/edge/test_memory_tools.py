"""remember, recall and forget at both doors: which words and numbers they take, kept as given, and where they end."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cairn.services import Services
from cairn.tool.tool import Tool
from cairn_mcp import door
from cairn_tools.forget import forget
from cairn_tools.memory_after_turn import memory_after_turn
from cairn_tools.memory_list_changes import memory_list_changes
from cairn_tools.recall import recall
from cairn_tools.remember import remember

Ask = Callable[..., dict[str, Any]]
TYPES = [
    "fact",
    "assumption",
    "hypothesis",
    "discovery",
    "risk",
    "unknown",
    "decision",
    "architectural_decision",
    "implementation_decision",
    "alternative",
    "trade_off",
    "convention",
    "coding_standard",
    "architectural_convention",
    "agent_rule",
    "process_convention",
    "error",
    "bug",
    "failure",
    "incident",
    "root_cause",
    "lesson_learned",
]
THREE_BYTES = "東"


@pytest.fixture(params=["http", "mcp"])
def ask(request: pytest.FixtureRequest, event_of: Callable[..., dict[str, Any]], services: Services) -> Ask:
    """Return a function that calls a tool through a door and returns its answer, or its error's envelope."""
    del services

    def place(arguments: dict[str, Any]) -> dict[str, Any]:
        given = {"project": "garden", "session_id": "monday", **arguments}
        return {name: value for name, value in given.items() if value is not None}

    def by_http(tool: Tool, **arguments: Any) -> dict[str, Any]:
        event = event_of(f"/v1/tools/{tool.name}", place(arguments))
        return json.loads(tool.handler(event, None)["body"])

    def by_mcp(tool: Tool, **arguments: Any) -> dict[str, Any]:
        params = {"name": tool.name, "arguments": place(arguments)}
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        return json.loads(door.handler(event_of("/mcp", body), None)["body"])["result"]["structuredContent"]

    return by_http if request.param == "http" else by_mcp


def kept(ask: Ask, content: str = "Beans go north.", **more: Any) -> dict[str, Any]:
    """Remember something and return what recall tells of it."""
    name = ask(remember, content=content, **more)["memory_id"]
    (found,) = [each for each in ask(recall, min_confidence=0, limit=50)["memories"] if each["id"] == name]
    return found


def refused(ask: Ask, tool: Tool, **arguments: Any) -> list[str]:
    """Return which fields a call is refused for."""
    error = ask(tool, **arguments)["error"]
    assert error["code"] == "INVALID_ARGUMENT"
    return list(error["details"]["fields"])


@pytest.mark.req("R236")
@pytest.mark.req("R270")
def test_each_of_the_22_types_is_taken_as_a_word_and_found_by_it(ask: Ask) -> None:
    assert len(TYPES) == len(set(TYPES)) == 22
    for name in TYPES:
        answer = ask(remember, content=f"Kept as {name}.", type=name)
        assert (answer["remembered"], answer["memory_type"]) == (True, name)
        (found,) = ask(recall, type=name)["memories"]
        assert (found["id"], found["type"], found["content"]) == (answer["memory_id"], name, f"Kept as {name}.")
    assert ask(recall, type="all", limit=50)["count"] == 22
    assert kept(ask)["type"] == "fact"


@pytest.mark.req("R236")
@pytest.mark.req("R270")
@pytest.mark.parametrize("name", ["Fact", "FACT", " fact", "facts", "", "all", "trade-off", 1, True, ["fact"], {}])
def test_another_type_is_refused_by_the_name_of_its_field(ask: Ask, name: object) -> None:
    assert refused(ask, remember, content="Beans go north.", type=name) == ["type"]
    if name != "all":
        assert refused(ask, recall, type=name) == ["type"]


@pytest.mark.req("R270")
@pytest.mark.parametrize(
    ("word", "number"), [("high", 0.9), ("medium", 0.6), ("low", 0.3), ("High", 0.9), (" LOW ", 0.3)]
)
def test_a_word_for_confidence_is_a_number(ask: Ask, word: str, number: float) -> None:
    assert kept(ask, confidence=word)["confidence"] == number


@pytest.mark.req("R270")
@pytest.mark.parametrize(
    ("given", "clamped"), [(-0.1, 0), (-1e300, 0), (1.0000001, 1), (7, 1), (10**30, 1), (0, 0), (1, 1)]
)
def test_a_confidence_out_of_range_counts_as_the_nearest(ask: Ask, given: float, clamped: float) -> None:
    assert kept(ask, confidence=given)["confidence"] == clamped


@pytest.mark.req("R270")
def test_a_confidence_is_kept_exactly_and_is_0_8_unless_told(ask: Ask) -> None:
    for number in (0.1 + 0.2, 1 / 3, 0.123456789012345, 5e-324, 0.9999999999999999):
        assert kept(ask, f"So sure: {number}", confidence=number)["confidence"] == number
    assert kept(ask)["confidence"] == 0.8


@pytest.mark.req("R270")
@pytest.mark.parametrize("given", ["0.5", "", "sure", "high low", True, False, [0.5], {}])
def test_what_is_no_confidence_is_refused_by_the_name_of_its_field(ask: Ask, given: object) -> None:
    assert refused(ask, remember, content="Beans go north.", confidence=given) == ["confidence"]


@pytest.mark.req("R270")
@pytest.mark.parametrize("field", ["content", "rationale"])
def test_2000_bytes_are_taken_and_not_one_more_however_many_characters_they_are(ask: Ask, field: str) -> None:
    given: dict[str, Any] = {"content": "Beans go north.", "rationale": None}
    for most in ("x" * 2000, THREE_BYTES * 666 + "xx", f" \n{'x' * 2000}\t "):
        assert kept(ask, **given | {field: most})["content"] == (
            most.strip() if field == "content" else given["content"]
        )
    for more in ("x" * 2001, THREE_BYTES * 667, "é" * 1000 + "x", "", " \n\t", 7):
        assert refused(ask, remember, **given | {field: more}) == [field]


@pytest.mark.req("R271")
def test_a_recall_returns_10_unless_told_and_1_to_50(ask: Ask) -> None:
    for number in range(51):
        ask(remember, content=f"Row {number} holds beans.")

    assert [len(ask(recall, **limit)["memories"]) for limit in ({}, {"limit": 1}, {"limit": 50})] == [10, 1, 50]
    for limit in (0, -1, 51, 1.5, "10", True):
        assert refused(ask, recall, limit=limit) == ["limit"]


@pytest.mark.req("R271")
def test_a_query_has_at_most_1000_bytes(ask: Ask) -> None:
    ask(remember, content="Beans go north.")
    assert ask(recall, query=f"  beans {THREE_BYTES * 331}x ")["count"] == 1

    for query in ("x" * 1001, THREE_BYTES * 334):
        assert refused(ask, recall, query=query) == ["query"]


@pytest.mark.req("R271")
def test_each_search_mode_finds_and_another_is_refused(ask: Ask) -> None:
    ask(remember, content="Beans go north.")

    for mode in ("text", "semantic", "hybrid"):
        assert ask(recall, query="beans", search_mode=mode)["count"] == 1
    for mode in ("Text", "vector", ""):
        assert refused(ask, recall, query="beans", search_mode=mode) == ["search_mode"]


@pytest.mark.req("R271")
def test_a_recall_leaves_out_what_is_less_sure_than_0_5_unless_told(ask: Ask) -> None:
    for number in (0.4999999, 0.5, 0.9):
        ask(remember, content=f"So sure: {number}", confidence=number)

    found = [ask(recall, **least)["count"] for least in ({}, {"min_confidence": 0}, {"min_confidence": 0.9})]
    assert found == [2, 3, 1]
    for least in (-0.1, 1.1, "high"):
        assert refused(ask, recall, min_confidence=least) == ["min_confidence"]


@pytest.mark.req("R272")
def test_a_reason_has_at_most_500_characters(ask: Ask) -> None:
    name = ask(remember, content="Beans go north.")["memory_id"]
    assert refused(ask, forget, memory_id=name, reason="x" * 501) == ["reason"]
    assert ask(recall)["count"] == 1

    assert ask(forget, memory_id=name, reason=THREE_BYTES * 500)["reason"] == THREE_BYTES * 500
    assert ask(recall)["count"] == 0


@pytest.mark.req("R306")
@pytest.mark.parametrize("scope", ["session", "user", "project", "user_everywhere"])
def test_a_memory_is_taken_back_by_the_call_that_the_answer_to_forget_names(ask: Ask, scope: str) -> None:
    kept = ask(remember, content="Beans go north.", scope=scope, user_id="ada")["memory_id"]
    instead = ask(remember, content="Beans go south.", scope=scope, user_id="ada")["memory_id"]
    done = ask(forget, memory_id=kept, replacement_id=instead, user_id="ada")
    assert done["message"] == f"Replaced by {instead}. Call forget with undo: true to take it back."
    assert [each["id"] for each in ask(recall, user_id="ada")["memories"]] == [instead]

    assert done["undo"]["tool"] == "forget"
    back = ask(forget, **done["undo"]["arguments"])

    assert (back["forgotten"], back["undo"]) == (False, None)
    assert {each["id"] for each in ask(recall, user_id="ada")["memories"]} == {instead, back["memory_id"]}
    assert ask(forget, **done["undo"]["arguments"])["memory_id"] == back["memory_id"]
    assert ask(recall, user_id="ada")["count"] == 2


@pytest.mark.req("R306")
@pytest.mark.parametrize("user", [{}, {"user_id": "ada"}])
def test_a_fact_is_taken_back_by_the_call_that_the_answer_to_forget_names(ask: Ask, user: dict[str, str]) -> None:
    ask(memory_after_turn, turn_id="t1", input_items="I live in Oslo.", output_items="Noted.", **user)
    (fact,) = [each["id"] for each in ask(recall, type="fact", **user)["memories"]]
    done = ask(forget, memory_id=fact, **user)
    assert ask(recall, type="fact", **user)["count"] == 0

    ask(forget, **done["undo"]["arguments"])

    assert [each["content"] for each in ask(recall, type="fact", **user)["memories"]] == ["home: Oslo"]


@pytest.mark.req("R306")
@pytest.mark.parametrize("kind", ["fact", "memory"])
def test_why_something_was_taken_back_is_kept_beside_why_it_was_forgotten(ask: Ask, kind: str) -> None:
    if kind == "fact":
        ask(memory_after_turn, turn_id="t1", input_items="I live in Oslo.", output_items="Noted.", user_id="ada")
        (name,) = [each["id"] for each in ask(recall, type="fact", user_id="ada")["memories"]]
    else:
        name = ask(remember, content="Beans go north.", user_id="ada")["memory_id"]
    done = ask(forget, memory_id=name, user_id="ada", reason="She moved.")

    back = ask(forget, **done["undo"]["arguments"], reason="That was somebody else.")

    assert back["reason"] == "That was somebody else."
    changes = ask(memory_list_changes, session_id=None, user_id="ada")["changes"]
    told = {(each["id"], each["kind"]): each["reason"] for each in changes}
    assert told[name, "forgotten"] == "She moved."
    assert told[back["memory_id"], "learnt" if kind == "fact" else "kept"] == "That was somebody else."
    again = ask(forget, **done["undo"]["arguments"], reason="Once more.")
    assert (again["memory_id"], again["reason"]) == (back["memory_id"], None)


@pytest.mark.req("R306")
def test_who_forgets_another_user_s_fact_is_told_of_no_way_back(ask: Ask) -> None:
    both = [{"turn_id": "t1", "user_id": "ada"}, {"turn_id": "t2", "user_id": "bob"}]
    for whose in both:
        ask(memory_after_turn, input_items=f"I live in {whose['user_id']}ton.", output_items="Noted.", **whose)
    found = ask(recall, type="fact", user_id="bob", recall_scope="project")["memories"]
    (of_ada,) = [each["id"] for each in found if "adaton" in each["content"].lower()]

    assert "undo" not in ask(forget, memory_id=of_ada, user_id="bob")["message"]


@pytest.mark.req("R236")
def test_every_wrong_field_is_named_and_none_that_is_right(ask: Ask) -> None:
    wrong = refused(ask, remember, content="", type="x", confidence="x", rationale="ok", importance=1)

    assert sorted(wrong) == ["confidence", "content", "importance", "type"]


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(number=st.floats(allow_nan=False, allow_infinity=False) | st.integers())
@pytest.mark.req("R270")
def test_any_finite_number_is_kept_as_itself_between_0_and_1(ask: Ask, number: float) -> None:
    assert kept(ask, f"So sure: {number}", confidence=number)["confidence"] == min(max(number, 0), 1)


def test_an_answer_says_how_many_more_match_and_where_they_begin(ask: Ask) -> None:
    for number in range(5):
        ask(remember, content=f"Beans of row {number}.")

    told: list[str] = []
    cursor, sizes = 0, list[tuple[int, int]]()
    while cursor is not None:
        answer = ask(recall, query="beans", limit=2, cursor=cursor)
        told += [each["id"] for each in answer["memories"]]
        sizes.append((answer["count"], answer["more"]))
        assert answer["searched"] == 5
        cursor = answer["cursor"]

    assert sizes == [(2, 3), (2, 1), (1, 0)]
    assert told == [each["id"] for each in ask(recall, query="beans")["memories"]]
    for wrong in (-1, 1001, "next"):
        assert refused(ask, recall, cursor=wrong) == ["cursor"]


def test_a_recall_says_of_what_kind_each_is_how_it_was_found_and_why_where_asked(ask: Ask) -> None:
    ask(remember, content="Beans go north.", type="decision")

    (found,) = ask(recall, query="beans", explain=True)["memories"]
    assert (found["source"], found["type"]) == ("memory:text", "decision")
    assert 0 < found["score"] <= 1
    assert found["why"]["rank"] == 1
    assert set(found["why"]["signals"]) == set(found["why"]["rank_without"])
    assert found["why"]["features"]["words"] > 0
    (newest,) = ask(recall)["memories"]
    assert (newest["source"], newest["score"]) == ("memory:time", 0)
    assert not newest.get("why")
    assert ask(recall, query="beans", type="turn")["count"] == 0


@pytest.mark.req("R286")
def test_a_recall_says_apart_who_said_each_and_where_only_if_it_is_asked(ask: Ask) -> None:
    said = [{"role": "user", "name": "Ada", "content": "I grow beans, mostly."}]
    ask(memory_after_turn, turn_id="one", input_items=said, output_items=[])
    ask(remember, content="Beans go north.", type="decision")

    plain = ask(recall, query="beans")["memories"]
    told = {each["type"]: each for each in ask(recall, query="beans", origin=True)["memories"]}

    assert [each for each in plain if "origin" in each] == []
    assert told["turn"]["content"].endswith("Ada: I grow beans, mostly.")
    where = {"session_id": "monday", "turn_id": "one"}
    assert told["turn"]["origin"] == {"speaker": "Ada", "words": "I grow beans, mostly.", "trust": "user", **where}
    assert set(told["decision"]["origin"].values()) == {None, "agent"}, (
        "whose session it was kept in is nobody's business"
    )
