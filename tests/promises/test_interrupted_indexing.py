"""Wherever an indexer is stopped, and whoever indexes and writes meanwhile, every answer is as a fold of the log."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from itertools import count, islice
from threading import Barrier, Lock
from typing import Any

import pytest

from cairn.ground.errors import Unavailable
from cairn.ground.world import World
from cairn.log.log import MemoryLog
from cairn.log.segments import GRACE
from cairn.process.system import SystemEntropy
from cairn.recall.indexing import Indexer
from cairn.vault.vault import Vault
from support.faults import FAULTS, FaultyBlobs, FaultyStore, Stopped
from support.log import Journal
from support.memory_store import copied
from support.turns import SESSION

NewWorld = Callable[[], World]
Fault = Callable[[Callable[[], object]], object]
ENTRIES_AT_ONCE = 300
FEWEST_CALLS = 8
"""An indexer reads the manifest and the log, loads, notes, stores, switches and collects."""


def faulty(world: World, at: int, fault: Fault) -> tuple[FaultyStore, World]:
    store = FaultyStore(world, at, fault)
    return store, replace(world, table=store, blobs=FaultyBlobs(world, store))


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
@pytest.mark.parametrize("fault", FAULTS)
def test_an_indexer_stopped_at_any_call_loses_nothing_and_the_next_one_finishes(due: World, fault: Fault) -> None:
    expected = Journal(due).folded()
    clean = Journal(copied(due))
    clean.index()
    sizes = [ref.entries for ref in clean.manifest().segments]
    assert sizes == [8 * 34]
    calls = 0
    for at in count(1):
        twin = Journal(copied(due))
        store, world = faulty(twin.world, at, fault)
        with suppress(Unavailable, Stopped):
            Indexer(world, Vault(world)).run(SESSION.tenant, SESSION.project, twin.owner)
        assert twin.answers() == expected, f"after call {at}"
        if store.calls < at:
            break
        calls = at
        twin.index()
        assert twin.answers() == expected, f"after call {at} and a clean run"
        assert [ref.entries for ref in twin.manifest().segments] == sizes
        clock: Any = twin.world.clock
        clock.advance(seconds=GRACE.total_seconds() + 1)
        twin.index()
        assert blobs_of(twin.world) == {ref.digest for ref in twin.manifest().segments}, f"after call {at}"
        assert twin.answers() == twin.folded()
        clock.advance(seconds=-GRACE.total_seconds() - 1)
    assert calls >= FEWEST_CALLS


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
