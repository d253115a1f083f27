"""The same memory for programs that must not block their event loop."""

from __future__ import annotations

from asyncio import to_thread
from collections.abc import AsyncIterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, Unpack

from cairn.client.answers import Branch, Forgotten, Hits, Merged, Prepared, Remembered, Said, Stored
from cairn.client.async_documents import AsyncDocuments
from cairn.client.async_files import AsyncFiles
from cairn.client.async_items import AsyncItemLog, summaries
from cairn.client.items import LogSummary
from cairn.client.memory import Filters, Memory, Scope
from cairn.client.messages import Message, Messages
from cairn.client.names import Names

if TYPE_CHECKING:
    from cairn.client.door import Door
    from cairn.ground.ports import Clock
    from cairn.ground.settings import MemoryScope
    from cairn.messages.formats import Format


class AsyncMemory:
    """A Memory whose methods are awaited: each call runs on a thread of asyncio's, so that the loop goes on.

    A call whose task is cancelled may be done all the same; with a turn_id of your own it can be made again.

    >>> import asyncio
    >>> from cairn import AsyncMemory
    >>> async def main():
    ...     async with AsyncMemory("~/.local/share/cairn", user="ben") as memory:
    ...         await memory.add("I live in Lima.")
    ...         return [hit.content for hit in await memory.search("Where do I live?", filters={"type": "fact"})]
    >>> asyncio.run(main())
    ['home: Lima']

    To open it reads the disk, for some milliseconds: in a server, do that before the loop starts, or with `open`.
    """

    def __init__(self, store: str | Path | None = None, *, key: str | None = None, **names: Unpack[Names]) -> None:
        """Open a memory, as Memory does."""
        self._memory = Memory(store, key=key, **names)

    @classmethod
    async def open(cls, store: str | Path | None = None, *, key: str | None = None, **names: Unpack[Names]) -> Self:
        """Open a memory on a thread."""
        return await to_thread(cls, store, key=key, **names)

    @classmethod
    def through(cls, door: Door, clock: Clock, **names: Unpack[Names]) -> Self:
        """Return a memory behind a door of your own, as Memory.through does."""
        made = cls.__new__(cls)
        made._memory = Memory.through(door, clock, **names)  # noqa: SLF001 - of this very class
        return made

    async def add(self, messages: Messages, *, turn_id: str | None = None, **names: Unpack[Names]) -> Stored:
        """Keep what was said, and learn the facts in it, as Memory.add does."""
        return await to_thread(self._memory.add, messages, turn_id=turn_id, **names)

    async def search(
        self,
        query: str | None = None,
        *,
        limit: int = 10,
        cursor: int = 0,
        filters: Filters | None = None,
        **names: Unpack[Names],
    ) -> Hits:
        """Find what was said, remembered and learnt, as Memory.search does."""
        return await to_thread(self._memory.search, query, limit=limit, cursor=cursor, filters=filters, **names)

    async def before_turn(  # noqa: PLR0913 - an argument for each of the tool's
        self,
        current_input: Messages,
        *,
        base_instructions: str | None = None,
        conversation_items: Sequence[Message] | None = None,
        max_input_tok: int | None = None,
        recall_scope: Scope | None = None,
        format: Format | None = None,  # noqa: A002 - the tool's own name for it
        **names: Unpack[Names],
    ) -> Prepared:
        """Return the model's input with what matters of the past in it, as Memory.before_turn does."""
        asked: dict[str, Any] = {
            "base_instructions": base_instructions,
            "conversation_items": conversation_items,
            "max_input_tok": max_input_tok,
            "recall_scope": recall_scope,
            "format": format,
        }
        return await to_thread(self._memory.before_turn, current_input, **asked, **names)

    async def after_turn(
        self,
        input_items: Messages,
        output_items: Messages,
        *,
        turn_id: str | None = None,
        conversation_items: Sequence[Message] | None = None,
        learned: Sequence[Mapping[str, str]] | None = None,
        **names: Unpack[Names],
    ) -> Stored:
        """Keep a turn, once, as Memory.after_turn does."""
        told: dict[str, Any] = {"turn_id": turn_id, "conversation_items": conversation_items, "learned": learned}
        return await to_thread(self._memory.after_turn, input_items, output_items, **told, **names)

    async def remember(
        self,
        content: str,
        *,
        type: str = "fact",  # noqa: A002 - the tool's own name for it
        confidence: float | str = 0.8,
        rationale: str | None = None,
        scope: MemoryScope | None = None,
        **names: Unpack[Names],
    ) -> Remembered:
        """Keep one thing that is settled, as Memory.remember does."""
        told: dict[str, Any] = {"type": type, "confidence": confidence, "rationale": rationale, "scope": scope}
        return await to_thread(self._memory.remember, content, **told, **names)

    async def forget(
        self,
        memory_id: str,
        *,
        reason: str | None = None,
        replacement_id: str | None = None,
        undo: bool = False,
        **names: Unpack[Names],
    ) -> Forgotten:
        """Let go of a memory or a fact, as Memory.forget does."""
        told: dict[str, Any] = {"reason": reason, "replacement_id": replacement_id, "undo": undo}
        return await to_thread(self._memory.forget, memory_id, **told, **names)

    async def history(self, *, limit: int | None = None, **names: Unpack[Names]) -> tuple[Said, ...]:
        """Return what was said in a session, as Memory.history does."""
        return await to_thread(self._memory.history, limit=limit, **names)

    async def branch(self, name: str, *, at: datetime | str | None = None, **names: Unpack[Names]) -> Branch:
        """Make a branch, as Memory.branch does."""
        return await to_thread(self._memory.branch, name, at=at, **names)

    async def merge(self, name: str, **names: Unpack[Names]) -> Merged:
        """Bring what was done on a branch to its project, as Memory.merge does."""
        return await to_thread(self._memory.merge, name, **names)

    async def drop(self, name: str, **names: Unpack[Names]) -> None:
        """Erase what was done on a branch, as Memory.drop does."""
        await to_thread(self._memory.drop, name, **names)

    def documents(self, **names: Unpack[Names]) -> AsyncDocuments:
        """Return the documents of a user or of the project, as Memory.documents does."""
        return AsyncDocuments(self._memory.documents(**names))

    def items(self, log: str, **names: Unpack[Names]) -> AsyncItemLog:
        """Return an item log by its name, as Memory.items does."""
        return AsyncItemLog(self._memory.items(log, **names))

    def item_logs(
        self, prefix: str = "", *, with_state: bool = False, **names: Unpack[Names]
    ) -> AsyncIterator[LogSummary]:
        """Yield the item logs of a user or of the project, as Memory.item_logs does."""
        return summaries(self._memory.item_logs(prefix, with_state=with_state, **names))

    def files(self, *, whose: Scope | None = None, **names: Unpack[Names]) -> AsyncFiles:
        """Return files under `/memories`, as Memory.files does; nothing is read yet."""
        return AsyncFiles(self._memory.files(whose=whose, **names))

    async def close(self) -> None:
        """Let go of the directory or the connections."""
        await to_thread(self._memory.close)

    async def __aenter__(self) -> Self:
        """Return the memory, which is closed with the block."""
        return self

    async def __aexit__(self, *_: object) -> None:
        """Close the memory."""
        await self.close()

    def __repr__(self) -> str:
        """Show where the memory is and whose; never the key."""
        return repr(self._memory).replace("Memory", type(self).__name__, 1)
