"""Microsoft Agent Framework: a context provider that recalls and stores turns, and a provider of sessions' history."""

from __future__ import annotations

import json
from asyncio import to_thread
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial
from threading import Lock
from typing import Any, Final
from uuid import uuid4

from agent_framework import (
    AgentSession,
    Content,
    ContextProvider,
    HistoryProvider,
    InMemoryHistoryProvider,
    Message,
    SessionContext,
    SupportsAgentRun,
)

from cairn.client.again import Again
from cairn.client.items import ItemLog
from cairn.client.log_data import given, held, log_name
from cairn.client.memory import Memory, Scope
from cairn.client.settling import settled
from cairn.ground.bounded import BoundedCache
from cairn.ground.errors import Conflict, ResourceBusy

_SPEAKERS: Final = frozenset({"user", "assistant"})
_LOGS: Final = "agent-framework"
_MOST_CHARACTERS: Final = 180
_MOST_KNOWN: Final = 1000
_ATTEMPTS: Final = 16
_UNNAMED: Final = "default"
"""The session of calls that name none, as Agent Framework's own files have it."""


class CairnContextProvider(ContextProvider):
    """A Cairn memory as what an agent is told before each run and what learns from it afterwards.

    The memory says whose it is: `Memory(…, user="ada")`; the session is Agent Framework's. What memory recalls is one
    message of the role user, which says that it is data. It goes by the conversation that history providers load;
    where they have none, this session's newest turns are recalled too. What goes wrong with memory is raised.
    """

    def __init__(
        self,
        memory: Memory,
        *,
        source_id: str = "cairn",
        max_input_tok: int | None = None,
        recall_scope: Scope | None = None,
    ) -> None:
        """Take the memory; `max_input_tok` and `recall_scope` mean what they mean for Memory.before_turn."""
        super().__init__(source_id)
        self._memory = memory
        self._limits: dict[str, Any] = {"max_input_tok": max_input_tok, "recall_scope": recall_scope}

    async def before_run(
        self, *, agent: SupportsAgentRun, session: AgentSession, context: SessionContext, state: dict[str, Any]
    ) -> None:
        """Add what matters of the past for what was just said."""
        del state
        asked = _items(context.input_messages)
        if not asked:
            return
        so_far = [*context.get_messages(exclude_sources={self.source_id}), *await self._history(agent, session)]
        prepared = await to_thread(
            self._memory.before_turn,
            asked,
            conversation_items=_items(so_far),
            format="text",
            session=_asked_in(context),
            **self._limits,
        )
        if prepared.text:
            context.extend_messages(self, [Message("user", [prepared.text])])

    async def after_run(
        self, *, agent: SupportsAgentRun, session: AgentSession, context: SessionContext, state: dict[str, Any]
    ) -> None:
        """Store what was said and answered; a run whose end comes again is stored once."""
        del agent, session, state
        said, answered = _items(context.input_messages), _items(context.response.messages if context.response else ())
        if not said and not answered:
            return
        turn = context.metadata.setdefault(f"{self.source_id}.turn", f"turn-{uuid4().hex}")
        await settled(
            lambda: self._memory.after_turn(said, answered, turn_id=turn, session=context.session_id),
        )

    async def _history(self, agent: SupportsAgentRun, session: AgentSession) -> list[Message]:
        """Return what history providers behind this one will load, as the one does that every agent has by default."""
        providers: Sequence[object] = getattr(agent, "context_providers", ())
        behind = providers[providers.index(self) + 1 :] if self in providers else ()
        found = list[Message]()
        for each in behind:
            if isinstance(each, HistoryProvider) and each.load_messages:
                state = session.state.setdefault(each.source_id, {})
                found += await each.get_messages(session.session_id, state=state)
        return found


