"""Each key, set to another value, changes what the tools do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from cairn.conversation.items import message, text_of
from cairn.edge.events import parse_json
from cairn.ground.adapters import Adapters
from cairn.ground.errors import CairnError, InvalidArgument, PayloadTooLarge, ResourceBusy
from cairn.ground.ids import Project, SessionId, Tenant
from cairn.ground.session import Session
from cairn.ground.settings import Limits, MemorySettings
from cairn.services import Services
from cairn.tool.call import Call, execute
from cairn_tools.catalog import CATALOG
from support.context import block_of
from support.services import changed, services_over

SESSION: dict[str, Any] = {"project": "garden", "session_id": "monday"}
Tune = Callable[..., Call]


@pytest.fixture
def tune(call: Call, tuned: Callable[..., Services]) -> Tune:
    """Return a function that gives a call over the same store with other knobs."""

    def make(**knobs: Any) -> Call:
        return replace(call, services=tuned(**knobs))

    return make


def remember(call: Call, turn_id: str, *texts: str, **fields: Any) -> dict[str, Any]:
    items = [message("user", text) for text in texts]
    turn = {**SESSION, "turn_id": turn_id, "input_items": items, "output_items": [], **fields}
    return execute(CATALOG, "memory_after_turn", turn, call)


def prepare(call: Call, text: str, **fields: Any) -> dict[str, Any]:
    return execute(CATALOG, "memory_before_turn", {**SESSION, "current_input": text, **fields}, call)


def maintain(call: Call) -> dict[str, Any]:
    return execute(CATALOG, "memory_run_maintenance", SESSION, call)


def recalled(answer: dict[str, Any]) -> dict[str, Any]:
    """Return the memory block of a prepared input."""
    return block_of(answer["input_items"])


def said(answer: dict[str, Any], text: str) -> bool:
    return any(text_of(item) == text for item in answer["input_items"])


@pytest.mark.req("R113")
def test_recent_context_items_bounds_the_stored_items_placed(tune: Tune) -> None:
    for number in range(4):
        remember(tune(), f"turn-{number}", f"Line {number}.")

    for limit, lines in ((0, ""), (2, "23"), (30, "0123")):
        answer = prepare(tune(recent_context_items=limit, search_limit=0), "Hello")
        assert [said(answer, f"Line {number}.") for number in range(4)] == [str(n) in lines for n in range(4)]


@pytest.mark.req("R114")
def test_recall_facts_limit_bounds_the_facts_placed(tune: Tune) -> None:
    remember(tune(), "turn-1", "I prefer green tea. I prefer black tea. I prefer white tea.")

    counts = [len(prepare(tune(recall_facts_limit=n), "Which tea?")["recall_fact_ids"]) for n in (0, 1, 2, 20)]

    assert counts == [0, 1, 2, 3]


@pytest.mark.req("R115")
def test_search_limit_bounds_the_passages_placed(tune: Tune, clock: Any) -> None:
    for number in range(6):
        remember(tune(), f"turn-{number}", f"The tomatoes of row {number} are ripe.")
        clock.advance(days=1)

    counts = [
        len(recalled(prepare(tune(search_limit=n, recent_context_items=0), "Which tomatoes are ripe?"))["passages"])
        for n in (0, 2, 5)
    ]

    assert counts == [0, 2, 5]


@pytest.mark.req("R116")
def test_compact_threshold_decides_when_the_context_is_compacted(tune: Tune, store: Any) -> None:
    for number in range(8):
        remember(tune(), f"turn-{number}", f"Line {number}: " + "we talked about the garden at length " * 10)

    def compacts(threshold: float) -> bool:
        before = store.rows()
        prepare(tune(compact_threshold=threshold), "Hello", max_input_tok=4000)
        return store.rows() > before

    assert not compacts(0.9)
    assert compacts(0.05)


@pytest.mark.parametrize(
    ("knob", "text", "days"),
    [
        pytest.param("l1_retention_days", "Today I need to water the beans.", (1, 5), marks=pytest.mark.req("R117")),
        pytest.param("l2_retention_days", "This week I need to buy soil.", (7, 20), marks=pytest.mark.req("R118")),
    ],
)
def test_retention_decides_how_long_a_fact_of_its_tier_is_recalled(
    knob: str, text: str, days: tuple[int, int], tune: Tune, clock: Any
) -> None:
    short, long = days
    remember(tune(**{knob: short}), "turn-1", text)
    remember(tune(**{knob: long}), "turn-2", text, session_id="tuesday")

    def known(session_id: str) -> bool:
        return bool(prepare(tune(), "What do I need to do?", session_id=session_id)["recall_fact_ids"])

    assert known("monday")
    assert known("tuesday")
    clock.advance(days=short + 2)
    assert not known("monday")
    assert known("tuesday")


@pytest.mark.req("R119")
def test_compaction_min_age_hours_decides_what_is_archived(tune: Tune, clock: Any) -> None:
    for number in range(4):
        remember(tune(), f"turn-{number}", f"Line {number}.")
    clock.advance(hours=30)

    assert maintain(tune(compaction_min_age_hours=48, recent_context_items=1))["archived_shards"] == 0
    assert maintain(tune(compaction_min_age_hours=24, recent_context_items=1))["archived_shards"] == 1


@pytest.mark.req("R120")
def test_summary_refresh_interval_minutes_decides_how_often_summaries_are_written(tune: Tune, clock: Any) -> None:
    remember(tune(), "turn-1", "My name is Ada.")
    assert maintain(tune())["summaries_refreshed"] > 0
    remember(tune(), "turn-2", "I prefer tea.")
    clock.advance(minutes=10)

    assert maintain(tune(summary_refresh_interval_minutes=60))["summaries_refreshed"] == 0
    assert maintain(tune(summary_refresh_interval_minutes=5))["summaries_refreshed"] > 0


@pytest.mark.req("R121")
def test_max_processed_turns_is_how_far_back_a_late_replay_is_known(tune: Tune, clock: Any) -> None:
    for number in range(4):
        remember(tune(), f"turn-{number}", f"Line {number}.")
    clock.advance(days=40)

    assert remember(tune(max_processed_turns=4), "turn-1", "Line 1.")["replayed"]
    assert not remember(tune(max_processed_turns=2), "turn-0", "Line 0.")["replayed"]


def held_session(adapters: Adapters, seconds: int) -> None:
    """Leave a lease behind as a dead caller does."""
    services = services_over(adapters)
    session = Session(Tenant("acme"), Project("garden"), SessionId("monday"))
    assert services.sessions.try_lease(session, "a dead caller", seconds) is not None


@pytest.mark.parametrize("timeout", [0, 700, 5000])
def test_session_lock_timeout_ms_is_how_long_a_call_waits(
    timeout: int, tune: Tune, adapters: Adapters, clock: Any
) -> None:
    held_session(adapters, seconds=600)
    started = clock.now()

    with pytest.raises(ResourceBusy):
        remember(tune(session_lock_timeout_ms=timeout), "turn-1", "Hello.")

    assert (clock.now() - started).total_seconds() == pytest.approx(timeout / 1000)


@pytest.mark.parametrize(("seconds", "then"), [(20, "free"), (60, "held")])
def test_guard_lease_seconds_is_when_a_dead_caller_s_turn_may_be_taken_over(
    seconds: int,
    then: str,
    tune: Tune,
    adapters: Adapters,
    clock: Any,
) -> None:
    held_session(adapters, seconds)
    clock.advance(seconds=30)

    try:
        remember(tune(session_lock_timeout_ms=0), "turn-1", "Hello.")
    except ResourceBusy:
        assert then == "held"
    else:
        assert then == "free"


def test_recall_scope_decides_whose_turns_are_seen(tune: Tune) -> None:
    remember(tune(), "turn-1", "The tomatoes are ripe.", session_id="sunday", user_id="ada")
    remember(tune(), "turn-1", "The tomatoes are red.", session_id="sunday-2", user_id="bob")

    def seen(scope: str) -> set[str]:
        answer = prepare(tune(recall_scope=scope), "What about the tomatoes?", user_id="ada")
        return {chunk["text"] for chunk in recalled(answer)["chunks"]}

    assert seen("session") == set()
    assert seen("user") == {"The tomatoes are ripe."}
    assert seen("project") == {"The tomatoes are ripe.", "The tomatoes are red."}


def test_a_tenant_s_own_knob_holds_for_that_tenant_alone(call: Call, adapters: Adapters) -> None:
    settings = replace(call.services.settings, tenants={"acme": MemorySettings(recall_facts_limit=0)})
    services = services_over(adapters, settings)
    other = replace(call.caller, tenant=Tenant("other"))
    for who in (call.caller, other):
        remember(Call(who, services), "turn-1", "My name is Ada.")

    assert prepare(Call(call.caller, services), "What is my name?")["recall_fact_ids"] == []
    assert prepare(Call(other, services), "What is my name?")["recall_fact_ids"] != []


@pytest.mark.parametrize(
    ("limits", "error"),
    [
        ({}, None),
        ({"list_items": 1}, InvalidArgument),
        ({"text_bytes": 5}, InvalidArgument),
        ({"json_depth": 4}, InvalidArgument),
    ],
)
def test_the_limits_of_the_settings_are_those_of_a_call(
    limits: dict[str, int], error: type[CairnError] | None, call: Call
) -> None:
    settings = replace(call.services.settings, limits=Limits(**limits))
    limited = replace(call, services=changed(call.services, settings=settings))
    extra = {"input_items": [message("user", "a longer text"), {"role": "user", "content": "", "x": {"y": {"z": 1}}}]}

    if error is None:
        assert remember(limited, "turn-1", **extra)["ok"]
    else:
        with pytest.raises(error):
            remember(limited, "turn-1", **extra)


@pytest.mark.req("R096")
def test_request_bytes_bounds_the_body() -> None:
    body = b'"' + b"x" * 2000 + b'"'

    assert parse_json(body, Limits(request_bytes=2002)) == "x" * 2000
    with pytest.raises(PayloadTooLarge) as raised:
        parse_json(body, Limits(request_bytes=2001))
    assert raised.value.details == {"field": "body", "limit": 2001, "actual": 2002}
