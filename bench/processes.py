"""Processes over one store, each as a Lambda has it, whose calls of tools are counted where they leave the process."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from cairn.access.api_keys import ALL_PROJECTS
from cairn.access.callers import Caller
from cairn.access.policy_store import PolicyStore
from cairn.embedded.blobs import DirectoryBlobs
from cairn.embedded.inventory import EmbeddedInventory
from cairn.embedded.keyring import LocalKeyRing
from cairn.embedded.table import SqliteTable
from cairn.ground import sandbox_messages as sandbox
from cairn.ground.adapters import Adapters
from cairn.ground.ids import Tenant
from cairn.ground.jobs import EmbedLog, IndexLog, Job
from cairn.ground.ports import Embedded, Embedder, Reader
from cairn.models.embedders import BUILT
from cairn.models.minilm import MiniLm
from cairn.models.statement_reader import StatementReader
from cairn.process.system import SystemEntropy, in_turn
from cairn.settings.settings import Settings
from cairn.telemetry.record import CallMeter
from cairn.tool.call import Call, execute
from cairn_sandbox import door
from cairn_tools.catalog import CATALOG
from metering import Meter, MeteredSandbox, Written, metered
from over_adapters import services_over

TENANT = Tenant("bench")
CALLER = Caller(TENANT, frozenset({"read", "write", "admin"}), "bench-request", (ALL_PROJECTS,))
SETTINGS = Settings(memory_enabled=True, tool_switches={tool.name: True for tool in CATALOG if not tool.on_by_default})
SERVICES = {
    "DynamoDB": ("get", "query", "put", "update", "delete", "transact"),
    "S3": ("blob_get", "blob_put", "blob_delete"),
    "KMS": ("key_generate", "key_unwrap"),
    "SQS": ("job_send",),
    "Lambda": ("invoke",),
}
_JOB = timedelta(minutes=5)
_ANY = {"allowed_namespaces": ["session.*"], "operations": ["read", "write"]}
POLICY = {"tool_permissions": dict.fromkeys(("listMemory", "getMemory", "putMemory", "deleteMemory"), _ANY)}
"""Values stay until they are removed, unless a call says otherwise."""


class Models(NamedTuple):
    """What texts are compared with and statements are read with, if anything."""

    embedder: Embedder | None = None
    reader: Reader | None = None


class _TimedMiniLm(MiniLm):
    """Knows how many seconds of the processor it took."""

    seconds = 0.0

    def embed_with_tokens(self, text: str) -> Embedded:
        """Return what MiniLM makes of the text."""
        with _timed(self):
            return super().embed_with_tokens(text)


class _TimedReader(StatementReader):
    """Knows how many seconds of the processor it took."""

    seconds = 0.0

    def read(self, text: str) -> Sequence[float]:
        """Return what the reader says of the text."""
        with _timed(self):
            return super().read(text)

    def judge(self, newer: str, older: str) -> float:
        """Return what the reader says of the two."""
        with _timed(self):
            return super().judge(newer, older)


@contextmanager
def _timed(model: _TimedMiniLm | _TimedReader) -> Generator[None]:
    started = time.process_time()
    yield
    model.seconds += time.process_time() - started


def usual_models() -> Models:
    """Return those of a deployment with which nothing else is said: each process loads its own."""
    return Models(_TimedMiniLm(BUILT), _TimedReader(BUILT))


@dataclass(frozen=True, slots=True)
class Cost:
    """What calls took: `seconds` of this machine's processor, those of models among them, all else of any."""

    rounds: int = 0
    counts: Counter[str] = field(default_factory=Counter[str])
    sizes: Counter[str] = field(default_factory=Counter[str])
    written: tuple[Written, ...] = ()
    seconds: float = 0.0
    model_seconds: float = 0.0

    def __add__(self, other: Cost) -> Cost:
        """Return what both took, one after the other."""
        return Cost(
            self.rounds + other.rounds,
            self.counts + other.counts,
            self.sizes + other.sizes,
            self.written + other.written,
            self.seconds + other.seconds,
            self.model_seconds + other.model_seconds,
        )

    @property
    def read_units(self) -> float:
        """Return DynamoDB's read units: the index is read eventually, at half of one."""
        return self.counts["read_units"] + self.counts["index_read_units"] / 2

    @property
    def write_units(self) -> int:
        """Return DynamoDB's write units, those of the index among them."""
        return self.counts["write_units"] + self.counts["index_units"]

    def calls(self, service: str) -> int:
        """Return how many requests a service got."""
        return sum(self.counts[name] for name in SERVICES[service])


