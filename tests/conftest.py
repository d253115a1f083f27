"""What tests stand on: the embedded store in a temporary directory, a clock that tests set, entropy that repeats."""

from __future__ import annotations

import gc
import io
import json
import logging
import os
import shutil
import sqlite3
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import hypothesis
import pytest
from botocore.loaders import JSONFileLoader
from hypothesis.internal.conjecture import providers
from hypothesis.internal.constants_ast import Constants

from cairn import wiring
from cairn.access.api_keys import ALL_PROJECTS
from cairn.access.callers import Caller
from cairn.embedded.blobs import DirectoryBlobs
from cairn.embedded.table import SqliteTable
from cairn.ground.adapters import Adapters
from cairn.ground.ids import Tenant
from cairn.ground.settings import MemorySettings
from cairn.process.system import in_turn
from cairn.services import Services
from cairn.settings.settings import Settings, variables
from cairn.telemetry import logs
from cairn.telemetry.record import CallMeter
from cairn.tool.call import Call
from cairn_tools.catalog import CATALOG
from support.doubles import FakeClock, RecordingJobs, RepeatingKeyRing
from support.services import services_over

# Every run draws the same inputs, and a busy machine is no failure; `make bench-hunt` draws others, by a seed.
hypothesis.settings.register_profile("cairn", deadline=None, database=None, derandomize=True)
hypothesis.settings.load_profile("cairn")
hypothesis.settings.register_profile("hunt", derandomize=False, max_examples=500)
# Hypothesis also draws constants of the modules loaded so far, which differ with the tests that ran before.
setattr(providers, "_get_local_constants", Constants)  # noqa: B010 - the name is not public


IN_MEMORY = Path("/dev/shm")  # noqa: S108 - pytest makes a directory of its own there
ROOM_BYTES = 2**30
VARIABLES = variables()


def pytest_configure() -> None:
    """Keep tests' files in memory where the machine has room for them: a store waits for the disk at every write."""
    if os.access(IN_MEMORY, os.W_OK) and shutil.disk_usage(IN_MEMORY).free > ROOM_BYTES:
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(IN_MEMORY))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Look for garbage in what the tests make alone: what was collected is a million objects that all stay."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


