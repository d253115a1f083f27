"""Documents behave alike over every store: conditions, counts, searches, what expires and what is cleared away."""

from __future__ import annotations

from threading import Thread
from typing import Any

import pytest

from cairn.documents.changes import GRACE
from cairn.documents.collections import Listed
from cairn.ground.adapters import Adapters
from cairn.ground.errors import Conflict, QuotaExceeded
from cairn.ground.ports import Blobs, KeyRing, Table
from cairn.ground.settings import Quotas
from cairn.process.system import in_turn
from support.documents import ADA, counted, documents, found, put, value_of, wanted
from support.doubles import RecordingJobs

BEDS, OLD = ("notes", "beds"), ("notes/beds", "~old")


@pytest.fixture
def adapters(table: Table, blobs: Blobs, keyring: KeyRing, clock: Any, entropy: Any) -> Adapters:
    return Adapters(table, blobs, keyring, clock, entropy, in_turn, RecordingJobs())


@pytest.mark.slow
def test_a_document_s_life_is_the_same_in_every_store(adapters: Adapters, clock: Any) -> None:
    quotas = Quotas(documents=3)
    store, stranger = documents(adapters, quotas), documents(adapters, quotas)
    noise = adapters.entropy.token(80_000).hex()
    first = put(store, BEDS, "north", noise, ttl_seconds=60, if_version=0)
    assert put(store, BEDS, "north", noise, ttl_seconds=60, if_version=0) == first
    with pytest.raises(Conflict):
        put(stranger, BEDS, "north", 1, if_version=0)
    assert put(stranger, BEDS, "north", "Roses.", ttl_seconds=30) > first
    store.put(ADA, [wanted(OLD, "south/~", noise), wanted((), "west", {"text": "Beans."}, index=("text",))])
    with pytest.raises(QuotaExceeded):
        put(stranger, BEDS, "east", 1)
    assert found(store, "roses")[0] == "north"
    assert store.collections(ADA, Listed()) == ([(), BEDS, OLD], False)
    assert found(store) == ["west", "north", "south/~"]

    clock.advance(seconds=30)

    assert value_of(store, BEDS, "north") is None
    put(stranger, BEDS, "east", "Roses and beans.")
    assert found(store, "roses")[0] == "east"
    assert "north" not in found(store, "roses")
    put(store, OLD, "south/~", None)
    put(stranger, OLD, "south/~", None)
    assert store.collections(ADA, Listed(prefix=("notes",))) == ([BEDS], False)
    clock.advance(seconds=GRACE.total_seconds())
    store.collector.collect_all(ADA.tenant)
    assert store.collector.due(ADA.tenant) == ()
    kept, recounted = counted(adapters)
    assert kept == recounted
    assert kept.documents == 2


@pytest.mark.slow
def test_writers_at_once_are_all_counted_in_every_store(adapters: Adapters) -> None:
    processes = [documents(adapters) for _ in range(4)]
    put(processes[0], BEDS, "first", 1)
    calls = [(process, BEDS, f"k{number}", number) for number, process in enumerate(processes)]
    threads = [Thread(target=put, args=call) for call in calls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    kept, recounted = counted(adapters)
    assert kept == recounted
    assert kept.documents == 5
    assert len(found(processes[0])) == 5
