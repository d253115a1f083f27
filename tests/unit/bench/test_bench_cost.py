"""What `make bench-cost` makes of counted units and dated prices."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from itertools import count
from typing import Any

import pytest

import cost
import scenes
from agents import Called, asked, invocation, memory_mb
from cost import Work
from prices import PRICES, dollars, times, together
from processes import Cost, Models, deployed
from scenes import RECALL


@pytest.fixture(scope="module")
def turn() -> Iterator[Work]:
    """Yield what a turn takes without models."""
    with _first_lines():
        yield cost.turns(length=20, models=Models)


@pytest.fixture(scope="module")
def usual_turn() -> Iterator[Work]:
    """Yield what a turn takes in a deployment with which nothing else is said."""
    with _first_lines():
        yield cost.turns(length=3)


@contextmanager
def _first_lines() -> Generator[None]:
    """Let texts and names be the first, whatever other tests read of them before."""
    inside: Any = scenes
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scenes, "_lines", inside._conversation())
        patch.setattr(scenes, "_much", inside._conversation(goes_on=True))
        patch.setattr(scenes, "_numbers", count(1))
        yield


def test_every_price_says_who_says_so_and_when() -> None:
    assert all(each.dollars > 0 and each.units > 0 for each in PRICES.values())
    assert all(each.source and each.dated[:3] == "202" for each in PRICES.values())


def test_uses_are_added_multiplied_and_priced_by_name() -> None:
    use = together({"dynamodb_write": 2.0}, {"dynamodb_write": 1.0, "s3_put": 1.0})

    assert use == {"dynamodb_write": 3.0, "s3_put": 1.0}
    assert dollars(times(1_000_000, use)) == pytest.approx(3 * 0.625 + 5)
    with pytest.raises(KeyError):
        dollars({"sunshine": 1.0})


def test_a_function_s_time_is_its_share_of_a_core_and_what_it_waits_for() -> None:
    memory = memory_mb("McpFunction")

    use = invocation("McpFunction", Cost(rounds=3, seconds=0.01))
    started = invocation("McpFunction", Cost(rounds=3, seconds=0.01), starts=True)

    assert use["lambda_gb_second"] == pytest.approx((0.01 * 1769 / memory + 0.03) * memory / 1024)
    assert started["lambda_gb_second"] - use["lambda_gb_second"] == pytest.approx(memory / 1024)


@pytest.mark.slow
def test_a_turn_pays_for_both_calls_and_what_stays_of_them(turn: Work) -> None:
    assert turn.warm["http_api"] == 2
    assert 4 <= turn.warm["lambda_request"] < 4.1
    # Where a turn says who the user is, 4 of them are for the log across projects; both calls read that as well. These
    # turns are of a thousand bytes of lines from chats: statements in them are worth another unit. One more keeps the
    # receipt of what was prepared.
    assert 16 <= turn.warm["dynamodb_write"] <= 22
    assert turn.warm["dynamodb_read"] >= 7
    assert 3_000 < 1e9 * turn.stays["dynamodb_gb_month"] < 10_000
    assert turn.stays["dynamodb_pitr_gb_month"] == turn.stays["dynamodb_gb_month"]
    assert turn.use(1.0)["kms_request"] > turn.use(0.0)["kms_request"]
    assert turn.metrics


@pytest.mark.parametrize(("size", "counted"), [(100, 12 * 1024), (25_000, 50_000)])
def test_the_rival_s_events_count_by_size_and_its_records_by_facts(size: int, counted: int) -> None:
    done = Work(warm={}, cold={}, stays={}, metrics=frozenset(), facts=0.5)

    use = cost.rivals("turn", done, size)

    assert use["2026-10"]["rival_gb_in"] == use["2026-10"]["rival_gb_read"] == counted / 1e9
    assert use["2026-06, with records"]["rival_record_month"] == 0.5
    assert dollars(use["2026-06"]) == pytest.approx(0.00075)
    assert {name for dated in use.values() for name in dated} <= PRICES.keys()


@pytest.mark.slow
def test_a_turn_costs_a_twentieth_of_the_rival_s_at_most_before_models_and_time_are_counted(turn: Work) -> None:
    assert all(_without_time(turn) <= cost.GOAL * dollars(use) for use in cost.rivals("turn", turn).values())


@pytest.mark.slow
def test_the_process_that_stores_turns_gives_their_vectors_and_pays_for_a_job_before_its_model_is_loaded(
    turn: Work, usual_turn: Work
) -> None:
    assert usual_turn.warm["lambda_request"] == pytest.approx(4 + 1 / 3)
    assert usual_turn.warm["sqs_request"] == pytest.approx((1 + cost.RECEIVED_AND_DELETED) / 3)
    assert usual_turn.warm["dynamodb_write"] >= turn.warm["dynamodb_write"] + 2
    assert usual_turn.warm["lambda_gb_second"] > turn.warm["lambda_gb_second"]


@pytest.mark.slow
def test_the_time_of_lambda_is_told_by_what_asked_for_it_and_adds_up(turn: Work, usual_turn: Work) -> None:
    for each in (turn, usual_turn):
        rows = cost.time_table(each).rows
        paid = dollars({name: each.warm[name] for name in cost.LINES["Lambda"]})
        assert sum(float(str(row[-1])) for row in rows) == pytest.approx(1_000_000 * paid, abs=0.05)
    models = {str(row[0]): float(str(row[3])) for row in cost.time_table(usual_turn).rows}
    assert (models["authorizer"], models["memory_after_turn"] > models["memory_before_turn"] > 0) == (0, True)
    assert not any(row[3] for row in cost.time_table(turn).rows)


@pytest.mark.slow
def test_a_call_over_mcp_is_admitted_answered_and_logged() -> None:
    with deployed() as deployment:
        process = deployment.process()
        agent = cost.Agent(deployment, process)
        called: Called = agent.call(RECALL.tool, RECALL.arguments(process, cost.HERE))

    assert called.answer["count"] == 0
    assert asked(called.authorizer)["dynamodb_read"] >= 1
    assert called.function.rounds >= 2
    assert called.log_bytes > 1_500
    assert any("recall" in name for name in called.metrics)


def _without_time(work: Work) -> float:
    counted = {name: amount for name, amount in work.use().items() if name != "lambda_gb_second"}
    return dollars(together(counted, work.stays))


def test_what_is_said_in_turns_that_are_paid_for_does_not_come_again_in_a_session() -> None:
    said = [scenes.talk(scenes.TEXT_BYTES) for _ in range(2 * cost.TURNS)]

    assert len(set(said)) == len(said)
