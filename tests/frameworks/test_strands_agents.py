"""Strands' own agent and session managers over Cairn: a second run goes on where the first one ended."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterable
from typing import Any

from strands import Agent
from strands.models import Model
from strands.session.repository_session_manager import RepositorySessionManager
from strands.session.session_manager import SessionManager
from strands.session.snapshot_session_manager import SnapshotSessionManager
from strands.types.content import Messages

from cairn.frameworks.strands import CairnSessionRepository, CairnStorage
from support.frameworks import Place, program


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


def said(manager: SessionManager, words: str) -> list[str]:
    """Say something to a new agent of a session, and return what its model was sent."""
    model = Scripted(f"You said: {words}")
    Agent(model=model, session_manager=manager, callback_handler=None, agent_id="gardener")(words)
    return model.was_told().splitlines()


TOLD = ["I grow beans.", "You said: I grow beans.", "What do I grow?"]


def test_a_second_run_goes_on_from_the_session_of_the_first(place: Place) -> None:
    def manager() -> SessionManager:
        return RepositorySessionManager("monday", CairnSessionRepository(place.memory(user="ada")))

    said(manager(), "I grow beans.")

    assert said(manager(), "What do I grow?")[:3] == TOLD
    assert len(CairnSessionRepository(place.memory(user="ada")).list_messages("monday", "gardener")) == 4


def test_a_second_run_goes_on_from_the_snapshot_of_the_first(place: Place) -> None:
    def manager() -> SessionManager:
        return SnapshotSessionManager("monday", storage=CairnStorage(place.memory(user="ada")))

    said(manager(), "I grow beans.")

    assert said(manager(), "What do I grow?")[:3] == TOLD


def test_the_page_s_program_goes_on() -> None:
    models = [Scripted("Noted."), Scripted("Noted.")]
    for model in models:
        program("use-with-strands.md", 1, model=model)

    assert models[1].was_told().count("I grow beans.") == 2


def test_a_session_that_strands_deletes_is_gone(place: Place) -> None:
    storage = CairnStorage(place.memory(user="ada"))
    manager = SnapshotSessionManager("monday", storage=storage)
    said(manager, "I grow beans.")

    async def main() -> None:
        assert await storage.list("session/monday/")
        await manager.delete_session()
        assert await storage.list() == []

    asyncio.run(main())
