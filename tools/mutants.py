"""Plant small faults in a room of `cairn`, one at a time, and print those that no test notices.

The tests of the room and those that import it, without slow ones, run once, to learn which functions each enters. Each
mutant then meets those that enter its function, the fastest first, in a copy of the packages, until one fails.
`equivalent_mutants.toml` names mutants that behave as the program does, each with the reason: they are not planted.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
import tomllib
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from itertools import accumulate, count
from multiprocessing import get_context
from pathlib import Path
from queue import SimpleQueue
from tempfile import TemporaryDirectory
from typing import TypeAlias

import pytest

from mutations import Mutation, mutated, mutations

ROOT = Path(__file__).resolve().parent.parent
CORE = ROOT / "layers" / "core"
EQUIVALENT = ROOT / "tools" / "equivalent_mutants.toml"
PROCESSES = os.cpu_count() or 1
MOST_SECONDS = 30.0
"""How long, unmutated, the tests of a room may take that one mutant meets, and the others; the slowest are left out."""
PATIENCE_SECONDS = 8 * MOST_SECONDS
"""How long they may take with the mutant, which may never end."""
_PYTEST = ("-q", "-m", "not slow", "-p", "no:cacheprovider")
_PASSED, _FAILED = 0, 1
# What tests load and is none of ours: loaded once, since each mutant has a process of its own.
_RSA = "cryptography.hazmat.primitives.asymmetric.rsa"
_PRELOADED = ("boto3", _RSA, "hypothesis", "moto", "numpy", "pydantic", "yaml")

Name: TypeAlias = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Mutant:
    """A mutation of a file, relative to the packages' directory."""

    file: Path
    source: str
    mutation: Mutation

    @property
    def name(self) -> Name:
        """Return module and function, and the lines that change, before and after: what a list knows it by."""
        data = self.source.encode()
        begin = data.rfind(b"\n", 0, self.mutation.start) + 1
        end = len(data) if (found := data.find(b"\n", self.mutation.end)) < 0 else found
        new = data[begin : self.mutation.start] + self.mutation.text.encode() + data[self.mutation.end : end]
        lines = ["\n".join(map(str.strip, each.decode().splitlines())) for each in (data[begin:end], new)]
        return f"{'.'.join(self.file.with_suffix('').parts)}:{self.mutation.function}", lines[0], lines[1]

    def shown(self) -> str:
        """Return where it is and the lines that change."""
        _, old, new = self.name
        changes = [f"{sign} {line}" for sign, text in (("-", old), ("+", new)) for line in text.splitlines()]
        where = f"{(CORE / self.file).relative_to(ROOT)}:{self.mutation.line} {self.mutation.function}"
        return "\n".join([where, *changes])


