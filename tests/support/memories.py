"""Memories of a session for tests: kept, found and forgotten in processes of their own, and what is on record."""

from __future__ import annotations

from typing import Any

from cairn.ground.paging import every
from cairn.ground.ports import Embedder
from cairn.ground.table import Key, Query
from cairn.log.layout import MANIFEST, log_pk
from cairn.memories.forget import forget
from cairn.memories.model import ForgetRequest, Note, RecalledItem, RecallRequest, RecallResult
from cairn.memories.recall import recall
from cairn.memories.remember import remember
from support.services import changed


class Notebook:
    """What one session remembers, in a process of its own."""

    def __init__(self, talk: Any, user: Any = None) -> None:
        self.talk = talk
        self.user = user

    def keep(self, content: str, scope: Any = "session", **fields: Any) -> str:
        note = Note(content=content, user_id=self.user, scope=scope, **fields)
        return remember(self.talk.services, self.talk.session, note).id

    def recall(self, query: str = "", **fields: Any) -> RecallResult:
        question = RecallRequest(query=query, user_id=self.user, **fields)
        return recall(self.talk.services, self.talk.session, question)

    def find(self, query: str = "", **fields: Any) -> list[RecalledItem]:
        return list(self.recall(query, **fields).found)

    def texts(self, query: str = "", **fields: Any) -> list[str]:
        return [found.content for found in self.find(query, **fields)]

    def drop(self, name: str, reason: str | None = None, replacement: str | None = None) -> None:
        request = ForgetRequest(id=name, reason=reason, replacement_id=replacement, user_id=self.user)
        forget(self.talk.services, self.talk.session, request)

    def other(self, session_id: str | None = None, user: Any = ...) -> Notebook:
        """Return a process that has read nothing yet, for this session or another."""
        return Notebook(self.talk.other(session_id), self.user if user is ... else user)

    def with_embedder(self, embedder: Embedder | None) -> Notebook:
        """Return a process that has read nothing yet, with this embedder."""
        talk = self.talk
        other = type(talk)(talk.adapters, talk.table, talk.settings, talk.session)
        other.services = changed(other.services, embedder=embedder)
        return Notebook(other, self.user)


def index(notebook: Notebook, *owners: str) -> None:
    """Let the logs settle and put each into a segment."""
    talk = notebook.talk
    talk.adapters.clock.advance(seconds=61)
    for owner in owners or ("s:monday",):
        talk.services.indexer.rebuild(talk.session.tenant, talk.session.project, owner)
        pk = log_pk(talk.session.tenant, talk.session.project, owner)
        assert talk.table.get(Key(pk, MANIFEST)) is not None


def items(notebook: Notebook, owner: str) -> list[Any]:
    talk = notebook.talk
    pk = log_pk(talk.session.tenant, talk.session.project, owner)
    return list(every(talk.table, Query(pk, "m#", "m#\U0010ffff")))


def entries(notebook: Notebook, owner: str) -> list[Any]:
    talk = notebook.talk
    return [talk.services.vault.unseal(talk.session.tenant, item) for item in items(notebook, owner)]


def endings(notebook: Notebook, owner: str = "s:monday") -> list[Any]:
    return [ending for entry in entries(notebook, owner) for ending in entry["forgotten"]]


def memories_on_record(notebook: Notebook, owner: str = "s:monday") -> list[str]:
    return [memory["content"] for entry in entries(notebook, owner) for memory in entry["remembered"]]
