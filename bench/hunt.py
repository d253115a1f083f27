"""Hunt for counterexamples: the property tests in rounds, each drawn by another seed, until the time is over.

--minutes N    how long to hunt; a round is begun only if it should end in time, the first one always
--seed N       play one round again
"""

from __future__ import annotations

import argparse
import os
import secrets
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1] / "tests"


def main() -> int:
    """Hunt, or play one round; 1 where a property does not hold."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--minutes", type=float, default=10)
    options.add_argument("--seed", type=int)
    asked = options.parse_args()
    seeds = iter([asked.seed]) if asked.seed is not None else iter(lambda: secrets.randbits(32), None)
    return int(hunt(asked.minutes * 60, seeds, holds) is not None)


def hunt(seconds: float, seeds: Iterator[int], play: Callable[[int], bool]) -> int | None:
    """Play rounds for so long; return the first seed by which a property does not hold, None where there was none."""
    begun, longest = time.monotonic(), 0.0
    for rounds, seed in enumerate(seeds, 1):
        at = time.monotonic()
        if not play(seed):
            print(f'Round {rounds} found something; again: make bench-hunt ARGS="--seed {seed}"')
            return seed
        longest = max(longest, time.monotonic() - at)
        print(f"Round {rounds} found nothing by seed {seed}")
        if time.monotonic() + longest > begun + seconds:
            break
    return None


def holds(seed: int) -> bool:
    """Run the property tests by this seed; tell whether they passed."""
    command = [sys.executable, "-m", "pytest", "-n", "2", "--dist", "worksteal", "-q", "-m", "hypothesis"]
    command += ["--hypothesis-profile=hunt", f"--hypothesis-seed={seed}", *map(str, property_tests())]
    run = subprocess.run(command, env={**os.environ, "PYTHONHASHSEED": str(seed)}, check=False)  # noqa: S603 - ours
    return run.returncode == 0


def property_tests() -> list[Path]:
    """Return the files of the tests that draw their inputs."""
    return [path for path in sorted(TESTS.rglob("test_*.py")) if "from hypothesis" in path.read_text(encoding="utf-8")]


if __name__ == "__main__":
    sys.exit(main())