class CountingEntropy:
    """Bytes that differ at each draw and are the same in each run."""

    def __init__(self) -> None:
        self.draws = 0

    def token(self, size: int) -> bytes:
        self.draws += 1
        stream = b"".join(sha256(f"{self.draws}/{block}".encode()).digest() for block in range(size // 32 + 1))
        return stream[:size]


_EVERY_CALL = ("%#audit", "%#audit#%", "%#asked#%", "%#rates", "%#keys")
EVERY_CALL_S = " OR ".join(f"pk LIKE '{pattern}'" for pattern in _EVERY_CALL)


@dataclass(frozen=True, slots=True)
class Store:
    """What a test may look at of the store behind the services."""

    directory: Path

    def contents(self) -> bytes:
        """Return every byte of the store, to look for what must not be there."""
        return b"".join(path.read_bytes() for path in sorted(self.directory.rglob("*")) if path.is_file())

    def rows(self) -> int:
        """Count the items of the table and the blobs, without what every call leaves: record, buckets and data key."""
        connection = sqlite3.connect(self.directory / "table.sqlite3")
        try:
            (items,) = connection.execute(f"SELECT count(*) FROM items WHERE NOT ({EVERY_CALL_S})").fetchone()  # noqa: S608  constants
        finally:
            connection.close()
        return items + sum(path.is_file() for path in (self.directory / "blobs").rglob("*"))


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hide what the machine that runs the tests has set."""
    for name in os.environ.keys() & VARIABLES:
        monkeypatch.delenv(name)


@pytest.fixture(scope="session", autouse=True)
def _files_of_the_sdk_are_read_once() -> Iterator[None]:
    """Keep what every new client reads of AWS's interfaces, which are megabytes of JSON."""
    read, kept = JSONFileLoader.load_file, dict[str, Any]()

    def load_file(loader: JSONFileLoader, file_path: str) -> Any:
        if file_path not in kept:
            kept[file_path] = read(loader, file_path)
        return kept[file_path]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(JSONFileLoader, "load_file", load_file)
        yield


@pytest.fixture(autouse=True)
def _untouched_log() -> Iterator[None]:
    """Undo what a test's `logs.configure` did to the process's logger: other tests read it through pytest."""
    logger = logging.getLogger("cairn")
    handlers, level, propagate = list(logger.handlers), logger.level, logger.propagate
    yield
    logger.handlers, logger.propagate = handlers, propagate
    for name in ("init", "powertools_handler"):  # by which Powertools knows a logger that it has set up
        vars(logger).pop(name, None)
    logger.setLevel(level)


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    """Everything any logger says, as this package's lines."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(logs.LogLines())
    root = logging.getLogger()
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    yield stream
    root.setLevel(level)
    root.removeHandler(handler)


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def entropy() -> CountingEntropy:
    return CountingEntropy()


@pytest.fixture
def settings() -> Settings:
    """The only required switch, with every tool of the catalog on; a test module overrides this fixture for more."""
    return Settings(memory_enabled=True, tool_switches={tool.name: True for tool in CATALOG if not tool.on_by_default})


@pytest.fixture
def new_adapters(tmp_path: Path) -> Iterator[Callable[[], tuple[Store, Adapters]]]:
    """Return a function that makes an empty store with its adapters, alike each time."""
    tables: list[SqliteTable] = []

    def make() -> tuple[Store, Adapters]:
        directory = tmp_path / f"store-{len(tables)}"
        directory.mkdir(mode=0o700)
        meter = CallMeter()
        tables.append(SqliteTable(directory / "table.sqlite3", meter=meter))
        blobs = DirectoryBlobs(directory / "blobs", meter)
        keys = RepeatingKeyRing()
        return Store(directory), Adapters(
            tables[-1], blobs, keys, FakeClock(), CountingEntropy(), in_turn, RecordingJobs(), meter=meter
        )

    yield make
    for table in tables:
        table.close()


@pytest.fixture
def fresh(new_adapters: Callable[[], tuple[Store, Adapters]], settings: Settings) -> Iterator[Callable[[], Store]]:
    """Return a function that gives this process services over an empty store, and that store."""

    def install() -> Store:
        store, adapters = new_adapters()
        wiring.provide(services_over(adapters, settings))
        return store

    yield install
    wiring.provide(None)


@pytest.fixture
def store_and_adapters(new_adapters: Callable[[], tuple[Store, Adapters]]) -> tuple[Store, Adapters]:
    return new_adapters()


@pytest.fixture
def store(store_and_adapters: tuple[Store, Adapters]) -> Store:
    return store_and_adapters[0]


@pytest.fixture
def adapters(store_and_adapters: tuple[Store, Adapters], clock: FakeClock, entropy: CountingEntropy) -> Adapters:
    return replace(store_and_adapters[1], clock=clock, entropy=entropy)


@pytest.fixture
def services(adapters: Adapters, settings: Settings) -> Iterator[Services]:
    built = services_over(adapters, settings)
    wiring.provide(built)
    yield built
    wiring.provide(None)


@pytest.fixture
def tuned(services: Services, adapters: Adapters) -> Callable[..., Services]:
    """Return a function that installs services over the same store with other memory knobs."""

    def tune(**knobs: Any) -> Services:
        settings = replace(services.settings, memory=MemorySettings(**knobs))
        built = services_over(adapters, settings, sandbox=services.sandbox)
        wiring.provide(built)
        return built

    return tune


@pytest.fixture
def caller() -> Caller:
    return Caller(Tenant("acme"), frozenset({"read", "write"}), "request-1", (ALL_PROJECTS,))


@pytest.fixture
def call(caller: Caller, services: Services) -> Call:
    return Call(caller, services)


@pytest.fixture
def event_of() -> Callable[..., dict[str, Any]]:
    """Return a function that makes the API Gateway event, payload 2.0, of a POST behind the authorizer."""

    def make(  # noqa: PLR0913 - one parameter for each part that tests vary
        path: str,
        body: object,
        *,
        tenant: str = "acme",
        projects: str = "*",
        scopes: str = "read write",
        headers: Mapping[str, str] | None = None,
    ) -> dict[str, Any]:
        return {
            "version": "2.0",
            "rawPath": path,
            "headers": {"content-type": "application/json", **(headers or {})},
            "requestContext": {
                "http": {"method": "POST", "path": path},
                "requestId": "request-1",
                "authorizer": {"lambda": {"tenant": tenant, "scopes": scopes, "projects": projects}},
            },
            "body": body if isinstance(body, str) else json.dumps(body),
            "isBase64Encoded": False,
        }

    return make
