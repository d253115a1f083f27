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

from cairn.ground.adapters import Adapters
from cairn.ground.errors import Unavailable
from cairn.log import manifest
from cairn.log.log import MemoryLog
from cairn.log.segments import GRACE
from cairn.process.system import SystemEntropy
from cairn.recall.indexing import Indexer
from cairn.vault.vault import Vault
from support.faults import FAULTS, FaultyBlobs, FaultyStore, Stopped
from support.log import Journal
from support.memory_store import copied
from support.turns import SESSION

NewAdapters = Callable[[], Adapters]
Fault = Callable[[Callable[[], object]], object]
ENTRIES_AT_ONCE = 300
FEWEST_CALLS = 8
"""An indexer reads the manifest and the log, loads, notes, stores, switches and collects."""


def faulty(adapters: Adapters, at: int, fault: Fault) -> tuple[FaultyStore, Adapters]:
    store = FaultyStore(adapters, at, fault)
    return store, replace(adapters, table=store, blobs=FaultyBlobs(adapters, store))


def blobs_of(adapters: Adapters) -> set[str]:
    return {digest for _, digest in vars(adapters.blobs)["blobs"]}


@pytest.fixture
def due(adapters_in_memory: NewAdapters, monkeypatch: pytest.MonkeyPatch) -> Adapters:
    """A log whose next index run merges two segments with its tail, and finds blobs to delete."""
    monkeypatch.setattr(manifest, "LOWEST", 16)  # of levels: a few entries make a segment of a higher one
    journal = Journal(adapters_in_memory())
    journal.write(34)
    journal.index()
    journal.rebuild()
    for _ in range(2):
        journal.write(34)
        journal.index()
    journal.write(34)
    clock: Any = journal.adapters.clock
    clock.advance(hours=2)
    return journal.adapters


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS)
def test_an_indexer_stopped_at_any_call_loses_nothing_and_the_next_one_finishes(due: Adapters, fault: Fault) -> None:
    expected = Journal(due).folded()
    clean = Journal(copied(due))
    clean.index()
    sizes = [ref.entries for ref in clean.manifest().segments]
    assert [ref.entries for ref in Journal(due).manifest().segments] == [2 * 34, 34]
    assert sizes == [4 * 34]
    calls = 0
    for at in count(1):
        twin = Journal(copied(due))
        store, adapters = faulty(twin.adapters, at, fault)
        with suppress(Unavailable, Stopped):
            Indexer(adapters, Vault(adapters)).run(SESSION.tenant, SESSION.project, twin.owner)
        assert twin.answers() == expected, f"after call {at}"
        if store.calls < at:
            break
        calls = at
        twin.index()
        assert twin.answers() == expected, f"after call {at} and a clean run"
        assert [ref.entries for ref in twin.manifest().segments] == sizes
        clock: Any = twin.adapters.clock
        clock.advance(seconds=GRACE.total_seconds() + 1)
        twin.index()
        assert blobs_of(twin.adapters) == {ref.digest for ref in twin.manifest().segments}, f"after call {at}"
        assert twin.answers() == twin.folded()
        clock.advance(seconds=-GRACE.total_seconds() - 1)
    assert calls >= FEWEST_CALLS


@pytest.mark.slow
def test_indexers_writers_and_readers_at_once_agree_with_the_log(adapters_in_memory: NewAdapters) -> None:
    """Time goes on by a second with each entry, so that entries settle while all are at it."""
    adapters = replace(adapters_in_memory(), entropy=SystemEntropy())
    writers = [Journal(adapters) for _ in range(2)]
    readers = [MemoryLog(adapters, Vault(adapters)) for _ in range(2)]
    start, lock, numbers = Barrier(6), Lock(), iter(range(1, ENTRIES_AT_ONCE + 1))
    clock: Any = adapters.clock

    def write(journal: Journal) -> None:
        while journal.answers(journal.log)["turns"][1] < ENTRIES_AT_ONCE:
            with lock:
                for number in islice(numbers, 1):
                    adapters.table.put(journal.prepared(number))
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
