"""Memories of a session for tests: kept, found and forgotten in processes of their own, and what is on record."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from cairn.facts.facts import Fact
from cairn.ground.ids import UserId
from cairn.ground.paging import every
from cairn.ground.ports import Embedder
from cairn.ground.session import NO_SESSION
from cairn.ground.table import Key, Query
from cairn.ground.trust import Trust
from cairn.log.layout import MANIFEST, log_pk
from cairn.memories.correct import correct
from cairn.memories.forget import forget
from cairn.memories.model import (
    Corrected,
    ForgetRequest,
    Note,
    Pinned,
    RecalledItem,
    RecallRequest,
    RecallResult,
    Restored,
)
from cairn.memories.pin import pin
from cairn.memories.recall import recall
from cairn.memories.remember import remember
from cairn.memories.restore import restore
from cairn.overview.known import known
from cairn.overview.model import Known, Place
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

    def drop(
        self, name: str, reason: str | None = None, replacement: str | None = None, trust: Trust = Trust.AGENT
    ) -> None:
        request = ForgetRequest(id=name, reason=reason, replacement_id=replacement, user_id=self.user, trust=trust)
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


def items(notebook: Notebook | Person, owner: str) -> list[Any]:
    talk = notebook.talk
    pk = log_pk(talk.session.tenant, talk.session.project, owner)
    return list(every(talk.table, Query(pk, "m#", "m#\U0010ffff")))


def entries(notebook: Notebook | Person, owner: str) -> list[Any]:
    talk = notebook.talk
    return [talk.services.vault.unseal(talk.session.tenant, item) for item in items(notebook, owner)]


def endings(notebook: Notebook, owner: str = "s:monday") -> list[Any]:
    return [ending for entry in entries(notebook, owner) for ending in entry["forgotten"]]


def memories_on_record(notebook: Notebook, owner: str = "s:monday") -> list[str]:
    return [memory["content"] for entry in entries(notebook, owner) for memory in entry["remembered"]]


class Person:
    """A user who puts right what memory holds of them, in a process of their own."""

    def __init__(self, talk: Any, user: str = "ada") -> None:
        self.talk = talk.other()
        self.user = UserId(user)
        self.place = replace(self.talk.session, session_id=NO_SESSION)

    def correct(self, name: str, content: str) -> Corrected:
        return correct(self.talk.services, self.place, self.user, name, content)

    def restore(self, name: str) -> Restored:
        return restore(self.talk.services, self.place, self.user, name)

    def pin(self, name: str, *, pinned: bool = True) -> Pinned:
        return pin(self.talk.services, self.place, self.user, name, pinned=pinned)

    def forget(self, name: str, replacement: str | None = None) -> None:
        request = ForgetRequest(id=name, replacement_id=replacement, user_id=self.user)
        forget(self.talk.services, self.place, request)

    def facts(self) -> dict[str, Fact]:
        """Return what is believed of the user, by its value."""
        return {each.fact.value: each.fact for each in self._known().facts}

    def kept(self) -> dict[str, str]:
        """Return the ids of the memories that are kept, by what they say."""
        return {each.memory.content: each.memory.id for each in self._known().memories}

    def id_of(self, what: str) -> str:
        facts = self.facts()
        return facts[what].id if what in facts else self.kept()[what]

    def recalled(self, query: str = "", **fields: Any) -> list[str]:
        """Return the facts and memories that are recalled."""
        request = RecallRequest(query=query, user_id=self.user, limit=50, **fields)
        found = recall(self.talk.other().services, self.place, request).found
        return [each.content for each in found if each.kind != "turn"]

    def context(self, question: str) -> str:
        """Return all that a new session is given for a question."""
        return str(self.talk.other("friday").ask(question, user=self.user).items[:-1])

    def _known(self) -> Known:
        place = Place(self.place.tenant, self.place.project)
        return known(self.talk.other().services, place, self.user, 100)
