"""LlamaIndex over Cairn: its own agent and short-term memory, with a scripted model."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

import pytest
from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.base.llms.types import ChatMessage, MessageRole, ToolCallBlock
from llama_index.core.llms.mock import MockFunctionCallingLLMWithChatMemoryOfLastCall
from llama_index.core.memory import InsertMethod, Memory
from llama_index.core.storage.chat_store import sql
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine
from sqlalchemy.pool import StaticPool

from cairn.frameworks.llama_index import CairnMemoryBlock
from cairn.ground.errors import Unavailable
from support.frameworks import Place, found_at_home, memory_in_memory, program

# LlamaIndex's workflows look at every attribute of a model.
pytestmark = pytest.mark.filterwarnings("ignore::pydantic.warnings.PydanticDeprecationWarning")
TIGHT = 120
"""So few tokens of short-term memory that it is handed on."""


class Scripted(MockFunctionCallingLLMWithChatMemoryOfLastCall):
    """LlamaIndex's own mock, which says back what it is told and keeps it."""

    def was_told(self) -> str:
        return "\n".join(message.content or "" for message in self.last_chat_messages or ())


def messages(*texts: str) -> list[ChatMessage]:
    """Return a talk in which the user speaks first."""
    roles = (MessageRole.USER, MessageRole.ASSISTANT)
    return [ChatMessage(role=roles[place % 2], content=text) for place, text in enumerate(texts)]


@asynccontextmanager
async def short_term(block: CairnMemoryBlock, session: str = "monday", **more: Any) -> AsyncGenerator[Memory]:
    """Yield LlamaIndex's own memory, whose database is closed with the block."""
    engine = create_async_engine("sqlite+aiosqlite:///:memory:", poolclass=StaticPool)
    try:
        yield Memory.from_defaults(  # pyright: ignore[reportUnknownMemberType] - a bare List among its parameters
            session_id=session, memory_blocks=[block], async_engine=engine, **more
        )
    finally:
        await engine.dispose()


def talk(model: Scripted, block: CairnMemoryBlock, *words: str, keep: bool = False, **more: Any) -> list[ChatMessage]:
    """Play the framework's own agent loop, and return all messages of its memory at the end."""

    async def play() -> list[ChatMessage]:
        async with short_term(block, **more) as memory:
            agent = FunctionAgent(llm=model, tools=[])
            for each in words:
                await agent.run(user_msg=each, memory=memory)  # pyright: ignore[reportDeprecated] - its overloads take the standard signature, too, for the deprecated one
            if keep:
                await block.keep(memory)
            return await memory.aget_all()

    return asyncio.run(play())


def said(place: Place, session: str = "monday") -> list[str]:
    return [each.content for each in place.memory(user="ada").history(session=session)]


def put(block: CairnMemoryBlock, given: Sequence[ChatMessage], session: str = "monday") -> None:
    asyncio.run(block.aput(list(given), session_id=session))


@pytest.mark.parametrize("method", list(InsertMethod))
def test_a_second_agent_s_model_is_told_what_the_first_was(place: Place, method: InsertMethod) -> None:
    first, second, other = Scripted(), Scripted(), Scripted()
    talk(first, CairnMemoryBlock(memory=place.memory(user="ada")), "I live in Oslo and grow beans.", keep=True)

    for model, user in ((second, "ada"), (other, "ben")):
        block = CairnMemoryBlock(memory=place.memory(user=user))
        talk(model, block, "Where do I grow my beans?", session="tuesday", insert_method=method)

    assert len(first.last_chat_messages or ()) == 1
    assert "I live in Oslo and grow beans." in second.was_told()
    assert {message.role for message in second.last_chat_messages or ()} == {MessageRole.USER}
    assert "Oslo" not in other.was_told()


