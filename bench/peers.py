"""Cairn beside what agents remember with today, on this machine: milliseconds, processor time, hits, tokens, memory.

Every store is filled and asked through the doors that its users have; each question is asked once, in words other than
the memory's. Who goes first changes from round to round, one process runs at a time, and sums take one thread. What is
installed, and the peers' filled stores, stay in `.cache/peers`; Cairn's are filled anew. Ratios within one run hold.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median, quantiles

from cairn.conversation.token_count import count
from contenders import HOME, Contender, Missing, contenders
from mcp_wire import Failed
from peer_doors import Running
from planted import Memory, memories, questions
from report import Cell, Table, options, publish

SIZES = (100, 5000)
SEED = 20261122
_WARM = 3
_AT_ONCE = 100
_WITHOUT_VECTOR = '"without_vector"'
"""What an answer of Cairn's says while something that was searched has no vector yet."""
_COLUMNS = (
    "memory",
    "first answer s",
    "store p50 ms",
    "p95",
    "CPU",
    "search p50 ms",
    "p95",
    "CPU",
    "hit@10 %",
    "tools/list tokens",
    "answer tokens",
    "peak MB",
    "how",
)
_NOTE = (
    "CPU is the server's processor time in ms per call. Tokens are Cairn's estimate of o200k. First answer: from the "
    "start of the process on the filled store. A library is timed around its call, with no process or wire between. "
    "Cairn gives vectors behind its calls: the filled store is asked once all that was kept has one."
)


@dataclass(slots=True)
class Measured:
    """What was measured of one contender at one size."""

    starts: list[float] = field(default_factory=list[float])
    stores: list[float] = field(default_factory=list[float])
    searches: list[float] = field(default_factory=list[float])
    store_cpu: float = 0.0
    search_cpu: float = 0.0
    hits: list[bool] = field(default_factory=list[bool])
    answers: list[int] = field(default_factory=list[int])
    listing: int = 0
    peak: float = 0.0
    missing: str = ""


@dataclass(frozen=True, slots=True)
class Plan:
    """How much is asked and kept in each round, and what a fill may take."""

    rounds: int
    searches: int
    stores: int
    seed: int
    fill_seconds: float

    def asked(self, planted: Sequence[Memory], number: int) -> list[tuple[str, Memory]]:
        """Return the questions of a round, none of which another round asks."""
        each = 1 + _WARM + self.searches
        drawn = questions(planted, self.rounds * each, self.seed)
        return drawn[number * each : (number + 1) * each]

    def new(self, size: int, number: int) -> list[Memory]:
        """Return what a round keeps beside what was planted."""
        each = 1 + self.stores
        return memories(each, self.seed, size + number * each)


@dataclass(slots=True)
class Trial:
    """One contender at one size, on a directory of its own; what it fails with ends its trial alone."""

    contender: Contender
    directory: Path
    plan: Plan
    planted: Sequence[Memory]
    found: Measured = field(default_factory=Measured)

    def attempt(self, step: Callable[[], None]) -> None:
        """Take a step, unless one before failed."""
        if not self.found.missing:
            try:
                step()
            except (Missing, Failed) as reason:
                self.found.missing = str(reason)

    def prepare(self, filled: Path) -> None:
        """Work on a copy of a filled store."""
        shutil.copytree(filled, self.directory)

    def play(self, number: int) -> None:
        """Start it, ask and keep, and stop it."""
        (first, _), *asked = self.plan.asked(self.planted, number)
        kept = self.plan.new(len(self.planted), number)
        started = time.perf_counter()
        running = self.contender.start(self.directory)
        try:
            running.search(first)
            self.found.starts.append(time.perf_counter() - started)
            for question, _ in asked[:_WARM]:
                running.search(question)
            running.store(kept[0])
            self._ask(running, asked[_WARM:])
            self._keep(running, kept[1:])
            self.found.listing = count(running.listing())
            self.found.peak = max(self.found.peak, running.server.peak_mb())
        finally:
            running.server.stop()

    def _ask(self, running: Running, asked: Sequence[tuple[str, Memory]]) -> None:
        before = running.server.cpu_ms()
        answers = [running.search(question) for question, _ in asked]
        self.found.search_cpu += running.server.cpu_ms() - before
        self.found.searches += [milliseconds for milliseconds, _ in answers]
        self.found.answers += [count(answer) for _, answer in answers]
        self.found.hits += [memory.text in answer for (_, memory), (_, answer) in zip(asked, answers, strict=True)]

    def _keep(self, running: Running, kept: Sequence[Memory]) -> None:
        before = running.server.cpu_ms()
        self.found.stores += [running.store(memory) for memory in kept]
        self.found.store_cpu += running.server.cpu_ms() - before