class CairnHistoryProvider(HistoryProvider):
    """The messages of sessions, each session's an item log of the memory's user or of the one that is named.

    Messages come back as they were saved. A save that failed and is made again right away stores nothing twice.
    """

    def __init__(  # noqa: PLR0913 - what Agent Framework configures a history provider with
        self,
        memory: Memory,
        *,
        user: str | None = None,
        source_id: str = "cairn_history",
        load_messages: bool = True,
        store_inputs: bool = True,
        store_context_messages: bool = False,
        store_context_from: set[str] | None = None,
        store_outputs: bool = True,
        skip_excluded: bool = False,
    ) -> None:
        """Take the memory, and what Agent Framework's own history providers take."""
        super().__init__(
            source_id,
            load_messages=load_messages,
            store_inputs=store_inputs,
            store_context_messages=store_context_messages,
            store_context_from=store_context_from,
            store_outputs=store_outputs,
        )
        self._memory = memory
        self._user = user
        self._skips_excluded = skip_excluded
        self._judge = InMemoryHistoryProvider()
        self._histories = BoundedCache[str, _History](entries=_MOST_KNOWN)

    async def get_messages(
        self, session_id: str | None, *, state: dict[str, Any] | None = None, **kwargs: Any
    ) -> list[Message]:
        """Return all messages of a session in their order; if so configured, without those that compaction excludes."""
        del state, kwargs
        messages = await to_thread(self._history(session_id).messages)
        return [each for each in messages if not (self._skips_excluded and each.additional_properties.get("_excluded"))]

    async def save_messages(
        self,
        session_id: str | None,
        messages: Sequence[Message],
        *,
        state: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        """Append the messages that the session has not: what is new is what Agent Framework's own history takes for it.

        Up to 64, and 1.5 MB, are stored all or none; more in several such steps.
        """
        del state, kwargs
        if not messages:
            return
        history = self._history(session_id)
        for _ in range(_ATTEMPTS):
            # What could overlap with these is no longer than they are.
            revision, newest = await to_thread(history.newest, len(messages))
            new = await self._new(newest, messages)
            with suppress(Conflict):  # somebody else saved meanwhile
                await settled(partial(history.save, new, revision))
                return
        raise ResourceBusy("Too many calls are changing this session; try again", {"resource": "session"})

    async def _new(self, newest: Sequence[Message], messages: Sequence[Message]) -> list[Message]:
        state: dict[str, Any] = {"messages": list(newest)}
        await self._judge.save_messages(None, messages, state=state)
        return state["messages"][len(newest) :]

    def _history(self, session_id: str | None) -> _History:
        name = log_name(_LOGS, session_id or _UNNAMED, most=_MOST_CHARACTERS)
        return self._histories.get_or_put(name, lambda: _History(self._memory.items(name, user=self._user)))


class _History:
    """The messages of one session, saved one call after another."""

    def __init__(self, log: ItemLog) -> None:
        self._log = log
        self._again = Again()
        self._saving = Lock()

    def messages(self) -> list[Message]:
        with self._saving:
            self._again.forget()  # whoever looks knows what became of a save
        return self.newest(None)[1]

    def newest(self, count: int | None) -> tuple[int, list[Message]]:
        """Return the log's revision and its newest messages."""
        read = self._log.read(count)
        return read.revision, [Message.from_dict(given(item.data)) for item in read.items]

    def save(self, messages: Sequence[Message], revision: int) -> None:
        kept = [held(message.to_dict()) for message in messages]
        if kept:
            with self._saving:
                append = partial(self._log.append, kept, expected_revision=revision)
                self._again.write(kept, lambda operation: append(operation_id=operation))


def _asked_in(context: SessionContext) -> str | None:
    """Return the session whose newest turns are recalled: none's where the model's own service keeps it."""
    return context.session_id if context.service_session_id is None else f"{context.session_id}~asked"


def _items(messages: Sequence[Message]) -> list[dict[str, Any]]:
    return [item for message in messages for item in _parts(message)]


def _parts(message: Message) -> Iterator[dict[str, Any]]:
    """Yield what a message says, and what it asks tools and answers for them, as items of Responses."""
    for content in message.contents:
        if content.type == "text" and (content.text or "").strip() and message.role in _SPEAKERS:
            yield {"role": message.role, "content": content.text}
        elif content.type == "function_call" and content.call_id and content.name:
            named = {"call_id": content.call_id, "name": content.name}
            yield {"type": "function_call", **named, "arguments": _arguments(content)}
        elif content.type == "function_result" and content.call_id:
            result = content.result if isinstance(content.result, str) else json.dumps(content.result, default=str)
            yield {"type": "function_call_output", "call_id": content.call_id, "output": result}


def _arguments(call: Content) -> str:
    return call.arguments if isinstance(call.arguments, str) else json.dumps(call.arguments or {}, default=str)
