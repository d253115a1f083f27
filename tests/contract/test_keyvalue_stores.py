"""Key-value memory behaves alike over every store: what a refusal brings back, counters, quotas, collection."""

from __future__ import annotations

from threading import Thread
from typing import Any

import pytest

from cairn.ground.adapters import Adapters
from cairn.ground.errors import Conflict, NotFound, QuotaExceeded
from cairn.ground.ids import Namespace, Tenant
from cairn.ground.ports import Blobs, KeyRing, Table
from cairn.ground.settings import Quotas
from cairn.keyvalue.changes import GRACE
from cairn.keyvalue.model import KeyName, Place, Usage
from cairn.process.system import in_turn
from support.doubles import RecordingJobs
from support.keyvalue import key_value

ACME = Tenant("acme")
SPACE = Namespace("session.a")


def at(key: str) -> Place:
    return Place(ACME, SPACE, KeyName(key))


@pytest.fixture
def adapters(table: Table, blobs: Blobs, keyring: KeyRing, clock: Any, entropy: Any) -> Adapters:
    return Adapters(table, blobs, keyring, clock, entropy, in_turn, RecordingJobs())


@pytest.mark.slow
@pytest.mark.req("R165")
@pytest.mark.req("R151")
def test_a_key_s_life_is_the_same_in_every_store(adapters: Adapters, clock: Any) -> None:
    quotas = Quotas(namespace_items=3)
    memory, stranger = key_value(adapters, quotas), key_value(adapters, quotas)
    noise = adapters.entropy.token(80_000).hex()
    first = memory.put(at("a"), noise, ttl_seconds=60)
    assert stranger.put(at("a"), {"small": True}, ttl_seconds=30) > first
    with pytest.raises(Conflict):
        memory.put(at("a"), 1, if_version=first)
    for key in ("b", "c"):
        memory.put(at(key), noise)
    with pytest.raises(QuotaExceeded):
        stranger.put(at("d"), 1)
    assert memory.list(ACME, SPACE, limit=2).keys == ("a", "b")

    clock.advance(seconds=30)

    assert (memory.list(ACME, SPACE).keys, memory.list(ACME, SPACE).total) == (("b", "c"), 2)
    stranger.put(at("d"), 1)
    memory.delete(at("b"))
    with pytest.raises(NotFound):
        stranger.delete(at("b"))
    assert stranger.get(at("c")).value == noise
    clock.advance(seconds=GRACE.total_seconds())
    memory.collection.collect_all(ACME)
    counts = memory.collection.recount(ACME)
    assert [each.kept for each in counts] == [each.counted for each in counts]
    assert counts[-1].kept == Usage(2, 2 + len(noise) + 2 + 1)
    assert memory.collection.due(ACME) == ()


@pytest.mark.slow
def test_writers_at_once_are_all_counted_in_every_store(adapters: Adapters) -> None:
    processes = [key_value(adapters) for _ in range(4)]
    processes[0].put(at("first"), 1)
    threads = [Thread(target=each.put, args=(at(f"k{number}"), number)) for number, each in enumerate(processes)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert processes[0].list(ACME, SPACE).total == 5
    assert processes[0].collection.recount(ACME)[-1].kept.items == 5
