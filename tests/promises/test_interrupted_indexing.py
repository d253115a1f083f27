"""Wherever an indexer is stopped, and whoever indexes and writes meanwhile, every answer is as a fold of the log."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from copy import copy
from dataclasses import replace
from itertools import islice
from threading import Barrier, Lock
from typing import Any

import pytest

from builders import SESSION, Journal
from cairn.domain.errors import Unavailable
from cairn.runtime.system import SystemEntropy
from cairn.service.indexing import Indexer
from cairn.service.memory_log import MemoryLog
from cairn.service.segments import GRACE
from cairn.service.vault import Vault
from cairn.service.world import World

NewWorld = Callable[[], World]
MODES = ("refused", "answer lost", "killed before", "killed after")
ENTRIES_AT_ONCE = 300
FEWEST_CALLS = 8
"""An indexer reads the manifest and the log, loads, notes, stores, switches and collects."""


class Killed(BaseException):
    """The indexer is gone."""


class Faulty:
    """An adapter of one process whose call number `at`, of all its adapters' calls, goes wrong."""

    def __init__(self, adapter: Any, calls: list[str], mode: str, at: int) -> None:
        self._adapter = adapter
        self._calls = calls
        self._mode = mode
        self._at = at

    def __getattr__(self, name: str) -> Any:
        call = getattr(self._adapter, name)

        def around(*args: Any) -> Any:
            if len(self._calls) >= self._at and self._mode.startswith("killed"):
                raise Killed
            self._calls.append(name)
            if len(self._calls) != self._at:
                return call(*args)
            if self._mode in {"answer lost", "killed after"}:
                call(*args)
            raise Killed if self._mode.startswith("killed") else Unavailable("a fault of the test")

        return around


def faulty(world: World, mode: str, at: int) -> tuple[World, list[str]]:
    calls: list[str] = []
    return replace(world, table=Faulty(world.table, calls, mode, at), blobs=Faulty(world.blobs, calls, mode, at)), calls


def copied(world: World) -> World:
    """Return a world of its own with the same items and blobs."""
    twin = replace(world, table=copy(world.table), blobs=copy(world.blobs))
    vars(twin.table)["items"] = dict(vars(world.table)["items"])
    vars(twin.blobs)["blobs"] = dict(vars(world.blobs)["blobs"])
    return twin


def blobs_of(world: World) -> set[str]:
    return {digest for _, digest in vars(world.blobs)["blobs"]}


@pytest.fixture
def due(world_in_memory: NewWorld) -> World:
    """A log whose next index run merges seven segments with its tail, and finds blobs to delete."""
    journal = Journal(world_in_memory())
    journal.write(34)
    journal.index()
    journal.rebuild()
    for _ in range(6):
        journal.write(34)
        journal.index()
    journal.write(34)
    clock: Any = journal.world.clock
    clock.advance(hours=2)
    return journal.world


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES)
def test_an_indexer_stopped_at_any_call_loses_nothing_and_the_next_one_finishes(due: World, mode: str) -> None:
    expected = Journal(due).folded()
    clean = Journal(copied(due))
    clean.index()
    sizes = [ref.entries for ref in clean.manifest().segments]
    assert sizes == [8 * 34]
    at = 0
    while True:
        at += 1
        twin = Journal(copied(due))
        world, calls = faulty(twin.world, mode, at)
        try:
            Indexer(world, Vault(world)).run(SESSION.tenant, SESSION.project, twin.owner)
        except (Unavailable, Killed):
            assert twin.answers() == expected, f"after {calls}"
        if len(calls) < at:
            break
        twin.index()
        assert twin.answers() == expected, f"after {calls}, then a clean run"
        assert [ref.entries for ref in twin.manifest().segments] == sizes
        clock: Any = twin.world.clock
        before = clock.time
        clock.advance(seconds=GRACE.total_seconds() + 1)
        twin.index()
        assert blobs_of(twin.world) == {ref.digest for ref in twin.manifest().segments}, f"after {calls}"
        assert twin.answers()["chunks"] == expected["chunks"]
        clock.time = before
    assert at > FEWEST_CALLS


@pytest.mark.slow
def test_indexers_writers_and_readers_at_once_agree_with_the_log(world_in_memory: NewWorld) -> None:
    """Time goes on by a second with each entry, so that entries settle while all are at it."""
    world = replace(world_in_memory(), entropy=SystemEntropy())
    writers = [Journal(world) for _ in range(2)]
    readers = [MemoryLog(world, Vault(world)) for _ in range(2)]
    start, lock, numbers = Barrier(6), Lock(), iter(range(1, ENTRIES_AT_ONCE + 1))
    clock: Any = world.clock

    def write(journal: Journal) -> None:
        while journal.answers(journal.log)["turns"][1] < ENTRIES_AT_ONCE:
            with lock:
                for number in islice(numbers, 1):
                    world.table.put(journal.prepared(number))
                    clock.advance(seconds=1)

    def index(journal: Journal) -> None:
        while journal.folded()["turns"][1] < ENTRIES_AT_ONCE:
            journal.index()

    def read(reader: MemoryLog) -> None:
        seen = 0
        while seen < ENTRIES_AT_ONCE:
            count = writers[0].answers(reader)["turns"][1]
            assert count >= seen
            seen = count

    def run(task: Callable[[Any], None], given: object) -> None:
        start.wait()
        task(given)

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(run, [write, write, index, index, read, read], [*writers, *writers, *readers]))

    expected = writers[0].folded()
    assert writers[0].manifest().segments
    for log in (None, *readers, *(journal.log for journal in writers)):
        assert writers[0].answers(log) == expected
