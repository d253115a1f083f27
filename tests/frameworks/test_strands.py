"""Strands Agents over Cairn: its own agent, manager and coordinator, with a model that says what it is told."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, AsyncIterable
from typing import Any

import pytest
from strands import Agent
from strands.memory import AddMessagesContext, ExtractionConfig, IntervalTrigger, MemoryManager
from strands.models import Model
from strands.types.content import Message, Messages

from cairn.frameworks.strands import CairnMemoryStore
from cairn.ground.errors import Unavailable
from support.frameworks import Place, found_at_home, program

TALK: list[Message] = [
    {"role": "user", "content": [{"text": "I grow beans in Oslo."}]},
    {"role": "assistant", "content": [{"text": "Noted."}]},
    {"role": "user", "content": [{"text": "And peas."}]},
    {"role": "assistant", "content": [{"text": "Peas too."}]},
]
WORDS = ["I grow beans in Oslo.", "Noted.", "And peas.", "Peas too."]


class Scripted(Model):
    """A model that gives one answer and keeps what it was sent."""

    def __init__(self, answer: str) -> None:
        self.answer = answer
        self.sent: list[Messages] = []

    def update_config(self, **model_config: Any) -> None:
        """Know no configuration."""

    def get_config(self) -> dict[str, Any]:
        return {}

    async def stream(self, messages: Messages, *given: Any, **named: Any) -> AsyncIterable[Any]:  # pyright: ignore[reportIncompatibleMethodOverride] - what else is sent to a model is not looked at
        del given, named
        self.sent.append(messages)
        yield {"messageStart": {"role": "assistant"}}
        yield {"contentBlockDelta": {"delta": {"text": self.answer}}}
        yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": "end_turn"}}

    async def structured_output(self, *given: Any, **named: Any) -> AsyncGenerator[dict[str, Any]]:  # pyright: ignore[reportIncompatibleMethodOverride] - as above
        raise NotImplementedError(given, named)
        yield {}

    def was_told(self) -> str:
        """Return every text of what it was sent last."""
        return "\n".join(block.get("text", "") for message in self.sent[-1] for block in message["content"])


def said(place: Place, session: str = "s") -> list[str]:
    """Return what is stored of a session, in its order."""
    return [each.content for each in place.memory(user="ada").history(session=session)]


def numbered(*numbers: int) -> AddMessagesContext:
    return AddMessagesContext(sequence_numbers=list(numbers))


def test_a_second_agent_s_model_is_told_what_the_first_was(place: Place) -> None:
    first, second = Scripted("Noted."), Scripted("In Oslo.")
    Agent(
        model=first, memory_manager=MemoryManager([CairnMemoryStore(place.memory(user="ada"))]), callback_handler=None
    )("I live in Oslo and grow beans.")
    asking = Agent(
        model=second, memory_manager=MemoryManager([CairnMemoryStore(place.memory(user="ada"))]), callback_handler=None
    )

    asking("Where do I grow my beans?")

    assert "I live in Oslo and grow beans." not in first.was_told().replace("I live in Oslo and grow beans.", "", 1)
    assert "<memory>" in second.was_told()
    assert "I live in Oslo and grow beans." in second.was_told()


def test_nothing_of_another_user_is_told(place: Place) -> None:
    model = Scripted("I do not know.")
    asyncio.run(CairnMemoryStore(place.memory(user="ben")).add_messages(TALK))
    agent = Agent(
        model=model, memory_manager=MemoryManager([CairnMemoryStore(place.memory(user="ada"))]), callback_handler=None
    )

    agent("Where do I grow my beans?")

    assert "Oslo" not in model.was_told()


def test_one_call_finds_and_one_call_stores_a_turn(place: Place) -> None:
    memory, door = place.counted(user="ada")
    agent = Agent(
        model=Scripted("Noted."), memory_manager=MemoryManager([CairnMemoryStore(memory)]), callback_handler=None
    )

    agent("I live in Oslo.")
    agent("I grow beans.")

    assert door.calls == ["recall", "memory_after_turn"] * 2


def test_each_thing_a_user_says_begins_a_turn(place: Place) -> None:
    memory, door = place.counted(user="ada", session="s")

    asyncio.run(CairnMemoryStore(memory).add_messages(TALK, numbered(0, 1, 2, 3)))

    assert said(place) == WORDS
    assert [len(asked["input_items"]) for _, asked in door.asked] == [1, 1]


def test_a_batch_that_comes_again_is_stored_once(place: Place) -> None:
    memory, door = place.counted(user="ada", session="s")
    store = CairnMemoryStore(memory)
    door.lose_next = 7  # a client calls six times before it gives up

    with pytest.raises(Unavailable):
        asyncio.run(store.add_messages(TALK, numbered(0, 1, 2, 3)))
    asyncio.run(store.add_messages(TALK, numbered(0, 1, 2, 3)))

    assert said(place) == WORDS


def test_a_batch_that_comes_again_with_more_is_stored_once(place: Place) -> None:
    memory, door = place.counted(user="ada", session="s")
    store = CairnMemoryStore(memory)
    door.lose_next = 6

    with pytest.raises(Unavailable):
        asyncio.run(store.add_messages(TALK[:1], numbered(0)))
    asyncio.run(store.add_messages(TALK, numbered(0, 1, 2, 3)))

    assert said(place) == WORDS


def test_the_coordinator_s_own_retry_stores_once(place: Place) -> None:
    memory, door = place.counted(user="ada", session="s")
    agent = Agent(
        model=Scripted("Noted."), memory_manager=MemoryManager([CairnMemoryStore(memory)]), callback_handler=None
    )
    door.calls.clear()

    door.lose_next = 7  # of the search one answer, of the write six
    agent("I live in Oslo.")
    agent("I grow beans.")

    assert door.lose_next == 0
    assert said(place) == ["I live in Oslo.", "Noted.", "I grow beans.", "Noted."]


def test_agents_that_share_a_store_count_from_0_each(place: Place) -> None:
    store = CairnMemoryStore(place.memory(user="ada", session="s"))

    asyncio.run(store.add_messages(TALK[:2], numbered(0, 1)))
    asyncio.run(store.add_messages(TALK[2:], numbered(0, 1)))
    asyncio.run(store.add_messages(TALK[:2], numbered(0, 1)))

    assert said(place) == [*WORDS, *WORDS[:2]]


def test_a_batch_of_the_next_agent_that_comes_again_is_stored_once_too(place: Place) -> None:
    memory, door = place.counted(user="ada", session="s")
    store = CairnMemoryStore(memory)
    asyncio.run(store.add_messages(TALK[:2], numbered(0, 1)))
    door.lose_next = 6

    with pytest.raises(Unavailable):
        asyncio.run(store.add_messages(TALK[2:], numbered(0, 1)))
    asyncio.run(store.add_messages(TALK[2:], numbered(0, 1)))

    assert said(place) == WORDS


def test_messages_without_text_are_not_stored(place: Place) -> None:
    memory, door = place.counted(user="ada")
    silent: Message = {
        "role": "user",
        "content": [{"toolResult": {"toolUseId": "1", "status": "success", "content": []}}],
    }

    asyncio.run(CairnMemoryStore(memory).add_messages([silent, {"role": "assistant", "content": [{"text": "  "}]}]))

    assert door.calls == []


def test_what_tools_answered_is_stored_with_the_turn_where_the_filter_lets_it(place: Place) -> None:
    used: Message = {
        "role": "assistant",
        "content": [{"toolUse": {"toolUseId": "1", "name": "soil", "input": {"bed": 2}}}],
    }
    told: Message = {
        "role": "user",
        "content": [{"toolResult": {"toolUseId": "1", "status": "success", "content": [{"text": "dry"}]}}],
    }
    memory, door = place.counted(user="ada", session="s")

    asyncio.run(CairnMemoryStore(memory).add_messages([TALK[0], used, told, TALK[1]], numbered(0, 1, 2, 3)))

    assert door.calls == ["memory_after_turn"]
    assert [each.item["type"] for each in place.memory(user="ada").history(session="s")] == [
        "message",
        "function_call",
        "function_call_output",
        "message",
    ]


def test_a_search_gives_as_many_as_it_was_asked_for(place: Place) -> None:
    store = CairnMemoryStore(place.memory(user="ada"), max_search_results=2)
    asyncio.run(store.add_messages(TALK, numbered(0, 1, 2, 3)))

    assert len(asyncio.run(store.search("beans and peas"))) == 2
    assert len(asyncio.run(store.search("beans and peas", {"max_search_results": 1}))) == 1
    assert asyncio.run(store.search("beans and peas", {"max_search_results": 1000}))


@pytest.mark.parametrize("number", [0, -1, True, 1.5, "2"])
def test_a_number_of_results_below_one_is_refused(place: Place, number: Any) -> None:
    memory = place.memory(user="ada")

    with pytest.raises(ValueError, match="max_search_results"):
        asyncio.run(CairnMemoryStore(memory).search("beans", {"max_search_results": number}))
    with pytest.raises(ValueError, match="max_search_results"):
        CairnMemoryStore(memory, max_search_results=number)


def test_a_search_that_fails_says_so(place: Place) -> None:
    memory, door = place.counted(user="ada")
    door.fail_next = 6

    with pytest.raises(Unavailable):
        asyncio.run(CairnMemoryStore(memory).search("beans"))


def test_an_agent_goes_on_while_memory_cannot_be_reached_and_what_was_said_is_stored_later(place: Place) -> None:
    memory, door = place.counted(user="ada", session="s")
    agent = Agent(
        model=Scripted("Noted."), memory_manager=MemoryManager([CairnMemoryStore(memory)]), callback_handler=None
    )
    door.fail_next = 12  # six calls of the search, six of the write

    agent("I live in Oslo.")
    agent("I grow beans.")

    assert said(place) == ["I live in Oslo.", "Noted.", "I grow beans.", "Noted."]


def test_a_query_as_long_as_a_page_finds_what_its_end_asks_for(place: Place) -> None:
    store = CairnMemoryStore(place.memory(user="ada"))
    asyncio.run(store.add_messages(TALK))

    found = asyncio.run(store.search("weather " * 2000 + "Where do I grow beans?"))

    assert "I grow beans in Oslo." in [entry.content for entry in found]


def test_what_an_agent_adds_itself_is_kept_once(place: Place) -> None:
    store = CairnMemoryStore(place.memory(user="ada"))

    for _ in range(2):
        asyncio.run(store.add("The north bed gets four hours of sun.", {"type": "decision", "by": "me"}))

    found = asyncio.run(store.search("sun", {"max_search_results": 10}))
    assert [(entry.content, (entry.metadata or {})["type"]) for entry in found] == [
        ("The north bed gets four hours of sun.", "decision")
    ]


def test_a_cancelled_write_is_ended_before_its_task_is(place: Place) -> None:
    memory, door = place.counted(user="ada", session="s")
    began, goes_on = threading.Event(), threading.Event()
    behind = door.behind.call

    def call(tool: str, arguments: Any) -> dict[str, Any]:
        began.set()
        assert goes_on.wait(10)
        return behind(tool, arguments)

    door.behind.call = call  # pyright: ignore[reportAttributeAccessIssue] - the test holds the call up

    async def cancelled() -> None:
        task = asyncio.create_task(CairnMemoryStore(memory).add_messages(TALK[:2], numbered(0, 1)))
        await asyncio.to_thread(began.wait)
        task.cancel()
        await asyncio.sleep(0)
        task.cancel()
        assert not task.done()
        goes_on.set()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancelled())

    assert said(place) == WORDS[:2]


def test_a_store_that_only_reads_writes_nothing(place: Place) -> None:
    memory, door = place.counted(user="ada")
    store = CairnMemoryStore(memory, writable=False)
    agent = Agent(model=Scripted("Noted."), memory_manager=MemoryManager([store]), callback_handler=None)

    agent("I live in Oslo.")

    assert door.calls == ["recall"]
    with pytest.raises(ValueError, match="not writable"):
        asyncio.run(store.add("I live in Oslo."))
    with pytest.raises(ValueError, match="not writable"):
        asyncio.run(store.add_messages(TALK))


def test_strands_own_cadence_may_be_asked_for(place: Place) -> None:
    memory, door = place.counted(user="ada", session="s")
    rarely = ExtractionConfig(trigger=IntervalTrigger(turns=2))
    manager = MemoryManager([CairnMemoryStore(memory, extraction=rarely)], injection=False)
    agent = Agent(model=Scripted("Noted."), memory_manager=manager, callback_handler=None)

    async def twice() -> list[str]:
        await agent.invoke_async("I live in Oslo.")
        before = list(door.calls)
        await agent.invoke_async("I grow beans.")
        await manager.flush()
        return before

    assert asyncio.run(twice()) == []
    assert door.calls == ["memory_after_turn"] * 2


def test_the_page_s_program_stores_what_it_is_told_and_tells_it_the_next() -> None:
    model = Scripted("Noted.")

    for _ in range(2):
        program("use-with-strands.md", model=model)["memory"].close()

    assert "I live in Oslo and grow beans." in found_at_home("beans")
    assert "<memory>" in model.was_told()