def test_what_short_term_memory_hands_on_is_stored_and_recalled_in_the_same_session(place: Place) -> None:
    memory, door = place.counted(user="ada")
    model = Scripted()
    rain = " ".join(["It rained in the garden."] * 8)
    words = ("I live in Oslo and grow beans.", rain, f"{rain} Again.", "Where do I grow my beans?")

    talk(model, CairnMemoryBlock(memory=memory), *words, token_limit=TIGHT, token_flush_size=TIGHT // 10)

    assert "memory_after_turn" in door.calls
    assert said(place)[0] == "I live in Oslo and grow beans."
    assert "I live in Oslo and grow beans." in model.was_told()
    assert rain not in [message.content for message in model.last_chat_messages or ()]


def test_one_call_recalls_and_one_call_stores_a_turn(place: Place) -> None:
    memory, door = place.counted(user="ada")
    block = CairnMemoryBlock(memory=memory)

    asyncio.run(block.aget(messages("I grow beans."), session_id="monday"))
    put(block, messages("I grow beans.", "Noted.", "And peas.", "Peas too."))

    assert door.calls == ["memory_before_turn", "memory_after_turn", "memory_after_turn"]
    assert said(place) == ["I grow beans.", "Noted.", "And peas.", "Peas too."]


def test_a_conversation_that_is_kept_again_is_stored_once(place: Place) -> None:
    async def keep_twice() -> None:
        block, again = (CairnMemoryBlock(memory=place.memory(user="ada")) for _ in range(2))
        async with short_term(block) as memory:
            await memory.aput_messages(messages("I grow beans.", "Noted.", "And peas.", "Peas too."))
            await block.keep(memory)
            await again.keep(memory)

    asyncio.run(keep_twice())

    assert said(place) == ["I grow beans.", "Noted.", "And peas.", "Peas too."]


def test_a_write_whose_answer_was_lost_is_stored_once(place: Place) -> None:
    memory, door = place.counted(user="ada")
    block = CairnMemoryBlock(memory=memory)
    door.lose_next = 6

    with pytest.raises(Unavailable):
        put(block, messages("I grow beans.", "Noted."))
    put(block, messages("I grow beans.", "Noted."))

    assert said(place) == ["I grow beans.", "Noted."]


def test_the_same_words_in_another_session_are_stored_there(place: Place) -> None:
    block = CairnMemoryBlock(memory=place.memory(user="ada"))

    put(block, messages("I grow beans.", "Noted."))
    put(block, messages("I grow beans.", "Noted."), "tuesday")

    assert said(place, "tuesday") == ["I grow beans.", "Noted."]


def test_what_tools_did_is_stored_with_the_turn(place: Place) -> None:
    asked, answered = messages("How is bed 2?", "It is dry.")
    call = ToolCallBlock(tool_call_id="call-1", tool_name="soil", tool_kwargs={"bed": 2})
    used = ChatMessage(role=MessageRole.ASSISTANT, blocks=[call])
    result = ChatMessage(role=MessageRole.TOOL, content="dry", additional_kwargs={"tool_call_id": "call-1"})

    put(CairnMemoryBlock(memory=place.memory(user="ada")), [asked, used, result, answered])

    items = [each.item for each in place.memory(user="ada").history(session="monday")]
    assert [item.get("type", "message") for item in items] == [
        "message",
        "function_call",
        "function_call_output",
        "message",
    ]


def test_what_the_conversation_holds_is_not_recalled_from_memory(place: Place) -> None:
    block = CairnMemoryBlock(memory=place.memory(user="ada"))
    put(block, messages("I grow beans.", "Noted."))

    told = asyncio.run(block.aget(messages("I grow beans.", "Noted.", "Where do my beans go?"), session_id="monday"))

    assert "I grow beans." not in "".join(message.content or "" for message in told)


def test_instructions_and_blanks_are_neither_asked_nor_stored() -> None:
    memory, door = memory_in_memory(user="ada", project="garden")
    block = CairnMemoryBlock(memory=memory)
    silent = [ChatMessage(role=MessageRole.SYSTEM, content="Be kind."), *messages("  ", "")]

    assert asyncio.run(block.aget(silent)) == []
    assert asyncio.run(block.aget(None)) == []
    put(block, silent)

    assert door.calls == []


def test_memory_that_is_not_there_is_told_of() -> None:
    memory, door = memory_in_memory(user="ada", project="garden")
    door.fail_next = 6

    with pytest.raises(Unavailable):
        asyncio.run(CairnMemoryBlock(memory=memory).aget(messages("beans?"), session_id="monday"))


def test_messages_that_are_put_without_a_session_are_found_by_the_user(place: Place) -> None:
    block = CairnMemoryBlock(memory=place.memory(user="ada"))

    asyncio.run(block.aput(messages("I grow beans.", "Noted.")))

    told = asyncio.run(block.aget(messages("What about my beans?"), session_id="tuesday"))
    assert "I grow beans." in "".join(message.content or "" for message in told)


def test_the_page_s_program_stores_what_it_is_told_and_tells_it_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    model, engines = Scripted(), list[AsyncEngine]()

    def engine(*given: Any, **named: Any) -> AsyncEngine:
        engines.append(create_async_engine(*given, **named))
        return engines[-1]

    async def run_and_close(main: Callable[[], Awaitable[None]]) -> None:
        await main()
        for each in engines:
            await each.dispose()

    monkeypatch.setattr(sql, "create_async_engine", engine)
    for _ in range(2):
        made = program("use-with-llamaindex.md", llm=model)
        asyncio.run(run_and_close(made["main"]))
        made["block"].memory.close()

    assert "I live in Oslo and grow beans." in found_at_home("beans")
    assert "End of memory" in model.was_told()