class PacedClock:
    """A clock that the bench moves on, since a warm process reads again what is younger than half a minute."""

    def __init__(self) -> None:
        """Start on a day in March."""
        self._now = datetime(2026, 3, 1, tzinfo=UTC)

    def now(self) -> datetime:
        """Return the time."""
        return self._now

    def sleep(self, seconds: float) -> None:
        """Move on."""
        self._now += timedelta(seconds=seconds)


class _Queue:
    """A queue that keeps its jobs until the bench works them off, between two calls."""

    def __init__(self) -> None:
        self.waiting: list[Job] = []

    def send(self, jobs: Sequence[Job]) -> None:
        self.waiting.extend(jobs)


class _SameProcess:
    """The sandbox without its wall."""

    def invoke(self, tool: str, arguments: Mapping[str, object], request_id: str) -> Mapping[str, object]:
        asked = json.loads(sandbox.request(tool, arguments, request_id))
        return sandbox.answer(json.dumps(door.answer(asked)).encode())


class Process:
    """One process's services, with nothing in memory at first."""

    def __init__(self, adapters: Adapters, clock: PacedClock, models: Models) -> None:
        """Count what these services ask of their adapters."""
        self._meter = Meter()
        self._clock = clock
        self._models = models
        self.services = services_over(metered(adapters, self._meter), SETTINGS, *models)
        vars(self.services)["sandbox"] = MeteredSandbox(_SameProcess(), self._meter)

    def call(self, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Return what the tool answers."""
        return execute(CATALOG, tool, dict(arguments), Call(CALLER, self.services))

    @staticmethod
    def example(tool: str) -> Mapping[str, Any]:
        """Return the arguments that the tool gives as its example."""
        return next(each.example for each in CATALOG if each.name == tool)

    def cost(self, tool: str, arguments: Mapping[str, Any], *, after_seconds: float = 0) -> Cost:
        """Return what the tool's call takes, so many seconds later."""
        self._clock.sleep(after_seconds)
        return self.taken(lambda: self.call(tool, arguments))

    def taken(self, work: Callable[[], object]) -> Cost:
        """Return what the work takes."""
        self._meter.reset()
        started, models = time.process_time(), self._model_seconds()
        work()
        seconds, models = time.process_time() - started, self._model_seconds() - models
        counts, sizes = self._meter.counts.copy(), self._meter.sizes.copy()
        return Cost(self._meter.rounds, counts, sizes, tuple(self._meter.written), seconds, models)

    def _model_seconds(self) -> float:
        return sum(each.seconds for each in self._models if isinstance(each, _TimedMiniLm | _TimedReader))


class Deployment:
    """A store and its clock, over which processes are started; jobs wait until they are worked off."""

    def __init__(self, directory: Path, models: Callable[[], Models]) -> None:
        """Keep blobs in a directory and the table in memory."""
        self.clock = PacedClock()
        self._models = models
        self._queue = _Queue()
        meter = CallMeter()
        self._table = SqliteTable(Path(":memory:"), meter=meter)
        blobs, keys = DirectoryBlobs(directory / "blobs", meter), LocalKeyRing(bytes(32))
        self.adapters = Adapters(
            self._table, blobs, keys, self.clock, SystemEntropy(), in_turn, self._queue, meter=meter
        )
        self.plain = services_over(self.adapters, SETTINGS)
        self.inventory = EmbeddedInventory(self._table, directory / "blobs")
        PolicyStore(self.adapters).write(json.dumps(POLICY))
        self._worker = self.process()
        self.jobs = 0

    def process(self) -> Process:
        """Return a process that has just started."""
        return Process(self.adapters, self.clock, self._models())

    def tool(self, name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Return what a tool answers in a process that nobody counts."""
        return execute(CATALOG, name, dict(arguments), Call(CALLER, self.plain))

    def work_off(self) -> list[Cost]:
        """Do the jobs that wait, as the worker would, and return what each took; `jobs` counts those of segments."""
        costs = list[Cost]()
        while self._queue.waiting:
            job = self._queue.waiting.pop(0)
            if isinstance(job, IndexLog):
                self.jobs += 1
                costs.append(self._worker.taken(lambda job=job: self._worker.services.indexer.do(job, _JOB)))
            elif isinstance(job, EmbedLog) and self._worker.services.embedder is not None:
                costs.append(self._worker.taken(lambda job=job: self._worker.services.tail_vectors.store(job, _JOB)))
        return costs

    def close(self) -> None:
        """Give the table up."""
        self._table.close()


@contextmanager
def deployed(models: Callable[[], Models] = Models) -> Generator[Deployment]:
    """Yield a deployment with nothing stored, whose processes have these models: none, or `usual_models`."""
    with TemporaryDirectory() as directory:
        deployment = Deployment(Path(directory), models)
        try:
            yield deployment
        finally:
            deployment.close()
