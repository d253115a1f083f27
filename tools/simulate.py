"""Hunt for lost, doubled and half-done turns: every fault and every pair of them, drawn schedules, planted faults.

--first N --schedules N    draw other schedules, or more of them
--seed N                   play one schedule again, and print all that happens in it
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from multiprocessing import Pool
from typing import TypeVar

from simulation.faulty_link import Fault
from simulation.flows import FLOWS, Plan, pairs, rehearsed, singles
from simulation.mutants import MUTANTS
from simulation.planting import MOST_SEEDS, found
from simulation.schedule import GAMES, simulated

WORKERS = 2
MOST_SHOWN = 20
T = TypeVar("T")
R = TypeVar("R")


def main() -> int:
    """Run all of it, or play one schedule; 1 where something was lost, or a planted fault was not found."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--first", type=int, default=0)
    options.add_argument("--schedules", type=int, default=3_000, help="of each game")
    options.add_argument("--seed", type=int)
    options.add_argument("--of", choices=GAMES, default="everything", help="what the schedule of --seed is of")
    asked = options.parse_args()
    if asked.seed is not None:
        return play(asked.seed, asked.of)
    broken = [sweep(), *(draw(of, asked.first, asked.schedules) for of in GAMES), plant()]
    return int(any(broken))


def play(seed: int, of: str) -> int:
    """Play one schedule and print its trace."""
    verdict = simulated(seed, print, GAMES[of])
    print(*(verdict.problems or ["nothing is wrong"]), sep="\n")
    return int(bool(verdict.problems))


def sweep() -> bool:
    """Play the core flows with every fault and every pair of faults; tell whether something was wrong."""
    begun = _Begun()
    units = [(number, plan) for number, flow in enumerate(FLOWS) for plan in singles(flow)]
    counts, problems = Counter[str](), list[str]()
    for number, count, wrong in _in_parallel(_swept, units):
        counts[FLOWS[number].__name__] += count
        problems += wrong
    told = ", ".join(f"{name} {count}" for name, count in counts.items())
    print(f"every fault and every pair: {sum(counts.values())} plans in {_since(begun)}: {told}")
    return _shown(problems)


def draw(of: str, first: int, schedules: int) -> bool:
    """Play drawn schedules; tell whether something was wrong."""
    begun = _Begun()
    counts, problems = Counter[str](), list[str]()
    for seed, wrong, counted in _in_parallel(partial(_played, of), range(first, first + schedules)):
        counts += counted
        problems += (
            [f"{wrong[0]}\n    again: PYTHONPATH=tests .venv/bin/python tools/simulate.py --seed {seed} --of {of}"]
            if wrong
            else []
        )
    print(f"schedules of {of}: {schedules} from seed {first} in {_since(begun)}")
    faults = {fault.value for fault in Fault}
    for title, names in (("did", counts.keys() - faults), ("met", counts.keys() & faults)):
        print(f"  {title}: " + ", ".join(f"{name} {counts[name]}" for name in sorted(names)))
    return _shown(problems)


def plant() -> bool:
    """Plant every fault; tell whether one was not found."""
    begun = _Begun()
    seeds = dict(_in_parallel(_planted, range(len(MUTANTS))))
    caught = sum(seed is not None for seed in seeds.values())
    print(f"planted faults: {caught} of {len(MUTANTS)} found in {_since(begun)}")
    for number, mutant in enumerate(MUTANTS):
        seed = seeds[number]
        print(f"  {'NOT FOUND' if seed is None else f'by seed {seed}':>14}  {mutant.name}")
    return caught < len(MUTANTS)


def _swept(unit: tuple[int, Plan]) -> tuple[int, int, list[str]]:
    number, plan = unit
    flow = FLOWS[number]
    first = rehearsed(flow, plan)
    outcomes = {plan: first, **{both: rehearsed(flow, both) for both in pairs(plan, first.calls)}}
    wrong = [f"{flow.__name__} {at}: {got.verdict.problems[0]}" for at, got in outcomes.items() if got.verdict.problems]
    return number, len(outcomes), wrong


def _played(of: str, seed: int) -> tuple[int, tuple[str, ...], Counter[str]]:
    verdict = simulated(seed, game=GAMES[of])
    return seed, verdict.problems, verdict.counts


def _planted(number: int) -> tuple[int, int | None]:
    mutant = MUTANTS[number]
    return number, found(mutant, range(mutant.seed, mutant.seed + MOST_SEEDS))


def _in_parallel(work: Callable[[T], R], units: Iterable[T]) -> Iterator[R]:
    with Pool(WORKERS) as pool:
        yield from pool.imap_unordered(work, units)
        pool.close()
        pool.join()


def _shown(problems: list[str]) -> bool:
    print(f"  wrong: {len(problems)}", *problems[:MOST_SHOWN], sep="\n  ")
    return bool(problems)


def _since(begun: _Begun) -> str:
    return f"{time.monotonic() - begun.at:.0f} s ({_processor_seconds() - begun.used:.0f} s of a processor)"


def _processor_seconds() -> float:
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system


@dataclass(frozen=True, slots=True)
class _Begun:
    """When something began, and what all processes had used by then."""

    at: float = field(default_factory=time.monotonic)
    used: float = field(default_factory=_processor_seconds)


if __name__ == "__main__":
    sys.exit(main())
