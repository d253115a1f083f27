"""Wherever a call of an item log is stopped, refused or left without an answer, doing it again does it exactly once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from itertools import count
from typing import Any

import pytest

from cairn.ground.adapters import Adapters
from cairn.ground.errors import Unavailable
from cairn.items.model import ItemId, Stretch
from cairn.items.store import ItemLogs
from support.faults import FAULTS, FaultyBlobs, FaultyStore, Stopped
from support.items import ALL, THREAD, confirm, data_of, item_logs, left_of, new, op

NewAdapters = Callable[[], Adapters]
Ask = Callable[[ItemLogs], object]
LARGE = [f"{number * 7919 % 104729:x}" * 6 for number in range(4000)]
"""What is stored as a blob."""
FEWEST_CALLS = 3
CALLS: Mapping[str, tuple[Ask, Callable[[], list[Any]]]] = {
    "append": (
        lambda logs: logs.append(THREAD, new(("d", LARGE), ("e", 5), state={"s": LARGE}, operation_id=op("more"))),
        lambda: [1, LARGE, 3, LARGE, 5],
    ),
    "state": (lambda logs: logs.append(THREAD, new(state={"s": 1}, operation_id=op("state"))), lambda: [1, LARGE, 3]),
    "take back": (lambda logs: logs.take_back(THREAD, op("undo"), 2), lambda: [1]),
    "delete items": (lambda logs: logs.delete_items(THREAD, [ItemId("b"), ItemId("never")]), lambda: [1, 3]),
    "delete log": (lambda logs: logs.delete_log(THREAD), list),
}


def filled(adapters: Adapters) -> None:
    logs = item_logs(adapters)
    logs.append(THREAD, new(("a", 1), state={"s": 0}))
    logs.append(THREAD, new(("b", LARGE), ("c", 3)))


@pytest.mark.req("R313")
@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("name", CALLS)
def test_a_call_is_done_once_whatever_call_of_the_store_fails(
    adapters_in_memory: NewAdapters, name: str, fault: Callable[[Callable[[], object]], object]
) -> None:
    (ask, expected), calls = CALLS[name], 0
    for at in count(1):
        adapters = adapters_in_memory()
        filled(adapters)
        before = item_logs(adapters).read(THREAD, ALL)
        store = FaultyStore(adapters, at, fault)
        broken = replace(adapters, table=store, blobs=FaultyBlobs(adapters, store))
        with suppress(Unavailable, Stopped):
            ask(item_logs(broken))
        midway = item_logs(adapters).read(THREAD, ALL)
        assert midway == before or data_of(midway) == expected(), f"after call {at}"
        confirm(adapters)

        ask(item_logs(adapters))
        after = item_logs(adapters).read(THREAD, ALL)
        ask(item_logs(adapters))

        assert data_of(after) == expected(), f"after call {at}"
        assert item_logs(adapters).read(THREAD, ALL) == after, f"after call {at}"
        confirm(adapters)
        if name == "delete log":
            assert (after, left_of(adapters)) == (Stretch(), [])
        if store.calls < at:
            break
        calls = at
    assert calls >= FEWEST_CALLS


@pytest.mark.req("R313")
def test_an_append_beside_a_stopped_deletion_begins_a_log_of_its_own(adapters_in_memory: NewAdapters) -> None:
    for at in count(1):
        adapters = adapters_in_memory()
        filled(adapters)
        store = FaultyStore(adapters, at, FAULTS[0])
        with suppress(Stopped):
            item_logs(replace(adapters, table=store, blobs=FaultyBlobs(adapters, store))).delete_log(THREAD)
        deleted = item_logs(adapters).read(THREAD, ALL).revision == 0

        item_logs(adapters).append(THREAD, new(("a", 1), ("later", 2)))

        whole = [1, 2] if deleted else [1, LARGE, 3, 2]
        assert data_of(item_logs(adapters).read(THREAD, ALL)) == whole, f"after call {at}"
        confirm(adapters)
        if deleted:
            assert len([sk for sk in left_of(adapters) if sk.startswith("i#")]) == 1, "the append tidied up"
        if store.calls < at:
            return
