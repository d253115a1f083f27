"""The memory of one process that stores turns of many users for long.

Texts get vectors that mean nothing, since making them is most of a turn's time and none of what it leaves in memory.
"""

from __future__ import annotations

import os
import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from zlib import crc32

import numpy as np

from cairn import wiring
from cairn.access.api_keys import ALL_PROJECTS
from cairn.access.callers import Caller
from cairn.embedded.queue import InProcessJobs
from cairn.ground.calibration import Calibration
from cairn.local.server.background import work
from cairn.local.store import LOCAL_TENANT, local_environment
from cairn.recall.corpus import Vector
from cairn.settings.settings import EmbeddedStore, read
from cairn.tool.call import Call, execute
from cairn_tools.catalog import CATALOG
from clients import AFTER, BEFORE, resident_megabytes
from over_adapters import services_over
from report import Cell, Table
from scenes import Place, preparation, turn

SOAK_TURNS, SOAK_MINUTES = 100_000, 5
TURNS_PER_SESSION, TURNS_PER_PREPARATION = 100, 5
_ROWS = 10
_TEXT_BYTES = 200
_DIMENSIONS = 384


class Noise:
    """Gives each text a vector of its own, as large as MiniLM's."""

    name = "noise"
    calibration = Calibration()

    def embed(self, text: str) -> Vector:
        """Return a unit vector that follows from the text."""
        vector = np.random.default_rng(crc32(text.encode())).standard_normal(_DIMENSIONS)
        return (vector / np.linalg.norm(vector)).astype(np.float32)


def soak(turns: int, minutes: float) -> Table:
    """Return the memory of one process as it stores so many turns, or as many as it does in these minutes."""
    rows: list[Sequence[Cell]] = []
    with TemporaryDirectory() as directory, _process(Path(directory)):
        until = time.perf_counter() + 60 * minutes
        for done in _stored(turns):
            is_over = time.perf_counter() > until
            if done % (turns // _ROWS or 1) == 0 or is_over:
                rows.append((done, -(-done // TURNS_PER_SESSION), resident_megabytes(os.getpid())))
            if is_over:
                break
    says = (
        f"Sessions of {TURNS_PER_SESSION} turns of {2 * _TEXT_BYTES} bytes, each of a user of its own, stored in one "
        f"process; each {TURNS_PER_PREPARATION}th is prepared before. It keeps what it knows of users up to a bound."
    )
    return Table("Memory as turns are stored", ("turns", "users", "resident MB"), rows, says)


@contextmanager
def _process(directory: Path) -> Generator[None]:
    """Let this process's services be those of `cairn serve` over a new data directory, but for the embedder."""
    settings = replace(read(local_environment({})), store=EmbeddedStore(directory=directory))
    with closing(InProcessJobs(work)) as jobs:
        wiring.provide(services_over(replace(wiring.wiring_of(settings).adapters(), jobs=jobs), settings, Noise()))
        try:
            yield
        finally:
            wiring.provide(None)


def _stored(turns: int) -> Iterator[int]:
    """Store turns and yield how many there are, after each."""
    caller = Caller(LOCAL_TENANT, frozenset({"read", "write"}), "bench-request", (ALL_PROJECTS,))
    for number in range(turns):
        place = Place(f"session-{number // TURNS_PER_SESSION}", f"user-{number // TURNS_PER_SESSION}")
        call = Call(caller, wiring.services())
        if (number + 1) % TURNS_PER_PREPARATION == 0:
            execute(CATALOG, BEFORE, preparation(place, _TEXT_BYTES), call)
        execute(CATALOG, AFTER, turn(place, _TEXT_BYTES), call)
        yield number + 1