@dataclass(frozen=True, slots=True)
class Entered:
    """How long each test takes, in seconds, and the tests that enter a function, by file name and function."""

    seconds: Mapping[str, float]
    tests: Mapping[tuple[str, str], set[str]]

    def fastest(self) -> list[str]:
        """Return a fifth of the tests."""
        return sorted(self.seconds, key=self.seconds.__getitem__)[: len(self.seconds) // 5 + 1]

    def tests_of(self, mutant: Mutant) -> Iterator[list[str]]:
        """Yield the tests that a mutant meets, those of its room first; what stands in no function may show in any."""
        function = mutant.mutation.function
        names = [name for name in self.tests if name[0] == mutant.file.name and function in {"", name[1]}]
        entering = sorted(set[str]().union(*map(self.tests.__getitem__, names)), key=self.seconds.__getitem__)
        own = _unit_tests(mutant.file.parts[1])
        for are_own in (True, False):
            tests = [test for test in entering if test.startswith(own) == are_own]
            until = list(accumulate(map(self.seconds.__getitem__, tests)))
            yield tests[: bisect_right(until, MOST_SECONDS)]


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
    killed = 0
    for mutant, is_killed in tried(asked.room, sample):
        killed += is_killed
        if not is_killed:
            print(f"{mutant.shown()}\n", flush=True)
    print(f"{asked.room}, seed {asked.seed}: {killed} of {len(sample)} killed, {killed / len(sample):.0%}")
    print(f"of {len(every)} mutants {len(every) - len(planted)} are equivalent; {time.monotonic() - begun:.0f} s")


def of_room(room: str) -> Iterator[Mutant]:
    """Yield every mutant of a room."""
    for path in sorted((CORE / "cairn" / room).rglob("*.py")):
        source = path.read_text(encoding="utf-8")
        yield from (Mutant(path.relative_to(CORE), source, each) for each in mutations(source))


def equivalents() -> set[Name]:
    """Return the mutants that are listed as behaving like the program."""
    listed = tomllib.loads(EQUIVALENT.read_text(encoding="utf-8"))["equivalent"]
    return {(each["function"], each["old"], each["new"]) for each in listed}


def tried(room: str, sample: Sequence[Mutant]) -> Iterator[tuple[Mutant, bool]]:
    """Yield each mutant, and whether a test notices it."""
    with TemporaryDirectory() as scratch:
        copies = SimpleQueue[Path]()
        for number in range(PROCESSES):
            copies.put(Path(shutil.copytree(CORE, Path(scratch) / str(number))))
        entered = _entered(room, Path(scratch))
        for name in _PRELOADED:
            import_module(name)
        if _is_noticed(Path(scratch) / "0", entered.fastest()):
            raise RuntimeError(f"without a mutant:\n{(Path(scratch) / '0.log').read_text(encoding='utf-8')}")
        with ThreadPoolExecutor(PROCESSES) as pool:
            yield from pool.map(partial(_tried, entered, copies), count(1), sample)


def _tried(entered: Entered, copies: SimpleQueue[Path], number: int, mutant: Mutant) -> tuple[Mutant, bool]:
    copy = copies.get()
    file = copy / mutant.file
    try:
        file.write_text(mutated(mutant.source, mutant.mutation), encoding="utf-8")
        # A time of its own, so that no mutant's bytecode is taken for another's.
        os.utime(file, (number, number))
        return mutant, any(_is_noticed(copy, tests) for tests in entered.tests_of(mutant) if tests)
    finally:
        file.write_text(mutant.source, encoding="utf-8")
        copies.put(copy)


def _is_noticed(copy: Path, tests: Sequence[str]) -> bool:
    """Tell whether a test fails, or takes far longer than it did."""
    process = get_context("fork").Process(target=_failing, args=(copy, tests))
    process.start()
    process.join(PATIENCE_SECONDS)
    with suppress(ProcessLookupError):
        os.killpg(process.pid or 0, signal.SIGKILL)
    process.join()
    return process.exitcode != _PASSED


def _failing(copy: Path, tests: Sequence[str]) -> None:
    """End this process as pytest ends."""
    os.setsid()
    os.chdir(ROOT)
    os.dup2(os.open(copy.with_suffix(".log"), os.O_WRONLY | os.O_CREAT | os.O_TRUNC), sys.stdout.fileno())
    os.dup2(sys.stdout.fileno(), sys.stderr.fileno())
    os.environ["PYTHONPATH"] = str(copy)
    sys.path.insert(0, str(copy))
    os._exit(pytest.main([*_PYTEST, "-x", *tests]))


def _entered(room: str, scratch: Path) -> Entered:
    """Run the tests of a room and of what imports it, and return what they enter; those that fail are left out."""
    notes = scratch / "notes"
    command = (sys.executable, "-m", "pytest", *_PYTEST, "-p", "entered", "-n", str(PROCESSES), "--dist", "worksteal")
    path = os.pathsep.join(map(str, (scratch / "0", ROOT / "tools")))
    process = subprocess.run(  # noqa: S603 - this Python, on tests of this checkout
        [*command, *_tests(room)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": path, "ENTERED": str(scratch / "0" / "cairn" / room), "NOTES": str(notes)},
        capture_output=True,
        text=True,
        check=False,
    )
    if process.returncode not in {_PASSED, _FAILED}:
        raise RuntimeError(process.stdout + process.stderr)
    failed = set(re.findall(r"^(?:FAILED|ERROR) (\S+)", process.stdout, re.MULTILINE))
    seconds, tests = dict[str, float](), defaultdict[tuple[str, str], set[str]](set)
    for line in map(json.loads, notes.read_text(encoding="utf-8").splitlines()):
        if line["test"] not in failed:
            seconds[line["test"]] = line["seconds"]
            for file, function in line["functions"]:
                tests[file, function].add(line["test"])
    return Entered(seconds, tests)


def _tests(room: str) -> Iterator[str]:
    """Yield where the tests of a room are, and those that import it or what its tests share."""
    imports = re.compile(rf"^\s*(?:from|import) (?:cairn|support)\.{room}\b", re.MULTILINE)
    yield _unit_tests(room)
    for kind in ("unit", "contract", "edge", "promises"):
        for file in sorted((ROOT / "tests" / kind).rglob("test_*.py")):
            name = str(file.relative_to(ROOT))
            if not name.startswith(_unit_tests(room)) and imports.search(file.read_text(encoding="utf-8")):
                yield name


def _unit_tests(room: str) -> str:
    return f"tests/unit/{room}/"


if __name__ == "__main__":
    main()
