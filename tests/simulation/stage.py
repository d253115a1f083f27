"""The stage of a simulation: one store, one scheduler, and processes on links that fail as drawn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from unittest.mock import patch

from cairn.conversation.turns import Completion
from cairn.documents import contents as document_contents
from cairn.documents import searching as document_searching
from cairn.documents import writing as document_writing
from cairn.embedded.blobs import DirectoryBlobs
from cairn.embedded.inventory import EmbeddedInventory
from cairn.embedded.keyring import LocalKeyRing
from cairn.embedded.table import SqliteTable
from cairn.ground.adapters import Adapters
from cairn.ground.errors import Conflict, ResourceBusy, Unavailable
from cairn.ground.ports import Inventory
from cairn.ground.session import Session
from cairn.ground.settings import MemorySettings
from cairn.keyvalue import writing as keyvalue_writing
from cairn.log import log as memory_log
from cairn.log import manifest
from cairn.process.system import in_turn
from cairn.recall import indexing
from cairn.services import Services
from cairn.turns.after_turn import commit
from cairn.turns.model import CommittedTurn
from cairn.vault import vault
from simulation.client_history import BUSY, CONFLICT, REPLAYED, STORED, UNAVAILABLE, Attempt, ClientHistory
from simulation.faulty_link import Draw, FaultyBlobs, FaultyInventory, FaultyLink, FaultyTable
from simulation.leases import Leases, WatchedTable
from simulation.scheduler import Scheduler
from simulation.witness import WitnessedTable, state_of
from support.doubles import RecordingJobs, RepeatingKeyRing
from support.memory_store import MemoryBlobs, MemoryInventory, MemoryTable
from support.services import services_over

START = datetime(2026, 3, 1, 22, 30, tzinfo=UTC)
MOST_SKEW = 1.0
KEY = bytes(range(32)).hex()
SETTINGS = MemorySettings(recent_context_items=4, compaction_min_age_hours=1, recall_scope="session")


@dataclass(frozen=True, slots=True)
class ProcessClock:
    """The stage's time as one process has it, a little off."""

    scheduler: Scheduler
    skew: timedelta

    def now(self) -> datetime:
        return self.scheduler.now + self.skew

    def sleep(self, seconds: float) -> None:
        self.scheduler.pause(seconds)


@dataclass(frozen=True, slots=True)
class SeededEntropy:
    """Bytes that differ at each draw and are the same in each run."""

    random: Random

    def token(self, size: int) -> bytes:
        return self.random.randbytes(size)


@dataclass(frozen=True, slots=True)
class Process:
    """One process: what it has in memory is its own, and gone once it was killed."""

    services: Services
    link: FaultyLink | None = None


@contextmanager
def small() -> Generator[None]:
    """Have logs, segments and items small, so that a few turns fill them."""
    with (
        patch.multiple(manifest, LOWEST=4, GROWTH=3, FULL=2),
        patch.multiple(memory_log, ENTRIES=4, MOST_NEWS=12, FIRST_PAGE=5),
        patch.multiple(indexing, FEWEST=2, MOST=6),
        patch.object(vault, "MAX_INLINE_BYTES", 1000),
        patch.object(keyvalue_writing, "MAX_INLINE_BYTES", 1000),
        patch.object(document_contents, "MAX_INLINE_BYTES", 1000),
        patch.object(document_searching, "MOST_NEWS", 6),
        patch.object(document_writing, "COLLECT_AT", 2),
    ):
        yield


