"""Whatever is asked of a log, by two processes and again where an answer was lost, it holds what a list would."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cairn.ground.adapters import Adapters
from cairn.ground.errors import Conflict, Unavailable
from cairn.items.model import UNCHANGED, Append, ItemId
from cairn.items.read import Window
from cairn.items.store import ItemLogs
from cairn.process.system import in_turn
from conftest import CountingEntropy, FakeClock
from support.doubles import RecordingJobs, RepeatingKeyRing
from support.faults import FaultyBlobs, FaultyStore, refused, unacknowledged
from support.items import ALL, THREAD, ListedLog, confirm, item_logs, left_of, new, op
from support.memory_store import MemoryBlobs, MemoryTable

NOISE = [f"{number * 7919 % 104729:x}" * 6 for number in range(4000)]
"""What is stored as a blob."""
NEVER = 10**6
Ask = Callable[[ItemLogs], object]


@dataclass
class Played:
    """A store with two processes, and the list that it has to agree with."""

    adapters: Adapters
    listed: ListedLog = field(default_factory=ListedLog)
    revision: int = 0
    highest: int = 0

    def __post_init__(self) -> None:
        self.processes = [item_logs(self.adapters) for _ in range(2)]

    def ask(self, which: int, fault: tuple[int, Any], ask: Ask) -> object:
        """Ask a process, and again if its answer was lost at that call of the store."""
        at, kind = fault
        store = FaultyStore(self.adapters, at, kind)
        broken = replace(self.adapters, table=store, blobs=FaultyBlobs(self.adapters, store))
        process = item_logs(broken) if at < NEVER else self.processes[which]
        with suppress(Unavailable):
            return ask(process)
        return ask(self.processes[which])

    def append(self, which: int, fault: tuple[int, Any], append: Append, expected: str) -> None:
        known = {"any": None, "right": self.revision, "wrong": self.revision + 1}[expected]
        append = replace(append, expected_revision=known)
        may = self.listed.replays(append) or expected != "wrong"
        if self.listed.conflicts(append) or not may:
            with pytest.raises(Conflict):
                self.ask(which, fault, lambda logs: logs.append(THREAD, append))
            return
        done: Any = self.ask(which, fault, lambda logs: logs.append(THREAD, append))
        self.listed.append(append)
        assert done.count == len(self.listed.items)
        assert len(done.positions) == len(append.items)

    def take_back(self, which: int, fault: tuple[int, Any], operation: str, count: int) -> None:
        done: Any = self.ask(which, fault, lambda logs: logs.take_back(THREAD, op(operation), count))
        assert [(item.id, item.data) for item in done.items] == self.listed.take_back(operation, count)

    def delete(self, which: int, fault: tuple[int, Any], ids: list[str]) -> None:
        self.ask(which, fault, lambda logs: logs.delete_items(THREAD, [ItemId(each) for each in ids]))
        self.listed.delete(ids)

    def clear(self, which: int, fault: tuple[int, Any]) -> None:
        self.ask(which, fault, lambda logs: logs.delete_log(THREAD))
        self.listed.clear()
        assert left_of(self.adapters) == []

    def compare(self) -> None:
        confirm(self.adapters)
        found = self.processes[0].read(THREAD, ALL)
        assert self.processes[1].read(THREAD, ALL) == found
        assert [(item.id, item.data) for item in found.items] == self.listed.items
        assert found.state == self.listed.state
        assert (found.revision > 0) == self.listed.is_there
        if found.revision != self.revision:
            assert found.revision == 0 or found.revision > self.highest
        self.revision, self.highest = found.revision, max(self.highest, found.revision)
        positions = [item.position for item in found.items]
        for place in positions[1:]:
            some = self.processes[0].read(THREAD, Window(2, before=place))
            assert [item.position for item in some.items] == [each for each in positions if each < place][-2:]
            rest = self.processes[1].read(THREAD, Window(2, after=place))
            assert [item.position for item in rest.items] == [each for each in positions if each > place][:2]


DATA = st.sampled_from([1, "two", {"x": [None]}, NOISE])
NAMED = st.lists(st.tuples(st.sampled_from("abcdefgh"), DATA), max_size=4)
FAULT = st.just((NEVER, refused)) | st.tuples(st.integers(1, 9), st.sampled_from([refused, unacknowledged]))
STATE = st.just(UNCHANGED) | st.sampled_from([{"s": 1}, 2, NOISE])
COMMAND = st.one_of(
    st.tuples(st.just("append"), NAMED, STATE, st.sampled_from("xyz"), st.sampled_from(["any", "right", "wrong"])),
    st.tuples(st.just("take_back"), st.sampled_from("uvw"), st.integers(1, 3)),
    st.tuples(st.just("delete"), st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=3)),
    st.tuples(st.just("clear")),
)


@pytest.mark.slow
@pytest.mark.req("R313")
@given(commands=st.lists(st.tuples(st.integers(0, 1), FAULT, COMMAND), max_size=12))
def test_a_log_is_what_a_list_would_be(commands: list[tuple[int, tuple[int, Any], Any]]) -> None:
    clock = FakeClock()
    played = Played(
        Adapters(MemoryTable(), MemoryBlobs(), RepeatingKeyRing(), clock, CountingEntropy(), in_turn, RecordingJobs())
    )
    for which, fault, (kind, *said) in commands:
        if kind == "append":
            items, state, operation, expected = said
            played.append(which, fault, new(*items, state=state, operation_id=op(operation)), expected)
        else:
            getattr(played, kind)(which, fault, *said)
        played.compare()
        clock.advance(seconds=1)
