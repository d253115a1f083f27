"""Try mutants on the tests that enter them, in forks of one process that has collected all tests.

A fork each first runs a share of the tests, to learn which lines every test enters. Then each mutant gets a fork of its
own, whose functions run its code, and in which the tests that enter its lines run, the fastest first, until one fails.
What stands in no function ran at import, so a mutant there gets a process of its own and a copy of the packages.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import accumulate, chain
from multiprocessing import connection, get_context
from pathlib import Path
from resource import RLIM_INFINITY, RLIMIT_CPU, setrlimit
from tempfile import NamedTemporaryFile, TemporaryDirectory
from typing import TypeAlias

import pytest

from entered import lines_entered
from room_mutants import CORE, ROOT, Mutant
from swapped_code import swapped

PROCESSES = os.cpu_count() or 1
MOST_SECONDS = 30.0
"""How much processor time the tests of its room may take that one mutant meets, and the others; the rest is left."""
PATIENCE_SECONDS = 8 * MOST_SECONDS
"""How long all of them may take with the mutant, which may wait for ever."""
IMPATIENCE = 10
"""How many times its processor time, and how many seconds beyond, a test may take with the mutant."""
PYTEST = ("-qq", "-s", "-m", "not slow", "-p", "no:cacheprovider")
_PASSED, _FAILED = 0, 1


Note: TypeAlias = tuple[str, float, list[tuple[str, int]]]


@dataclass(frozen=True, slots=True)
class Entered:
    """How long each test takes, in seconds of processor time, and the tests that enter a line of a file."""

    seconds: Mapping[str, float]
    tests: Mapping[tuple[str, int], set[str]]

    def fastest(self) -> list[str]:
        """Return a fifth of the tests."""
        return sorted(self.seconds, key=self.seconds.__getitem__)[: len(self.seconds) // 5 + 1]

    def tests_of(self, mutant: Mutant) -> list[str]:
        """Return the tests that a mutant meets, those of its room first; where none enters it, those of its file."""
        file, (first, last) = str(CORE / mutant.file), mutant.mutation.lines
        lines = [self.tests.get((file, line), set()) for line in range(first, last + 1)]
        if not any(lines):
            lines = [tests for (name, _), tests in self.tests.items() if name == file]
        entering = sorted(set[str]().union(*lines), key=self.seconds.__getitem__)
        own, found = unit_tests(mutant.file.parts[1]), list[str]()
        for are_own in (True, False):
            tests = [test for test in entering if test.startswith(own) == are_own]
            until = list(accumulate(map(self.seconds.__getitem__, tests)))
            found += tests[: bisect_right(until, MOST_SECONDS)]
        return found


@dataclass(eq=False, slots=True)
class Trials:
    """A pytest plugin that, instead of running the tests that were collected, tries mutants on them."""

    mutants: Sequence[Mutant]
    told: Callable[[Mutant, bool], None]
    _tests: Mapping[str, pytest.Item] = field(default_factory=dict[str, pytest.Item], init=False)
    _failed: set[str] = field(default_factory=set[str], init=False)

    def pytest_collection(self) -> None:
        """Have Hypothesis not look for the smallest failure."""
        from hypothesis import Phase, settings  # noqa: PLC0415 - pytest warns of what was loaded before it starts

        settings.register_profile("mutants", settings(), phases=[Phase.explicit, Phase.generate])
        settings.load_profile("mutants")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note what fails."""
        if report.failed:
            self._failed.add(report.nodeid)

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Try each mutant, and tell whether a test notices it."""
        self._tests = {item.nodeid: item for item in session.items}
        with ThreadPoolExecutor(PROCESSES) as pool:
            entered = _joined(pool.map(self._entered, range(PROCESSES)))
            if said := _failure(lambda: self._run(entered.fastest(), entered.seconds)):
                raise RuntimeError(f"without a mutant:\n{said}")
            for mutant, fails in zip(self.mutants, pool.map(partial(self._notice, entered), self.mutants), strict=True):
                self.told(mutant, fails)
        return True

    def _entered(self, share: int) -> list[Note]:
        """Run a share of the tests, and return what each enters; those that fail are left out."""
        with NamedTemporaryFile("r", encoding="utf-8") as notes:
            _failure(lambda: self._note(list(self._tests)[share::PROCESSES], Path(notes.name)))
            return [json.loads(line) for line in notes]

    def _note(self, tests: Sequence[str], notes: Path) -> None:
        directory = CORE / "cairn" / self.mutants[0].file.parts[1]
        with notes.open("w", encoding="utf-8", buffering=1) as file:
            for test, play in self._plays(tests):
                begun = time.process_time()
                with lines_entered(directory) as lines:
                    play()
                if test not in self._failed:
                    file.write(f"{json.dumps([test, time.process_time() - begun, sorted(lines)])}\n")

    def _notice(self, entered: Entered, mutant: Mutant) -> bool:
        tests = entered.tests_of(mutant)
        return bool(tests and _failure(lambda: self._try(mutant, tests, entered.seconds)))

    def _try(self, mutant: Mutant, tests: Sequence[str], seconds: Mapping[str, float]) -> None:
        """End this process with whether a test fails."""
        if swapped(CORE / mutant.file, mutant.source, mutant.changed):
            self._run(tests, seconds)
        copy = Path(os.environ["PYTEST_DEBUG_TEMPROOT"]) / "core"
        shutil.copytree(CORE, copy)
        (copy / mutant.file).write_text(mutant.changed, encoding="utf-8")
        command = (sys.executable, "-m", "pytest", *PYTEST, "-x", *tests)
        environment = {**os.environ, "PYTHONPATH": str(copy)}
        os._exit(subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode)  # noqa: S603 - this Python

    def _run(self, tests: Sequence[str], seconds: Mapping[str, float]) -> None:
        for test, play in self._plays(tests):
            most = time.process_time() + IMPATIENCE * (1 + seconds[test])
            setrlimit(RLIMIT_CPU, (int(most), RLIM_INFINITY))
            play()
            if self._failed:
                os._exit(_FAILED)
        os._exit(_PASSED)

    def _plays(self, tests: Sequence[str]) -> Iterator[tuple[str, Callable[[], object]]]:
        """Yield each test and what runs it, as pytest would."""
        items = [self._tests[test] for test in tests]
        for item, following in zip(items, [*items[1:], None], strict=True):
            yield item.nodeid, partial(item.ihook.pytest_runtest_protocol, item=item, nextitem=following)


def _failure(work: Callable[[], None]) -> str | None:
    """Have a fork of this process work, and return what it says if it fails, or takes far too long."""
    with TemporaryDirectory(dir=os.environ.get("PYTEST_DEBUG_TEMPROOT")) as scratch:
        process = get_context("fork").Process(target=_apart, args=(work, scratch))
        process.start()
        # Not join(), which imports this while the other thread may fork: a test there would wait for it for ever.
        connection.wait([process.sentinel], PATIENCE_SECONDS)
        with suppress(ProcessLookupError):
            os.killpg(process.pid or 0, signal.SIGKILL)
        process.join()
        said = (Path(scratch) / "said").read_text(encoding="utf-8", errors="replace")
    return None if process.exitcode == _PASSED else f"{said}\n{process.exitcode}"


def _apart(work: Callable[[], None], scratch: str) -> None:
    os.setsid()
    os.environ["PYTEST_DEBUG_TEMPROOT"] = scratch
    said = os.open(Path(scratch) / "said", os.O_WRONLY | os.O_CREAT)
    for stream in (sys.stdout, sys.stderr):
        os.dup2(said, stream.fileno())
    work()
    os._exit(_PASSED)


def _joined(shares: Iterable[list[Note]]) -> Entered:
    seconds, tests = dict[str, float](), defaultdict[tuple[str, int], set[str]](set)
    for test, taken, lines in chain.from_iterable(shares):
        seconds[test] = taken
        for file, line in lines:
            tests[file, line].add(test)
    return Entered(seconds, tests)


def unit_tests(room: str) -> str:
    """Return where the tests of a room are."""
    return f"tests/unit/{room}/"
