"""Strands Agents: a `MemoryStore` for its `MemoryManager`, a `Storage` and a `SessionRepository`."""

from __future__ import annotations

import json
from asyncio import to_thread
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from threading import Lock
from typing import Any, Final, TypeAlias
from uuid import uuid4

from strands.memory import (
    AddMessagesContext,
    ExtractionConfig,
    InvocationTrigger,
    MemoryEntry,
    MemoryStore,
    SearchOptions,
)
from strands.types.content import Message

from cairn.client.answers import Hit
from cairn.client.asking import MOST_HITS, question_of
from cairn.client.memory import Memory
from cairn.client.settling import settled
from cairn.frameworks.strands_sessions import CairnSessionRepository
from cairn.frameworks.strands_storage import CairnStorage

__all__ = ["CairnMemoryStore", "CairnSessionRepository", "CairnStorage"]
_FEW: Final = 3
"""How many results Strands asks a store for that names no number."""
_KEPT: Final = frozenset({"text", "toolUse", "toolResult"})

_DIGITS: Final = 16
_Numbered: TypeAlias = tuple[Message, int | None]


class CairnMemoryStore(MemoryStore):
    """A Cairn memory as a store of Strands: what is said is kept and searched as it was said, without a model.

    The memory says whose it is: `Memory(…, user="ada")`. `extraction=True` stores after each invocation, since that
    costs no model call; an ExtractionConfig stores when it says, and False never.
    """

    def __init__(  # noqa: PLR0913 - what Strands configures a store with
        self,
        memory: Memory,
        *,
        name: str = "cairn",
        description: str | None = None,
        max_search_results: int | None = None,
        writable: bool = True,
        extraction: ExtractionConfig | bool = True,
    ) -> None:
        """Take the memory, and what Strands knows of a store; ValueError for a number of results below 1."""
        self.name = name
        self.description = description
        self.max_search_results = None if max_search_results is None else _positive(max_search_results)
        self.writable = writable
        stores_at_once = ExtractionConfig(trigger=InvocationTrigger())
        self.extraction: ExtractionConfig | bool | None = stores_at_once if extraction is True else extraction
        if not writable:
            self.extraction = None
        self._memory = memory
        self._writing = Lock()
        self._run = uuid4().hex
        self._stored = -1
        self._ends: set[int] = set()

    async def search(self, query: str, options: SearchOptions | None = None) -> list[MemoryEntry]:
        """Return what was said, learnt and kept that matches, the best first; what goes wrong is raised.

        ValueError for a number of results below 1. A blank query returns the newest.
        """
        asked = (options or {}).get("max_search_results", self.max_search_results or _FEW)
        limit = min(_positive(asked), MOST_HITS)
        hits = await to_thread(self._memory.search, question_of(query), limit=limit)
        return [_entry(hit) for hit in hits]

    async def add(self, content: str, metadata: dict[str, Any] | None = None) -> None:
        """Keep one thing that is settled; `type` and `confidence` of the metadata are kept with it.

        The same words are kept once. A write that has begun is ended even where its task is cancelled.
        """
        self._refuse_unless_writable()
        kept = {name: value for name, value in (metadata or {}).items() if name in {"type", "confidence"}}
        await settled(lambda: self._memory.remember(content, **kept))

    async def add_messages(self, messages: list[Message], context: AddMessagesContext | None = None) -> None:
        """Store what was said, a turn for each thing that a user said; a batch that comes again is stored once.

        A write that has begun is ended even where its task is cancelled.
        """
        self._refuse_unless_writable()
        numbers = None if context is None else context.sequence_numbers
        await settled(lambda: self._store(messages, numbers))

    def _store(self, messages: Sequence[Message], numbers: Sequence[int] | None) -> None:
        with self._writing:
            if numbers and numbers[0] <= self._stored:
                self._run, self._stored = uuid4().hex, -1  # another agent counts from 0
            for turn in _turns(list(zip(messages, numbers or [None] * len(messages), strict=True)), self._ends):
                said = [kept for message, _ in turn if (kept := _said(message))["content"]]
                if any("text" in block for message in said for block in message["content"]):
                    self._memory.add(said, turn_id=self._sent(turn, said))
            # From here on a batch begins behind these ends.
            self._ends.clear()
            self._stored = numbers[-1] if numbers else self._stored

    def _sent(self, turn: Sequence[_Numbered], said: Sequence[Mapping[str, Any]]) -> str | None:
        """Return the id of a turn, the same if it comes again; None where its messages have no numbers."""
        (_, first), (_, last) = turn[0], turn[-1]
        if last is None:
            return None
        self._ends.add(last)
        words = json.dumps(said, sort_keys=True, default=str).encode()
        return f"{self._run}:{first}-{last}:{sha256(words).hexdigest()[:_DIGITS]}"

    def _refuse_unless_writable(self) -> None:
        if not self.writable:
            raise ValueError(f"The store {self.name} is not writable")


def _turns(messages: Sequence[_Numbered], ends: set[int]) -> Iterator[list[_Numbered]]:
    """Yield the messages by turns: each begins with a user's text, or where one ended that was sent before.

    A batch that failed comes again with what was said since: what was sent must be sent again as it was.
    """
    turn: list[_Numbered] = []
    for message, number in messages:
        if turn and (_begins(message) or turn[-1][1] in ends):
            yield turn
            turn = []
        turn.append((message, number))
    if turn:
        yield turn


def _begins(message: Message) -> bool:
    return message["role"] == "user" and any("text" in block for block in message["content"])


def _said(message: Message) -> dict[str, Any]:
    """Return a message with what is said in it and what tools were asked and answered."""
    kept = [block for block in message["content"] if _KEPT & set(block) and block.get("text", "said").strip()]
    return {"role": message["role"], "content": kept}


def _positive(number: object) -> int:
    if type(number) is not int or number < 1:
        raise ValueError(f"max_search_results must be a number of 1 or more, not {number!r}")
    return number


def _entry(hit: Hit) -> MemoryEntry:
    about = {
        "id": hit.id,
        "score": hit.score,
        "kind": hit.kind,
        "type": hit.type,
        "who": hit.who,
        "when": hit.when.isoformat(),
        "session": hit.session,
    }
    return MemoryEntry(
        content=hit.content, metadata={name: value for name, value in about.items() if value is not None}
    )
