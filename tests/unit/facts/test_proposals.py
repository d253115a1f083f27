"""What a language model is asked, and how little of its answer is believed."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cairn.facts.facts import Candidate, Fact, Recording, Source, identity, merge
from cairn.facts.proposals import (
    BATCH_INSTRUCTIONS,
    INSTRUCTIONS,
    MAX_BATCH_UPSERTS,
    MAX_BELIEVED,
    MAX_SAID_CHARACTERS,
    MAX_UPSERTS,
    FactQuestion,
    Proposals,
    accepted,
    read,
    request,
)
from cairn.ground.errors import ModelFailed
from cairn.ground.settings import HeuristicSettings
from cairn.ground.tiers import Tier
from support.facts import fact_of

NOW = datetime(2026, 3, 1, tzinfo=UTC)
SAID = [("t1-in-0", "Hello."), ("t1-in-1", "We are expecting twins\nin June, Ömer!")]
UPSERT = {
    "fact_id": "user_family",
    "key": "children",
    "value": "expects twins in June",
    "tier": "L0",
    "confidence": 0.9,
    "quote": "expecting twins in June",
}
OF_TURN = FactQuestion(said=("Hello.",), believed=())
OF_BATCH = FactQuestion(said=("Hello.",), believed=(), of_batch=True)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
ODD_UPSERTS = st.fixed_dictionaries(
    {name: st.just(value) | JSON for name, value in UPSERT.items()},
    optional={"more": JSON},
)


def fact(number: int, **fields: Any) -> Fact:
    given: dict[str, Any] = {"fact_id": "user_home", "key": f"home {number}", "value": "Porto", **fields}
    source = Source(turn_id="t0", event_id="t0-in-0", quote="I live in Porto")
    return fact_of(f"fact-{number}", NOW, source=source, last_seen=NOW.replace(year=2000 + number), **given)


def answer(arguments: object) -> bytes:
    call = {"type": "function_call", "call_id": "c", "name": "record_facts", "arguments": json.dumps(arguments)}
    return json.dumps({"status": "completed", "output": [{"type": "reasoning", "summary": []}, call]}).encode()


def proposed(*upserts: object, deletes: object = (), of: FactQuestion = OF_TURN) -> Proposals:
    return read(answer({"upserts": list(upserts), "deletes": deletes}), of)


def asked(question: FactQuestion, **knobs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the request, and the data in it."""
    body = json.loads(request(question, HeuristicSettings(**knobs)))
    [item] = body["input"]
    [part] = item["content"]
    return body, json.loads(part["text"])


@pytest.mark.req("R062")
def test_a_fact_with_a_quote_of_the_user_s_words_is_a_candidate_of_that_event() -> None:
    [candidate] = proposed(UPSERT).candidates(SAID, [])

    assert candidate == Candidate(
        fact_id="user_family",
        key="children",
        value="expects twins in June",
        confidence=0.9,
        tier=Tier.L0,
        event_id="t1-in-1",
        quote="expecting twins in June",
    )


@pytest.mark.parametrize(
    "broken",
    [
        {"tier": "L3"},
        {"tier": None},
        {"tier": ["L0"]},
        {"confidence": 0},
        {"confidence": -0.5},
        {"confidence": 1.01},
        {"confidence": "0.9"},
        {"confidence": True},
        {"confidence": float("nan")},
        {"confidence": float("inf")},
        {"value": "x" * 513},
        {"value": "é" * 257},
        {"value": " \n"},
        {"value": "…"},
        {"value": 7},
        {"value": "null\x00byte"},
        {"value": "lone \ud800 surrogate"},
        {"fact_id": ""},
        {"key": None},
        {"quote": ""},
        {"quote": "never said"},
        {"quote": "Hello. We are expecting twins"},
    ],
)
def test_a_fact_out_of_form_or_never_said_is_left_out_and_the_others_are_kept(broken: dict[str, object]) -> None:
    proposals = proposed({**UPSERT, **broken}, UPSERT)

    assert [each.value for each in proposals.candidates(SAID, [])] == ["expects twins in June"]