class Stage:
    """What a simulation plays on."""

    def __init__(self, random: Random, trace: Callable[[str], None] = lambda _: None, disk: Path | None = None) -> None:
        """Have a store in memory, or in a directory of this machine."""
        self.random = random
        self.client_history = ClientHistory()
        self.scheduler = Scheduler(random, START)
        self.jobs = RecordingJobs()
        self.settings = SETTINGS
        self.told = trace
        self.leases = Leases(self.scheduler, timedelta(seconds=2 * MOST_SKEW))
        self.processes: list[Process] = []
        self.counts: Counter[str] = Counter()
        clock, entropy = ProcessClock(self.scheduler, timedelta()), SeededEntropy(Random(random.random()))  # noqa: S311 - not for secrets
        self.disk = disk
        self.states: list[str] = []
        keys, most = RepeatingKeyRing(), (clock, entropy, in_turn, self.jobs)
        if disk is None:
            table, blobs = MemoryTable(), MemoryBlobs()
            self.inventory: Inventory = MemoryInventory(table, blobs)
            self.adapters = Adapters(table, blobs, keys, *most)
        else:
            file, directory = SqliteTable(disk / "table.sqlite3"), disk / "blobs"
            self.states.append(state_of(file))
            self.inventory = EmbeddedInventory(file, directory)
            kept = DirectoryBlobs(directory)
            self.adapters = Adapters(WitnessedTable(file, self.states), kept, LocalKeyRing(bytes.fromhex(KEY)), *most)

    def moments(self) -> int:
        """Return how many states the store of this machine had until now."""
        return len(self.states)

    def healthy(self) -> Process:
        """Start a process whose calls all arrive."""
        return Process(services_over(self.adapters, self.settings, inventory=self.inventory))

    def process(self, draw: Draw) -> Process:
        """Start a process whose calls go wrong as drawn and whose clock is a little off."""
        link = FaultyLink(f"p{len(self.processes) + 1}", self.scheduler, self.random, draw, self.trace, self.counts)
        table = WatchedTable(self.adapters.table, self.leases, link.process)
        adapters = replace(
            self.adapters,
            table=FaultyTable(table, link),
            blobs=FaultyBlobs(self.adapters.blobs, link),
            clock=ProcessClock(self.scheduler, self._skew()),
            parallel=self._in_any_order,
        )
        walking = FaultyInventory(self.inventory, link)
        self.processes.append(Process(services_over(adapters, self.settings, inventory=walking), link))
        return self.processes[-1]

    def surviving(self) -> list[Process]:
        """Return the processes that were not killed, with all they have in memory; from now on their calls arrive."""
        alive = [process for process in self.processes if process.link and not process.link.dead]
        for process in alive:
            assert process.link
            process.link.draw = lambda _: None
            process.link.throttled = 0
        return alive

    def trace(self, what: str) -> None:
        """Tell what happens, with the time."""
        self.told(f"{self.scheduler.now:%d %H:%M:%S.%f} {what}")

    def send(self, process: Process, session: Session, turn: Completion) -> Attempt:
        """Send a turn by after_turn, once."""
        return self.attempt(session, turn, lambda: commit(process.services, session, turn))

    def attempt(self, session: Session, turn: Completion, call: Callable[[], CommittedTurn]) -> Attempt:
        """Make a call that sends a turn, and note how it was answered; a killed one is not."""
        attempt = self.client_history.sends(session, turn)
        attempt.outcome, attempt.result = _outcome(call)
        attempt.ended = self.client_history.moment()
        self.trace(f"{session.tenant}/{session.session_id}/{turn.turn_id} {attempt.outcome}")
        return attempt

    def _skew(self) -> timedelta:
        """Return how far a process's clock is off; those of one machine have one clock."""
        return timedelta(seconds=self.random.uniform(-MOST_SKEW, MOST_SKEW) if self.disk is None else 0.0)

    def _in_any_order(self, calls: Sequence[Callable[[], object]]) -> list[object]:
        """Run the calls in an order that is drawn: they run at once elsewhere."""
        order = self.random.sample(range(len(calls)), len(calls))
        results = in_turn([calls[number] for number in order])
        return [results[order.index(number)] for number in range(len(calls))]


def _outcome(call: Callable[[], CommittedTurn]) -> tuple[str, CommittedTurn | None]:
    try:
        result = call()
    except Conflict:
        return CONFLICT, None
    except ResourceBusy:
        return BUSY, None
    except Unavailable:
        return UNAVAILABLE, None
    return (REPLAYED if result.replayed else STORED), result
