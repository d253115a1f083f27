"""memory_before_turn, memory_run_maintenance and memory_list_dir_with_abstract as their callers see them."""

from __future__ import annotations

from dataclasses import replace
from statistics import quantiles
from time import perf_counter
from typing import Any

import pytest

from cairn.access.callers import Caller
from cairn.conversation.items import text_of
from cairn.ground.errors import InvalidArgument
from cairn.ground.ids import Tenant
from cairn.tool.call import Call
from cairn_tools.memory_after_turn import memory_after_turn
from cairn_tools.memory_before_turn import memory_before_turn
from cairn_tools.memory_list_dir_with_abstract import memory_list_dir_with_abstract
from cairn_tools.memory_run_maintenance import memory_run_maintenance
from support.services import changed

SESSION = {"project": "garden", "session_id": "monday"}
ASK = {**SESSION, "current_input": "Where do I live?"}


def tell(call: Call, turn_id: str, text: str) -> dict[str, Any]:
    said = {"input_items": [{"role": "user", "content": text}], "output_items": []}
    return memory_after_turn.execute({**SESSION, "turn_id": turn_id, **said}, call)


@pytest.mark.req("R034")
@pytest.mark.parametrize("broken", [{"session_id": ""}, {"current_input": []}, {"max_input_tok": 0}, {"project": "#"}])
def test_an_invalid_request_never_reaches_the_engine(call: Call, broken: dict[str, Any]) -> None:
    services = changed(call.services, log=None, sessions=None, searcher=None)
    with pytest.raises(InvalidArgument):
        memory_before_turn.execute({**ASK, **broken}, replace(call, services=services))


@pytest.mark.req("R034")
def test_the_engine_works_for_the_caller_s_tenant_whatever_the_request_says(call: Call) -> None:
    tell(call, "t1", "I live in Oslo.")
    other = replace(call, caller=Caller(Tenant("rival"), frozenset({"read"}), "request-2", call.caller.projects))
    assert memory_before_turn.execute(ASK, call)["recall_fact_ids"]
    assert memory_before_turn.execute(ASK, other)["recall_fact_ids"] == []


@pytest.mark.req("R069")
@pytest.mark.req("R075")
def test_maintenance_answers_with_ok_and_its_counters(call: Call) -> None:
    nothing = memory_run_maintenance.execute(SESSION, call)
    tell(call, "t1", "I live in Oslo.")
    something = memory_run_maintenance.execute(SESSION, call)
    counters = {"compacted_events", "archived_shards", "expired_facts", "merged_facts", "summaries_refreshed"}
    assert set(nothing) == set(something) == {"ok", *counters}
    assert nothing["ok"] is something["ok"] is True
    assert nothing["summaries_refreshed"] == 0 < something["summaries_refreshed"]


@pytest.mark.req("R079")
@pytest.mark.req("R078")
def test_directories_are_listed_in_snake_case_with_times_in_utc(call: Call) -> None:
    tell(call, "t1", "I live in Oslo.")
    summaries = memory_list_dir_with_abstract.execute(SESSION, call)["summaries"]
    assert {name for summary in summaries for name in summary} == {"path", "abstract", "updated_at", "has_overview"}
    assert all(summary["updated_at"].endswith("Z") for summary in summaries)
    assert summaries[0]["path"] == "/memory/monday"


@pytest.mark.req("R089")
def test_text_of_several_bytes_a_character_comes_back_exactly(call: Call) -> None:
    said = "naïve café 東京 🙂 e\u0301 \u2028 Ω"
    tell(call, "t1", said)
    items = memory_before_turn.execute(ASK, call)["input_items"]
    assert [text_of(item) for item in items][-2] == said


@pytest.mark.slow
@pytest.mark.req("R033")
def test_95_percent_of_preparations_in_a_long_session_take_less_than_300_milliseconds(call: Call) -> None:
    for number in range(300):
        tell(call, f"t{number}", f"Entry {number}: I like the {number}th day of the garden diary, with beans and rain.")
    took: list[float] = []
    for _ in range(40):
        started = perf_counter()
        memory_before_turn.execute(ASK, call)
        took.append(perf_counter() - started)
    assert quantiles(took, n=20)[-1] < 0.3
