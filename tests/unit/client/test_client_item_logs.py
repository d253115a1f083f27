"""A program's item logs: any JSON in its order, once however often an answer is lost, in steps where it is much."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from cairn import AsyncMemory, Memory
from cairn.client.door import Door
from cairn.client.embedded import Embedded
from cairn.client.items import steps_of
from cairn.ground.errors import Conflict, InvalidArgument, Unavailable
from support.doubles import FakeClock


class Losing:
    """A door that does what it is asked and loses every answer once."""

    def __init__(self, door: Door) -> None:
        self._door = door
        self.asked: list[tuple[str, Mapping[str, Any]]] = []

    where, project = "losing", "garden"

    def knows_user(self) -> bool:
        return False

    def call(self, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        self.asked.append((tool, arguments))
        answer = self._door.call(tool, arguments)
        if len(self.asked) % 2:
            raise Unavailable("no answer came")
        return answer

    def close(self) -> None:
        self._door.close()


@pytest.fixture
def losing(home: object) -> Iterator[tuple[Memory, Losing]]:
    assert home
    door = Losing(Embedded(None))
    with Memory.through(door, FakeClock(), user="ada") as memory:
        yield memory, door


@pytest.mark.req("R313")
def test_a_lost_answer_stores_and_takes_back_nothing_twice(losing: tuple[Memory, Losing]) -> None:
    memory, door = losing
    log = memory.items("thread-1")

    assert log.append(["a", "b"]).count == 2
    assert log.append(["c"], state={"s": 1}, expected_revision=log.read().revision).count == 3
    assert [item.data for item in log.take_back().items] == ["c"]

    found = log.read()
    assert ([item.data for item in found.items], found.count, found.state) == (["a", "b"], 2, {"s": 1})
    assert log.delete(["nobody", found.items[0].id]).revision > found.revision
    assert [item.data for item in log.read().items] == ["b"]
    assert (log.delete().revision, log.read().revision) == (0, 0)
    assert len({str(arguments.get("operation_id")) for _, arguments in door.asked}) == 4


@pytest.mark.req("R313")
def test_each_take_back_takes_more_unless_it_is_named_the_same(memory: Memory) -> None:
    log = memory.items("thread", user="ada")
    log.append([1, 2, 3])

    taken = [log.take_back().items[0].data for _ in range(2)]
    named = [log.take_back(operation_id="undo") for _ in range(2)]

    assert (taken, [each.items[0].data for each in named]) == ([3, 2], [1, 1])
    assert [each.repeated for each in named] == [False, True]


@pytest.mark.req("R313")
def test_what_is_much_goes_and_comes_in_steps(memory: Memory) -> None:
    log, numbers = memory.items("long", user="ada"), list(range(150))

    done = log.append(numbers, ids=[f"m{number}" for number in numbers], operation_id="all")
    again = log.append(numbers, ids=[f"m{number}" for number in numbers], operation_id="all")
    large = log.append(["x" * 700_000] * 4)

    assert (done.positions, done.count, done.replayed) == (tuple(numbers), 150, 0)
    assert (again.positions, again.replayed, large.count) == (tuple(numbers), 150, 154)
    assert [item.data for item in log.read(before=150).items] == numbers
    assert [item.data for item in log.read(after=-1, limit=40).items] == numbers[:40]
    assert [item.position for item in log.read(3).items] == [151, 152, 153]
    assert len(log.read().items) == 154
    assert log.delete([f"m{number}" for number in numbers]).deleted == 150


@pytest.mark.req("R313")
def test_a_log_is_whose_the_call_says_and_of_no_session(memory: Memory) -> None:
    memory.items("thread", user="ada").append([1])
    memory.items("thread").append([2])
    memory.items("thread", user="ada", project="kitchen").append([3])

    assert [item.data for item in memory.items("thread").read().items] == [2]
    assert [log.log for log in memory.item_logs(user="ada", project="kitchen")] == ["thread"]
    assert [log.log for log in memory.item_logs("x", user="ada")] == []
    assert "thread" in repr(memory.items("thread", user="ada"))
    with pytest.raises(InvalidArgument):
        memory.items("thread", session="monday")
    with pytest.raises(InvalidArgument):
        memory.items("thread").append([1, 2], ids=["a"])
    with pytest.raises(InvalidArgument):
        memory.items("thread").read(0)


@pytest.mark.req("R313")
def test_the_same_can_be_awaited(home: object) -> None:
    async def main() -> list[Any]:
        async with AsyncMemory(user="ada", project="garden") as memory:
            log = memory.items("thread")
            done = await log.append([1, 2], ids=["a", "b"])
            with pytest.raises(Conflict):
                await log.append([3], expected_revision=done.revision - 1)
            taken = await log.take_back()
            named = [each.log async for each in memory.item_logs(with_state=True)]
            read = await log.read(5)
            await log.delete()
            return [taken.items[0].data, named, [item.data for item in read.items], log.name, repr(log)[:12]]

    assert home
    assert asyncio.run(main()) == [2, ["thread"], [1], "thread", "AsyncItemLog"]


def test_a_step_holds_as_many_bytes_as_are_sent() -> None:
    items = [{"id": str(number), "data": "ü" * 70_000} for number in range(10)]

    assert [len(step) for step in steps_of(items)] == [10]
    assert [len(step) for step in steps_of(items * 2)] == [10, 10]