def main() -> None:
    """Measure, and print a table for each size."""
    parser = options(__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="how many memories there are")
    parser.add_argument("--peers", nargs="+", default=[""], help="parts of the names of those to measure")
    parser.add_argument("--model", default="", help="a directory with a model.onnx and vocabulary.txt to embed with")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--searches", type=int, default=30, help="searches in a round")
    parser.add_argument("--stores", type=int, default=15, help="stores in a round")
    parser.add_argument("--fill-seconds", type=float, default=150, help="how long filling a store may take in a run")
    parser.add_argument("--seed", type=int, default=SEED)
    given = parser.parse_args()
    plan = Plan(given.rounds, given.searches, given.stores, given.seed, given.fill_seconds)
    model = str(Path(given.model).resolve()) if given.model else ""
    chosen = [each for each in contenders(model) if any(part in each.name for part in given.peers)]
    tables: list[Table] = []
    for size in given.sizes:
        with tempfile.TemporaryDirectory() as directory:
            found = _measured(chosen, size, plan, Path(directory))
        tables.append(table(chosen, found, size))
    publish("peers", tables, given, seeds=[plan.seed])


def _measured(chosen: Sequence[Contender], size: int, plan: Plan, work: Path) -> dict[str, Measured]:
    planted = memories(size, plan.seed)
    trials = {each.name: Trial(each, work / each.name / "data", plan, planted) for each in chosen}
    for trial in trials.values():
        trial.attempt(trial.contender.ready)
        trial.attempt(lambda trial=trial: trial.prepare(filled(trial.contender, planted, plan, work)))
    for number in range(plan.rounds):
        first = number * len(chosen) // plan.rounds
        for each in (*chosen[first:], *chosen[:first]):
            trial = trials[each.name]
            trial.attempt(lambda trial=trial, number=number: trial.play(number))
    return {name: trial.found for name, trial in trials.items()}


def filled(contender: Contender, planted: Sequence[Memory], plan: Plan, work: Path) -> Path:
    """Return a directory with the planted memories: a peer's is kept, and filled on in the next run, Cairn's is not."""
    place = (work if contender.store == "cairn" else HOME / "stores") / f"{contender.store}-{len(planted)}-{plan.seed}"
    (place / "data").mkdir(parents=True, exist_ok=True)
    kept = place / "kept.txt"
    done = int(kept.read_text()) if kept.exists() else 0
    if done < len(planted):
        running, until = contender.start(place / "data"), time.monotonic() + plan.fill_seconds
        try:
            while done < len(planted) and time.monotonic() < until:
                running.fill(planted[done : done + _AT_ONCE])
                done = min(done + _AT_ONCE, len(planted))
                kept.write_text(str(done))
            if contender.store == "cairn":
                _settle(running, until)
        finally:
            running.server.stop()
    if done < len(planted):
        raise Missing(f"{done:,} of {len(planted):,} kept so far, {plan.fill_seconds:.0f} s a run")
    return place / "data"


def _settle(running: Running, until: float) -> None:
    """Ask until all that was kept is found by meaning too: Cairn gives vectors behind its calls, peers within them."""
    while _WITHOUT_VECTOR in running.search("What was kept?")[1] and time.monotonic() < until:
        time.sleep(1)


def table(chosen: Sequence[Contender], found: dict[str, Measured], size: int) -> Table:
    """Return the figures of all, those that are missing with the reason."""
    rows = [_row(each, found[each.name]) for each in chosen]
    return Table(f"{size:,} memories", _COLUMNS, rows, f"{_ratios(chosen, found)}{_NOTE}")


def _row(contender: Contender, found: Measured) -> list[Cell]:
    if found.missing:
        return [contender.name, *[None] * (len(_COLUMNS) - 2), found.missing]
    return [
        contender.name,
        round(median(found.starts), 2),
        *_spread(found.stores),
        round(found.store_cpu / len(found.stores), 1),
        *_spread(found.searches),
        round(found.search_cpu / len(found.searches), 1),
        _found(found),
        found.listing or None,
        round(median(found.answers)),
        round(found.peak),
        contender.how,
    ]


def _found(measured: Measured) -> float:
    """Return the percentage of questions whose memory was among the first ten."""
    return round(100 * sum(measured.hits) / len(measured.hits), 1)


def _spread(times: Sequence[float]) -> tuple[float, float]:
    return round(median(times), 1), round(_p95(times), 1)


def _p95(times: Sequence[float]) -> float:
    return quantiles(times, n=20, method="inclusive")[-1]


def _ratios(chosen: Sequence[Contender], found: dict[str, Measured]) -> str:
    """Return what Cairn takes over what the fastest ranked peer takes, for each door of Cairn's."""
    done = [each for each in chosen if not found[each.name].missing]
    ranked = [each for each in done if each.ranked and each.store != "cairn"]
    if not ranked:
        return ""
    peers = [found[each.name] for each in ranked]
    fastest = min(ranked, key=lambda each: median(found[each.name].searches))
    said: list[str] = []
    for each in done:
        if each.store == "cairn":
            mine = found[each.name]
            stores = [f(mine.stores) / min(f(peer.stores) for peer in peers) for f in (median, _p95)]
            searches = [f(mine.searches) / min(f(peer.searches) for peer in peers) for f in (median, _p95)]
            told = ", ".join(f"{ratio:.2f}" for ratio in (*stores, *searches))
            said.append(
                f"{each.name} to the fastest ranked peer: {told} (store p50, p95, search p50, p95); found "
                f"{_found(mine)} %, {fastest.name} {_found(found[fastest.name])} %."
            )
    return " ".join(said) + " "


if __name__ == "__main__":
    main()
