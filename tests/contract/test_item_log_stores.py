"""Item logs behave alike over every store: what a refusal brings back, blobs, records, a deletion, two at once."""

from __future__ import annotations

from threading import Thread
from typing import Any

import pytest

from cairn.ground.adapters import Adapters
from cairn.ground.errors import Conflict
from cairn.ground.ports import Blobs, KeyRing, Table
from cairn.items.listing import Shelf
from cairn.items.model import ItemId
from cairn.items.read import Window
from cairn.process.system import in_turn
from support.doubles import RecordingJobs
from support.items import ACME, ADA, ALL, GARDEN, THREAD, confirm, data_of, item_logs, left_of, new, numbered, op


@pytest.fixture
def adapters(table: Table, blobs: Blobs, keyring: KeyRing, clock: Any, entropy: Any) -> Adapters:
    return Adapters(table, blobs, keyring, clock, entropy, in_turn, RecordingJobs())


@pytest.mark.slow
@pytest.mark.req("R313")
def test_a_log_s_life_is_the_same_in_every_store(adapters: Adapters, clock: Any) -> None:
    logs, stranger = item_logs(adapters), item_logs(adapters)
    noise = adapters.entropy.token(80_000).hex()
    first = logs.append(THREAD, new(("a", noise), ("b", {"x": None}), state={"s": noise})).revision
    assert stranger.append(THREAD, new(("a", noise), ("c", 3))).replayed == 1
    assert logs.append(THREAD, new(("d", noise))).count == 4
    for process in (logs, stranger, item_logs(adapters)):
        with pytest.raises(Conflict):
            process.append(THREAD, new(("e", 5), expected_revision=first))
    assert data_of(stranger.read(THREAD, ALL)) == [noise, {"x": None}, 3, noise]
    assert data_of(stranger.read(THREAD, Window(1, after=0))) == [{"x": None}]
    assert data_of(stranger.read(THREAD, Window(1, before=2))) == [{"x": None}]
    assert stranger.read(THREAD, Window(1)).state == {"s": noise}

    taken = stranger.take_back(THREAD, op("undo"), 2)
    assert [item.data for item in taken.items] == [3, noise]
    assert logs.take_back(THREAD, op("undo"), 2).items == taken.items
    assert logs.delete_items(THREAD, [ItemId("a"), ItemId("d")]).count == 1
    confirm(adapters)
    clock.advance(seconds=1)
    assert [each.count for each in logs.page(Shelf(ACME, GARDEN, ADA), with_state=True).logs] == [1]

    assert stranger.delete_log(THREAD).count == 1
    assert left_of(adapters) == []
    assert logs.append(THREAD, new(("a", 1), expected_revision=0)).revision > taken.revision
    assert data_of(stranger.read(THREAD, ALL)) == [1]
    confirm(adapters)


@pytest.mark.slow
@pytest.mark.req("R313")
def test_of_appends_at_once_all_are_stored_in_one_order(adapters: Adapters) -> None:
    processes = [item_logs(adapters) for _ in range(4)]

    def run(number: int) -> None:
        for place in range(5):
            processes[number].append(THREAD, numbered(10 * number + place, 10 * number + place))

    threads = [Thread(target=run, args=(number,)) for number in range(len(processes))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    there = data_of(processes[0].read(THREAD, ALL))
    assert sorted(there) == [10 * number + place for number in range(4) for place in range(5)]
    for number in range(4):
        own = [each for each in there if each // 10 == number]
        assert own == sorted(own)
    confirm(adapters)
