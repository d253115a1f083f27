"""Turns, retries, maintenance and clock jumps on a store that fails at any call: nothing is lost or doubled."""

from __future__ import annotations

from itertools import chain

import pytest

from simulation.flows import FLOWS, Flow, rehearsed, singles
from simulation.mutants import MUTANTS
from simulation.planting import Mutant, found
from simulation.schedule import DOCUMENTS, GAMES, ITEMS, simulated

SCHEDULES, PARTS, FEW = 48, 4, 8
ONCE_WRONG = (1203, 1403, 1499)
"""Seeds whose schedules went wrong: a memory was not recalled by a process whose clock was behind its writer's."""
ABOUT = 20
"""How many single faults of a flow are played here; `make faults` plays all of them, and all pairs."""
NEARBY = 60
"""How many seeds after the one that found a planted fault may find it, where schedules are drawn otherwise by now."""


@pytest.mark.slow
@pytest.mark.req("R039")
@pytest.mark.req("R047")
@pytest.mark.req("R050")
@pytest.mark.req("R074")
@pytest.mark.req("R242")
@pytest.mark.req("R245")
@pytest.mark.parametrize("part", range(PARTS))
def test_after_any_schedule_of_faults_every_turn_is_stored_once_and_every_count_is_right(part: int) -> None:
    seeds = (*range(part, SCHEDULES, PARTS), *ONCE_WRONG[part::PARTS])
    wrong = {seed: simulated(seed).problems for seed in seeds}
    assert not list(chain.from_iterable(wrong.values())), [seed for seed, problems in wrong.items() if problems]


@pytest.mark.slow
@pytest.mark.req("R047")
@pytest.mark.parametrize("flow", FLOWS, ids=lambda flow: flow.__name__)
def test_a_flow_with_a_single_fault_ends_well(flow: Flow) -> None:
    plans = singles(flow)
    assert len({at for ((at, _),) in plans}) >= 6
    some = plans[:: max(1, len(plans) // ABOUT)]
    assert not [plan for plan in some if rehearsed(flow, plan).verdict.problems]


@pytest.mark.slow
@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_a_fault_planted_in_the_engine_is_found(mutant: Mutant) -> None:
    assert found(mutant, range(mutant.seed, mutant.seed + NEARBY)) is not None


@pytest.mark.slow
@pytest.mark.req("R306")
@pytest.mark.parametrize("game", ["plans", "branches", "statements", "backups"])
def test_after_any_schedule_of_faults_all_is_as_clients_were_told(game: str) -> None:
    wrong = {seed: simulated(seed, game=GAMES[game]).problems for seed in range(FEW)}
    assert not list(chain.from_iterable(wrong.values())), [seed for seed, problems in wrong.items() if problems]


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_after_any_schedule_of_faults_every_document_is_as_it_was_last_stored_and_found_so(part: int) -> None:
    wrong = {seed: simulated(seed, game=DOCUMENTS).problems for seed in range(part, SCHEDULES, PARTS)}
    assert not list(chain.from_iterable(wrong.values())), [seed for seed, problems in wrong.items() if problems]


@pytest.mark.slow
@pytest.mark.req("R313")
@pytest.mark.parametrize("part", range(PARTS))
def test_after_any_schedule_of_faults_every_item_is_in_its_log_once_and_in_its_order(part: int) -> None:
    wrong = {seed: simulated(seed, game=ITEMS).problems for seed in range(part, SCHEDULES, PARTS)}
    assert not list(chain.from_iterable(wrong.values())), [seed for seed, problems in wrong.items() if problems]


def test_a_schedule_is_played_the_same_way_each_time() -> None:
    traces = [list[str](), list[str]()]
    for trace in traces:
        simulated(7, trace.append)
    assert len(traces[0]) > 20
    assert traces[0] == traces[1]
