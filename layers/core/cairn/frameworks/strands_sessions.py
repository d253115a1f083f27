"""Strands Agents: a `SessionRepository` that keeps sessions, agents and their messages as documents."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from strands.session.session_repository import SessionRepository
from strands.types.exceptions import SessionException
from strands.types.session import Session, SessionAgent, SessionMessage

from cairn.client.documents import Document
from cairn.client.memory import Memory
from cairn.frameworks.long_texts import Text, all_of, replace, store, text_at, texts
from cairn.frameworks.named_documents import Name, name_of, own_name, pages, remove
from cairn.ground.errors import Unavailable

if TYPE_CHECKING:
    from strands.multiagent import MultiAgentBase

_DIGITS: Final = 16
_TRIES: Final = 8


class CairnSessionRepository(SessionRepository):
    """Documents of a Cairn memory as a repository of Strands' sessions: a document for each agent and each message.

    The memory says whose they are: `Memory(…, user="ada")`, or the project's where it names nobody. Strands calls a
    repository on its event loop and waits, as it does with its own.
    """

    def __init__(self, memory: Memory, *, collection: str = "strands-sessions") -> None:
        """Take the memory, and under which collection all is kept."""
        self._documents = memory.documents()
        self._root = collection

    def create_session(self, session: Session, **kwargs: Any) -> Session:
        """Store a new session; SessionException where it is there already."""
        del kwargs
        text = Text(name=self._name("sessions", session.session_id), text=json.dumps(session.to_dict()))
        if not replace(self._documents, text, old=None):
            raise SessionException(f"Session {session.session_id} already exists")
        return session

    def read_session(self, session_id: str, **kwargs: Any) -> Session | None:
        """Return a session, None where there is none."""
        del kwargs
        told = self._read(self._name("sessions", session_id))
        return None if told is None else Session.from_dict(told)

    def delete_session(self, session_id: str, **kwargs: Any) -> None:
        """Remove a session with its agents and their messages; SessionException where there is none."""
        del kwargs
        name = self._name("sessions", session_id)
        if self._documents.get(*name) is None:
            raise SessionException(f"Session {session_id} does not exist")
        for kind in ("messages", "agents", "multi-agents"):
            found = list(pages(self._documents, (self._root, kind, name_of(session_id))))
            remove(self._documents, [each for one in found for each in all_of(one)])
        remove(self._documents, [name])

    def create_agent(self, session_id: str, session_agent: SessionAgent, **kwargs: Any) -> None:
        """Store an agent of a session."""
        del kwargs
        self._create(self._name("agents", session_id, session_agent.agent_id), session_agent.to_dict())

    def read_agent(self, session_id: str, agent_id: str, **kwargs: Any) -> SessionAgent | None:
        """Return an agent, None where there is none."""
        del kwargs
        told = self._read(self._name("agents", session_id, agent_id))
        return None if told is None else SessionAgent.from_dict(told)

    def update_agent(self, session_id: str, session_agent: SessionAgent, **kwargs: Any) -> None:
        """Store what an agent is now, with when it was created; SessionException where it is not there."""
        del kwargs

        def updated(before: Mapping[str, Any]) -> dict[str, Any]:
            session_agent.created_at = before["created_at"]
            return session_agent.to_dict()

        self._update(self._name("agents", session_id, session_agent.agent_id), updated)

    def create_message(self, session_id: str, agent_id: str, session_message: SessionMessage, **kwargs: Any) -> None:
        """Store a message of an agent."""
        del kwargs
        self._create(self._message(session_id, agent_id, session_message.message_id), session_message.to_dict())

    def read_message(self, session_id: str, agent_id: str, message_id: int, **kwargs: Any) -> SessionMessage | None:
        """Return a message, None where there is none."""
        del kwargs
        told = self._read(self._message(session_id, agent_id, message_id))
        return None if told is None else SessionMessage.from_dict(told)

    def update_message(self, session_id: str, agent_id: str, session_message: SessionMessage, **kwargs: Any) -> None:
        """Store what a message is now, with when it was created; SessionException where it is not there."""
        del kwargs

        def updated(before: Mapping[str, Any]) -> dict[str, Any]:
            session_message.created_at = before["created_at"]
            return session_message.to_dict()

        self._update(self._message(session_id, agent_id, session_message.message_id), updated)

    def list_messages(
        self, session_id: str, agent_id: str, limit: int | None = None, offset: int = 0, **kwargs: Any
    ) -> list[SessionMessage]:
        """Return the messages of an agent in their order, a hundred a call; SessionException where it is not there."""
        del kwargs
        where = (self._root, "messages", name_of(session_id), name_of(agent_id))
        if limit is None:
            found = list(pages(self._documents, where, offset=offset))
        else:
            found = list(self._documents.search(where, limit=limit, offset=offset))
        if not found and self._documents.get(*self._name("agents", session_id, agent_id)) is None:
            raise SessionException(f"There is no agent {agent_id} in session {session_id}")
        read = zip(found, texts(self._documents, found), strict=True)
        told = [self._told(document, text) for document, text in read]
        return [SessionMessage.from_dict(each) for each in told if each is not None]

    def create_multi_agent(self, session_id: str, multi_agent: MultiAgentBase, **kwargs: Any) -> None:
        """Store the state of agents that work together."""
        del kwargs
        self._create(self._name("multi-agents", session_id, multi_agent.id), multi_agent.serialize_state())

    def read_multi_agent(self, session_id: str, multi_agent_id: str, **kwargs: Any) -> dict[str, Any] | None:
        """Return the state of agents that work together, None where there is none."""
        del kwargs
        return self._read(self._name("multi-agents", session_id, multi_agent_id))

    def update_multi_agent(self, session_id: str, multi_agent: MultiAgentBase, **kwargs: Any) -> None:
        """Store the state of agents that work together; SessionException where it is not there."""
        del kwargs
        self._update(self._name("multi-agents", session_id, multi_agent.id), lambda _: multi_agent.serialize_state())

    def _create(self, name: Name, told: Mapping[str, Any]) -> None:
        store(self._documents, Text(name=name, text=json.dumps(told)), is_new=True)

    def _read(self, name: Name) -> dict[str, Any] | None:
        found = text_at(self._documents, name)
        return None if found is None else json.loads(found[1])

    def _update(self, name: Name, updated: Callable[[Mapping[str, Any]], dict[str, Any]]) -> None:
        for _ in range(_TRIES):
            found = text_at(self._documents, name)
            if found is None:
                raise SessionException(f"There is nothing to update under {name[1]}")
            text = Text(name=name, text=json.dumps(updated(json.loads(found[1]))))
            if replace(self._documents, text, old=found[0]):
                return
        raise Unavailable("It is being replaced again and again; try later")

    def _told(self, document: Document, text: str | None) -> dict[str, Any] | None:
        return self._read(own_name(document)) if text is None else json.loads(text)

    def _name(self, kind: str, *ids: str) -> Name:
        *above, last = map(name_of, ids)
        return (self._root, kind, *above), last

    def _message(self, session_id: str, agent_id: str, message_id: int) -> Name:
        where = (self._root, "messages", name_of(session_id), name_of(agent_id))
        if type(message_id) is not int or message_id < 0:
            raise ValueError(f"A message's id must be a number of 0 or more, not {message_id!r}")
        return where, f"{message_id:0{_DIGITS}}"
