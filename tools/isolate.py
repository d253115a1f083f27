"""Hunt for leaks between tenants, projects and users: drawn calls by three at once and by each alone, planted leaks.

--first N --trials N    draw other trials, or more of them
--seed N                play one trial again, and print all that is wrong in it
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from functools import partial
from multiprocessing import Pool

from isolation.mutants import MUTANTS, found
from isolation.trial import Among, Verdict, isolated

WORKERS = 2
CALLS = 150
MOST_SEEDS = 200
MOST_SHOWN = 20
PARTIES: tuple[Among, ...] = ("tenants", "projects", "users")


def main() -> int:
    """Run all of it, or play one trial; 1 where something leaks, or a planted leak was not found."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--first", type=int, default=0)
    options.add_argument("--trials", type=int, default=340)
    options.add_argument("--seed", type=int)
    asked = options.parse_args()
    if asked.seed is not None:
        problems = [problem for among in PARTIES for problem in isolated(asked.seed, CALLS, among=among).problems]
        print(*(problems or ["nothing leaks"]), sep="\n")
        return int(bool(problems))
    return int(any([*(draw(asked.first, asked.trials, among) for among in PARTIES), plant()]))


def draw(first: int, trials: int, among: Among) -> bool:
    """Play drawn trials; tell whether anything leaks."""
    begun, outcomes, stolen, leaks = time.monotonic(), Counter[tuple[str, str]](), 0, list[str]()
    with Pool(WORKERS) as pool:
        for seed, verdict in pool.imap_unordered(partial(_played, among=among), range(first, first + trials)):
            outcomes += verdict.outcomes
            stolen += verdict.stolen
            leaks += [f"{problem}\n    again: make isolation SEED={seed}" for problem in verdict.problems[:1]]
    seconds = time.monotonic() - begun
    print(f"{outcomes.total()} calls of three {among} in {trials} trials from seed {first} in {seconds:.0f} s,")
    print(f"{stolen} of them with what only others were given: {len(leaks)} leaks")
    for tool in sorted({tool for tool, _ in outcomes}):
        told = ", ".join(f"{code} {outcomes[tool, code]}" for name, code in sorted(outcomes) if name == tool)
        print(f"  {tool}: {told}")
    print(*leaks[:MOST_SHOWN], sep="\n")
    return bool(leaks)


def plant() -> bool:
    """Look for every planted leak; tell whether one was not found."""
    missed = False
    for among, mutant in MUTANTS:
        seed = found(among, mutant, MOST_SEEDS)
        print(f"planted: {mutant.name}: " + ("NOT FOUND" if seed is None else f"found by seed {seed}"))
        missed |= seed is None
    return missed


def _played(seed: int, among: Among) -> tuple[int, Verdict]:
    return seed, isolated(seed, CALLS, among=among)


if __name__ == "__main__":
    sys.exit(main())
