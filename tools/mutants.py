"""Plant small faults in a room of `cairn`, one at a time, and print those that no test notices.

The tests are those of the room and those that import it or a tool over it, without slow ones.
`equivalent_mutants.toml` names mutants that behave as the program does, each with the reason: they are not planted.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from mutant_trials import PYTEST, Trials, unit_tests
from room_mutants import CORE, ROOT, Mutant, equivalents, of_room

TOOLS = ROOT / "functions" / "cairn_tools"


def main() -> None:
    """Plant mutants of the room that is asked for, and print which survive."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("room", help="a folder of layers/core/cairn, such as log")
    parser.add_argument("--seed", type=int, default=1, help="which of the room's mutants; 1 unless given")
    parser.add_argument("--count", type=int, default=60, help="how many of them; 60 unless given")
    asked = parser.parse_args()
    begun = time.monotonic()
    listed = equivalents()
    every = list(of_room(asked.room))
    planted = [each for each in every if each.name not in listed]
    sample = random.Random(asked.seed).sample(planted, min(asked.count, len(planted)))  # noqa: S311 - no secret
    os.chdir(ROOT)
    sys.path.insert(0, str(CORE))
    outcomes = list[bool]()

    def tell(mutant: Mutant, is_killed: bool) -> None:  # noqa: FBT001 - as it is called
        outcomes.append(is_killed)
        if not is_killed:
            print(f"{mutant.shown()}\n", flush=True)

    if code := pytest.main([*PYTEST, *tests(asked.room)], plugins=[Trials(sample, tell)]):
        raise SystemExit(code)
    killed = sum(outcomes)
    print(f"{asked.room}, seed {asked.seed}: {killed} of {len(sample)} killed, {killed / len(sample):.0%}")
    print(f"of {len(every)} mutants {len(every) - len(planted)} are equivalent; {time.monotonic() - begun:.0f} s")


def tests(room: str) -> Iterator[str]:
    """Yield where the tests of a room are, and those that import it, a tool over it, or what its tests share."""
    tools = [path.stem for path in sorted(TOOLS.glob("*.py")) if _imports(path, rf"cairn\.{room}")]
    known = "|".join([rf"(?:cairn|support)\.{room}", *(rf"cairn_tools\.{tool}" for tool in tools)])
    yield unit_tests(room)
    for kind in ("unit", "contract", "edge", "promises"):
        for file in sorted((ROOT / "tests" / kind).rglob("test_*.py")):
            name = str(file.relative_to(ROOT))
            if not name.startswith(unit_tests(room)) and _imports(file, known):
                yield name


def _imports(file: Path, modules: str) -> bool:
    return bool(re.search(rf"^\s*(?:from|import) (?:{modules})\b", file.read_text(encoding="utf-8"), re.MULTILINE))


if __name__ == "__main__":
    main()
