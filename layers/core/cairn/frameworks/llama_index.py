"""LlamaIndex: a memory block for its `Memory`."""

from __future__ import annotations

import json
from asyncio import to_thread
from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import Any, Final

from llama_index.core.base.llms.types import ChatMessage, MessageRole
from llama_index.core.memory import BaseMemoryBlock
from llama_index.core.memory import Memory as LlamaMemory
from llama_index.core.storage.chat_store.base_db import MessageStatus

from cairn.client.memory import Memory
from cairn.client.settling import settled

_SPOKEN: Final = frozenset({MessageRole.USER, MessageRole.ASSISTANT, MessageRole.TOOL})


class CairnMemoryBlock(BaseMemoryBlock[list[ChatMessage]]):
    """A Cairn memory as what LlamaIndex's short-term memory hands its oldest messages to, and what it is told.

    The memory says whose it is: `Memory(…, user="ada")`; the session is LlamaIndex's. What memory recalls is one
    message of the role user before the conversation, whatever the insert method. A turn in the same words is stored
    once in a session. What goes wrong with memory is raised.
    """

    name: str = "cairn"
    memory: Memory

    async def keep(self, memory: LlamaMemory) -> None:
        """Store what a conversation still holds in short-term memory, once it is over."""
        await self.aput(await memory.aget_all(status=MessageStatus.ACTIVE), session_id=memory.session_id)

    async def _aget(self, messages: list[ChatMessage] | None = None, **block_kwargs: Any) -> list[ChatMessage]:
        spoken = _spoken(messages or ())
        place = next((place for place in reversed(range(len(spoken))) if spoken[place].role == MessageRole.USER), None)
        if place is None:
            return []
        prepared = await to_thread(
            self.memory.before_turn,
            spoken[place],
            conversation_items=spoken[:place],
            format="text",
            session=block_kwargs.get("session_id"),
        )
        return [ChatMessage(role=MessageRole.USER, content=prepared.text)] if prepared.text else []

    async def _aput(self, messages: list[ChatMessage]) -> None:
        sessions = [each for message in messages if (each := message.additional_kwargs.get("session_id"))]
        session = str(sessions[0]) if sessions else None
        turns = list(_turns(_spoken(messages)))
        await settled(lambda: self._store(turns, session))

    def _store(self, turns: Sequence[list[ChatMessage]], session: str | None) -> None:
        for turn in turns:
            self.memory.add(turn, turn_id=_name(turn), session=session)


def _spoken(messages: Sequence[ChatMessage]) -> list[ChatMessage]:
    """Return what was said and what tools did, without what nobody said: instructions and blanks."""
    return [each for each in messages if each.role in _SPOKEN and (_says(each) or each.role != MessageRole.USER)]


def _says(message: ChatMessage) -> bool:
    return bool((message.content or "").strip())


def _turns(messages: Sequence[ChatMessage]) -> Iterator[list[ChatMessage]]:
    turn: list[ChatMessage] = []
    for message in messages:
        if turn and message.role == MessageRole.USER:
            yield turn
            turn = []
        turn.append(message)
    if any(map(_says, turn)):
        yield turn


def _name(turn: Sequence[ChatMessage]) -> str:
    """Return the id of a turn in its session."""
    said = [[message.role.value, message.content] for message in turn]
    return f"turn-{sha256(json.dumps(said).encode()).hexdigest()}"
