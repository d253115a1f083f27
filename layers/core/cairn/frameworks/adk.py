"""Google's Agent Development Kit: a memory service and a session service for its `Runner`."""

from __future__ import annotations

from asyncio import to_thread
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

from google.adk.memory.base_memory_service import BaseMemoryService, SearchMemoryResponse
from google.adk.memory.memory_entry import MemoryEntry
from google.genai import types

from cairn.client.answers import Hit
from cairn.client.asking import MOST_HITS, question_of
from cairn.client.memory import Memory
from cairn.client.settling import settled
from cairn.frameworks.adk_sessions import CairnSessionService
from cairn.ground.bounded import BoundedCache

if TYPE_CHECKING:
    from google.adk.events.event import Event
    from google.adk.sessions.session import Session

__all__ = ["CairnMemoryService", "CairnSessionService"]
_MOST_RESULTS: Final = 10
"""As many as ADK's own service returns."""
_MOST_SESSIONS: Final = 1000
_DIGITS: Final = 16
_Place = tuple[str, str, str]
"""An app's project, a user and a session."""


class CairnMemoryService(BaseMemoryService):
    """A Cairn memory as ADK's memory service: for each of its users one memory in each app.

    An app is a Cairn project, unless `project` names one for all apps. What is searched is also what was said a moment
    ago. An event is stored once, by its id, from whichever process and however often it comes.
    """

    def __init__(self, memory: Memory, *, project: str | None = None, max_results: int = _MOST_RESULTS) -> None:
        """Take the memory and how many results a search has at most; ValueError where that is below 1."""
        if max_results < 1:
            raise ValueError("max_results must be 1 or more")
        self._memory = memory
        self._project = project
        self._most = min(max_results, MOST_HITS)
        self._known = BoundedCache[_Place, set[str]](entries=_MOST_SESSIONS)

    async def add_session_to_memory(self, session: Session) -> None:
        """Store what the session says and is not stored yet."""
        await self._add(session.app_name, session.user_id, session.id, session.events)

    async def add_events_to_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        events: Sequence[Event],
        session_id: str | None = None,
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        """Store what these events say and is not stored yet; the metadata is for other services."""
        del custom_metadata
        await self._add(app_name, user_id, session_id or "", events)

    async def add_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        memories: Sequence[MemoryEntry],
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        """Keep what is settled; the same words are kept once. The metadata is for other services."""
        del custom_metadata
        texts = [text for memory in memories if (text := _text(memory.content))]
        place = {"project": self._project_of(app_name), "user": user_id}

        def keep() -> None:
            for text in texts:
                self._memory.remember(text, scope="user", **place)

        await settled(keep)

    async def search_memory(self, *, app_name: str, user_id: str, query: str) -> SearchMemoryResponse:
        """Return what the user said, was answered and is known of them that matches, the best first.

        A blank query finds the newest.
        """
        project = self._project_of(app_name)
        hits = await to_thread(self._memory.search, question_of(query), limit=self._most, project=project, user=user_id)
        return SearchMemoryResponse(memories=[_entry(hit) for hit in hits])

    async def delete_memory(self, *, app_name: str, user_id: str, memory_id: str | None = None) -> None:
        """Let go of a fact or a memory by its id, once; NotFound where there is nothing of that id.

        What was said has no id: it stays until its session or user is erased.
        """
        if memory_id:
            project = self._project_of(app_name)
            await settled(lambda: self._memory.forget(memory_id, project=project, user=user_id))

    async def _add(self, app_name: str, user_id: str, session_id: str, events: Sequence[Event]) -> None:
        place = (self._project_of(app_name), user_id, _session(user_id, session_id))
        said = [(event.id, _item(event, text)) for event in events if (text := _text(event.content))]
        await settled(lambda: self._store(place, said))

    def _store(self, place: _Place, said: Sequence[tuple[str, dict[str, Any]]]) -> None:
        project, user, session = place
        # A session that grows costs what is new, as far as this process stored the rest.
        with self._known.lock:
            known = frozenset(self._known.peek(place) or ())
        for name, item in said:
            if name in known:
                continue
            given, answered = ([item], []) if item["role"] == "user" else ([], [item])
            self._memory.after_turn(given, answered, turn_id=name, project=project, user=user, session=session)
            with self._known.lock:
                self._known.get_or_put(place, set).add(name)

    def _project_of(self, app_name: str) -> str:
        return self._project or app_name


def _session(user_id: str, session_id: str) -> str:
    """Return a session's name in its project: in ADK two users may have sessions of one name, or of none."""
    whose = sha256(user_id.encode()).hexdigest()[:_DIGITS]
    return f"{session_id}~{whose}" if session_id else whose


def _text(content: types.Content | None) -> str:
    """Return what is said, without what a model thought."""
    parts = content.parts or () if content else ()
    return "\n".join(part.text for part in parts if part.text and not part.thought).strip()


def _item(event: Event, text: str) -> dict[str, Any]:
    return {"role": "user" if event.author == "user" else "assistant", "content": text}


def _entry(hit: Hit) -> MemoryEntry:
    """Return a hit as ADK has it; only what can be deleted has an id."""
    about = {"kind": hit.kind, "type": hit.type, "score": hit.score, "event_id": hit.turn_id}
    return MemoryEntry(
        id=None if hit.kind == "turn" else hit.id,
        author=hit.who,
        content=types.Content(role="user" if hit.who == "user" else "model", parts=[types.Part(text=hit.content)]),
        timestamp=hit.when.isoformat(),
        custom_metadata={name: value for name, value in about.items() if value is not None},
    )