@pytest.mark.parametrize("missing", sorted(UPSERT))
def test_a_fact_that_lacks_a_field_is_left_out(missing: str) -> None:
    assert proposed({name: value for name, value in UPSERT.items() if name != missing}).upserts == ()


def test_a_value_of_512_bytes_is_kept_whole() -> None:
    [upsert] = proposed({**UPSERT, "value": "é" * 256}).upserts

    assert upsert.value == "é" * 256


def test_at_most_20_facts_are_taken() -> None:
    assert len(proposed(*[{**UPSERT, "key": f"child {n}"} for n in range(25)]).upserts) == MAX_UPSERTS == 20


def test_only_what_is_believed_can_be_deleted() -> None:
    proposals = proposed(deletes=["fact-1", "fact-7", 3, None])

    [retraction] = proposals.candidates(SAID, [fact(1), fact(2)])

    assert retraction.retracts
    assert identity(retraction) == identity(fact(1))


def test_a_deletion_beside_a_new_value_of_the_same_fact_is_a_change() -> None:
    held = fact(1, fact_id="user_family", key="children", value="one son")
    recording = Recording(turn_id="t1", now=NOW, new_id=lambda: "new", l1_days=1, l2_days=7)

    changes = merge([held], proposed(UPSERT, deletes=["fact-1"]).candidates(SAID, [held]), recording)

    assert [each.value for each in changes.added] == ["expects twins in June"]
    assert [each.id for each in changes.superseded] == ["fact-1"]
    assert changes.deleted == ()


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"\xff\xfe",
        b"null",
        b"[]",
        b"[" * 100_000,
        b'{"output": 3}',
        b'{"output": [{"type": "message", "content": []}]}',
        b'{"output": [{"type": "function_call", "name": "another", "arguments": "{}"}]}',
        b'{"output": [{"type": "function_call", "name": "record_facts", "arguments": "{\\"upserts\\": ["}]}',
        b'{"error": {"message": "over quota"}}',
    ],
)
def test_what_is_no_answer_is_a_failure_that_repeats_nothing_of_it(body: bytes) -> None:
    with pytest.raises(ModelFailed) as failed:
        read(body, OF_TURN)

    assert str(failed.value) in {"the answer is no JSON", "the answer is no call of the function"}
    assert failed.value.__cause__ is None


def is_sound(candidate: Candidate) -> bool:
    texts = [candidate.fact_id, candidate.key, candidate.value, candidate.quote]
    return (
        0 < candidate.confidence <= 1
        and candidate.tier in list(Tier)
        and all(text.strip() and len(text.encode()) <= 512 for text in texts)
        and candidate.event_id in dict(SAID)
        and candidate.quote in " ".join(dict(SAID)[candidate.event_id].split())
    )


@pytest.mark.slow
@given(JSON | st.fixed_dictionaries({"upserts": st.lists(ODD_UPSERTS | JSON), "deletes": JSON}))
def test_whatever_the_arguments_no_unsound_fact_comes_of_them(arguments: object) -> None:
    candidates = accepted(arguments).candidates(SAID, [])

    assert [each for each in candidates if not is_sound(each)] == []


@given(st.binary(max_size=80) | JSON.map(lambda value: json.dumps(value).encode()) | JSON.map(answer))
def test_whatever_the_answer_it_is_read_or_a_failure(body: bytes) -> None:
    try:
        proposals = read(body, OF_TURN)
    except ModelFailed:
        return
    assert all(is_sound(each) for each in proposals.candidates(SAID, []))


@pytest.mark.req("R123")
@pytest.mark.req("R126")
def test_the_request_forces_one_call_and_names_the_model_and_its_most_tokens() -> None:
    body, _ = asked(FactQuestion(said=("Hello",), believed=()), model="another/model", max_output_tokens=64)

    assert (body["model"], body["max_output_tokens"], body["store"]) == ("another/model", 64, False)
    assert body["tool_choice"] == {"type": "function", "name": body["tools"][0]["name"]}
    assert body["parallel_tool_calls"] is False


