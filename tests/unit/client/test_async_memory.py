"""The awaited memory: the same answers, and a loop that goes on."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Mapping
from threading import Event
from typing import Any

import pytest

from cairn import AsyncMemory, Memory
from support.doubles import FakeClock

SECONDS = 20


class WaitingDoor:
    """A door whose answer comes when a test lets it."""

    where, project = "waiting", None

    def __init__(self) -> None:
        self.asked, self.may_answer = Event(), Event()

    def knows_user(self) -> bool:
        return False

    def call(self, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        self.asked.set()
        assert self.may_answer.wait(SECONDS), f"{tool}: the loop did not go on"
        assert arguments["content"]
        return {"memory_id": "u-1", "memory_type": "fact", "message": "Remembered as fact."}

    def close(self) -> None:
        self.may_answer.set()


def test_the_loop_goes_on_while_a_call_waits(clock: FakeClock) -> None:
    door = WaitingDoor()

    async def main() -> str:
        async with AsyncMemory.through(door, clock, user="ada") as memory:
            call = asyncio.create_task(memory.remember("The shed is red."))
            assert await asyncio.to_thread(door.asked.wait, SECONDS)
            door.may_answer.set()  # by the loop, while the call waits for it
            return (await call).id

    assert asyncio.run(main()) == "u-1"


@pytest.mark.req("R286")
def test_many_calls_at_once_are_each_stored_once_and_found() -> None:
    async def main() -> tuple[list[str], list[str]]:
        async with await AsyncMemory.open(user="ada") as memory:
            await asyncio.gather(*(memory.add(f"Bed {n} has beans.", session="monday") for n in range(20)))
            prepared = await memory.before_turn("Which beds?", session="tuesday")
            kept = await memory.remember("Beds are numbered from the gate.", type="convention")
            await memory.forget(kept.id)
            await memory.after_turn("Bed 3?", "Beans.", session="monday", turn_id="last")
            assert prepared.tokens > 0
            told = [each.content for each in await memory.history(session="monday")]
            return told, [each.content for each in await memory.search("Which bed has beans?", limit=50)]

    told, found = asyncio.run(main())

    beds = {f"Bed {n} has beans." for n in range(20)}
    assert sorted(told[:20]) == sorted(beds)
    assert told[20:] == ["Bed 3?", "Beans."]
    assert beds <= set(found)


HANDED_OUT = {"documents", "files", "items", "item_logs"}
"""What is handed out at once, and asks when it is used."""


def test_both_classes_take_the_same_and_say_what_they_are() -> None:
    public = {name for name in vars(Memory) if not name.startswith("_")}

    assert public <= set(vars(AsyncMemory))
    for name in public - {"close", "through"}:
        given = [str(each) for each in inspect.signature(getattr(Memory, name)).parameters.values()]
        assert given == [str(each) for each in inspect.signature(getattr(AsyncMemory, name)).parameters.values()], name
        assert inspect.iscoroutinefunction(getattr(AsyncMemory, name)) == (name not in HANDED_OUT), name
    assert repr(AsyncMemory.through(WaitingDoor(), FakeClock(), user="ada")) == "AsyncMemory('waiting', user='ada')"
