"""The tool around after_turn: what a caller sends, gets, and what is logged of a refusal."""

from __future__ import annotations

import logging
from collections.abc import Callable
from statistics import quantiles
from time import perf_counter
from typing import Any

import pytest

from cairn.ground.errors import InvalidArgument
from cairn.tool.call import Call
from cairn_tools.memory_after_turn import EXAMPLE, memory_after_turn

PATH = "/v1/tools/memory_after_turn"


@pytest.mark.req("R035")
def test_a_stored_turn_is_ok_with_its_counters(call: Call) -> None:
    assert memory_after_turn.execute(EXAMPLE, call) == {
        "ok": True,
        "events_written": 2,
        "facts_written": 2,
        "facts_superseded": 0,
        "replayed": False,
    }


@pytest.mark.req("R037")
@pytest.mark.req("R038")
def test_a_turn_without_items_is_ok_once_and_again(call: Call) -> None:
    empty = {**EXAMPLE, "input_items": [], "output_items": []}
    answers = [memory_after_turn.execute(empty, call) for _ in range(2)]
    assert [(answer["ok"], answer["replayed"]) for answer in answers] == [(True, False), (True, True)]


@pytest.mark.req("R055")
@pytest.mark.parametrize("broken", [{"turn_id": ""}, {"session_id": "a/b"}, {"input_items": [3]}, {"project": "#"}])
def test_an_invalid_turn_is_refused_before_anything_is_written(call: Call, store: Any, broken: dict[str, Any]) -> None:
    with pytest.raises(InvalidArgument):
        memory_after_turn.execute({**EXAMPLE, **broken}, call)
    assert store.rows() == 0


@pytest.mark.req("R265")
@pytest.mark.usefixtures("services")
def test_a_conflict_is_counted_by_its_code_in_the_log_and_tells_no_content(
    event_of: Callable[..., dict[str, Any]], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "cairn")
    changed = {**EXAMPLE, "output_items": [{"role": "assistant", "content": "basalt"}]}
    answers = [memory_after_turn.handler(event_of(PATH, body), None) for body in (EXAMPLE, changed)]
    assert [answer["statusCode"] for answer in answers] == [200, 409]
    statuses = [record.__dict__["call"].status for record in caplog.records if "call" in record.__dict__]
    assert statuses == ["OK", "CONFLICT"]
    assert "basalt" not in answers[1]["body"] + caplog.text


@pytest.mark.slow
@pytest.mark.req("R054")
def test_95_percent_of_turns_take_less_than_half_a_second(call: Call) -> None:
    took: list[float] = []
    for number in range(60):
        started = perf_counter()
        memory_after_turn.execute({**EXAMPLE, "turn_id": f"t{number}"}, call)
        took.append(perf_counter() - started)
    assert quantiles(took, n=20)[-1] < 0.5