@given(st.lists(st.text(), max_size=3), st.text(min_size=1))
def test_what_users_said_travels_as_data_and_never_as_instructions(said: list[str], value: str) -> None:
    body, data = asked(FactQuestion(said=tuple(said), believed=(fact(1, value=value),)))

    assert data["said"] == said
    assert data["believed"][0]["value"] == value
    assert body["instructions"] == INSTRUCTIONS
    assert [item["role"] for item in body["input"]] == ["user"]


def test_a_long_text_is_cut_to_its_newest_end() -> None:
    _, data = asked(FactQuestion(said=("old", "a" * MAX_SAID_CHARACTERS, "new"), believed=()))

    assert [len(text) for text in data["said"]] == [MAX_SAID_CHARACTERS - 3, 3]
    assert data["said"][-1] == "new"


def test_of_many_beliefs_those_seen_last_are_shown() -> None:
    _, data = asked(FactQuestion(said=("Hi",), believed=tuple(fact(number) for number in range(MAX_BELIEVED + 5))))

    assert [each["id"] for each in data["believed"]] == [f"fact-{n}" for n in range(5, MAX_BELIEVED + 5)]


TURNS = [
    [("t1-in-0", "We have a cat, Tom.")],
    [("t2-in-0", "Porto is history.")],
    [("t3-in-0", "As I said: we have a cat, Tom.")],
]
OF_CAT = {**UPSERT, "fact_id": "user_pet", "key": "cat", "value": "Tom", "quote": "we have a cat"}


def test_of_a_batch_a_fact_is_of_the_newest_turn_that_holds_its_quote() -> None:
    found = proposed(OF_CAT, UPSERT, of=OF_BATCH).of_batch(TURNS, [])

    assert [[each.event_id for each in turn] for turn in found] == [[], [], ["t3-in-0"]]


def test_of_a_batch_a_deletion_needs_a_believed_fact_and_a_quote_of_one_turn() -> None:
    quote, deletes = "Porto is history", ["fact-1", {"id": "fact-1"}, {"id": "fact-1", "quote": "Never said"}]
    refused = proposed(deletes=[*deletes, {"id": "fact-7", "quote": quote}, {"id": 3, "quote": quote}], of=OF_BATCH)
    assert refused.of_batch(TURNS, [fact(1)]) == [[], [], []]

    found = proposed(deletes=[{"id": "fact-1", "quote": quote}], of=OF_BATCH).of_batch(TURNS, [fact(1), fact(2)])

    assert [[(each.retracts, each.key) for each in turn] for turn in found] == [[], [(True, "home 1")], []]


def test_of_one_turn_a_quoted_deletion_is_none() -> None:
    assert proposed(deletes=[{"id": "fact-1", "quote": "Hello"}]).candidates(SAID, [fact(1)]) == []


def test_of_a_batch_more_facts_are_taken_and_not_any_number() -> None:
    upserts = [{**UPSERT, "key": f"child {n}"} for n in range(MAX_BATCH_UPSERTS + 5)]

    assert len(proposed(*upserts, of=OF_BATCH).upserts) == MAX_BATCH_UPSERTS > MAX_UPSERTS


def test_about_a_batch_the_model_is_told_of_several_turns_and_asked_for_quotes_of_deletions() -> None:
    body, data = asked(OF_BATCH)
    of_one, _ = asked(OF_TURN)

    assert data == {"said": ["Hello."], "believed": []}
    assert body["instructions"] == BATCH_INSTRUCTIONS != of_one["instructions"]
    drops, drops_of_one = (each["tools"][0]["parameters"]["properties"]["deletes"]["items"] for each in (body, of_one))
    assert drops["required"] == ["id", "quote"]
    assert drops_of_one == {"type": "string"}


@pytest.mark.slow
@given(JSON | st.fixed_dictionaries({"upserts": st.lists(ODD_UPSERTS | JSON), "deletes": JSON}))
def test_whatever_the_arguments_no_unsound_fact_of_a_batch_comes_of_them(arguments: object) -> None:
    [candidates] = accepted(arguments, MAX_BATCH_UPSERTS).of_batch([SAID], [])

    assert [each for each in candidates if not is_sound(each)] == []
