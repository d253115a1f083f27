"""Decide what of a branch's entry its project is told.

That is all but what the project spoke of since, later or by a higher word, or forgot.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

from cairn.facts.facts import Fact, from_record, identity
from cairn.ground.errors import CorruptData
from cairn.ground.ids import SessionId, trunk
from cairn.ground.paging import every
from cairn.ground.session import NO_SESSION, Session
from cairn.ground.table import ABSENT, AnyOf, Equals, Key, LessThan, Missing, Put, Query, Update, Write
from cairn.log.branches import Branch
from cairn.log.layout import KEPT_COUNT, is_entry, log_of, log_pk, memory_sk, session_named, through_sk
from cairn.log.ledger import Ledger, Spoken
from cairn.log.memories import FORGOTTEN, KEPT, scope_of
from cairn.log.newest import TICK
from cairn.memories.model import MOST_PER_SESSION
from cairn.sessions.layout import MEMORY_COUNT, session_pk
from cairn.sessions.services import SessionServices

Marks = Callable[[str], Sequence[Write]]
"""Returns what is written with an entry of this sort key: which memories are kept, and how many."""


class Retelling:
    """Tells a branch's entries again, for its project."""

    def __init__(self, services: SessionServices, branch: Branch) -> None:
        """Look at what the project said between the branch's moment and that at which merging it began."""
        self._services = services
        self._branch = branch
        self._project = trunk(branch.project)
        self._said: dict[str, tuple[Ledger, Spoken]] = {}

    def after_closing(self) -> datetime:
        """Return the moment of what is told now: after all that the project said until the branch was closed."""
        return max(self._services.adapters.clock.now(), self._closed_at + TICK)

    def of(self, owner: str, record: Mapping[str, Any]) -> tuple[dict[str, Any] | None, Marks]:
        """Return what the project is told in a log, None where nothing is left, and what goes with it."""
        pk = log_pk(self._branch.tenant, self._project, owner)
        ledger, since = self._since(owner, pk)
        states = {name: self._state(pk, name) for name in _memories(record)}
        kept = [each for each in record["remembered"] if states[each["id"]] is None]
        added = [each for each in record["added"] if not _is_over(each, "recorded_at", since)]
        added = [each for each in added if not self._is_outranked(from_record(each), ledger)]
        ended = [each for each in record["ended"] if not _is_over(each, "valid_to", since)]
        facts = {each["id"] for each in ended}
        over = [each for each in record["forgotten"] if states.get(each["id"]) == KEPT or each["id"] in facts]
        told = {**record, "remembered": kept, "added": added, "ended": ended, "forgotten": over}
        if not (record["turn"] or kept or added or ended or over or record["seen"]):
            return None, lambda _: ()
        return told, lambda sk: [*self._keeping(pk, kept), *self._forgetting(pk, over, sk)]

    @property
    def _closed_at(self) -> datetime:
        if self._branch.closed_at is None:
            raise CorruptData("a branch that is closed does not say since when")
        return self._branch.closed_at

    def _since(self, owner: str, pk: str) -> tuple[Ledger, Spoken]:
        """Return what the project said in a log since the branch's moment, until it was closed, and of what."""
        if owner not in self._said:
            ledger, after = Ledger(), self._branch.through
            found = every(self._services.adapters.table, Query(pk, after, through_sk(self._closed_at)))
            for item in found:
                if after < Key.of(item).sk and is_entry(Key.of(item).sk):
                    ledger.apply(self._services.vault.unseal(self._branch.tenant, item))
            self._said[owner] = ledger, ledger.said(None)
        return self._said[owner]

    def _is_outranked(self, fact: Fact, ledger: Ledger) -> bool:
        """Tell whether the project believes something else of a fact's matter, by a higher word."""
        others = ledger.heard(identity(fact))
        return any(each.trust > fact.trust and each.is_live(self._closed_at) for each in others)

    def _state(self, pk: str, name: str) -> str | None:
        item = self._services.adapters.table.get(Key(pk, memory_sk(name)))
        return None if item is None else str(item["state"])

    def _keeping(self, pk: str, kept: Sequence[Mapping[str, Any]]) -> list[Write]:
        room = AnyOf((Missing("kept"), LessThan("kept", MOST_PER_SESSION)))
        return [
            write
            for each in kept
            for write in (
                Put({"pk": pk, "sk": memory_sk(each["id"]), "state": KEPT, "type": each["type"]}, ABSENT),
                Update(self._count(pk, each), add={"kept": 1}, condition=room),
            )
        ]

    def _count(self, pk: str, memory: Mapping[str, Any]) -> Key:
        """Return where a memory counts: in its session, or in its log where it is kept in none."""
        _, project, _ = log_of(pk)
        named, session_id = session_named(project, SessionId(memory["session"]))
        if session_id == NO_SESSION:
            return Key(pk, KEPT_COUNT)
        return Key(session_pk(Session(self._branch.tenant, named, session_id)), MEMORY_COUNT)

    def _forgetting(self, pk: str, over: Sequence[Mapping[str, Any]], sk: str) -> list[Write]:
        memories = [each for each in over if scope_of(each["id"]) is not None]
        state = {"state": FORGOTTEN, "ended": sk}
        writes: list[Write] = [
            Update(Key(pk, memory_sk(each["id"])), set=state, condition=Equals("state", KEPT)) for each in memories
        ]
        of_session = [each for each in memories if scope_of(each["id"]) == "session"]
        if of_session:
            writes.append(Update(self._count(pk, of_session[0]), add={"forgotten": len(of_session)}))
        return writes


def _memories(record: Mapping[str, Any]) -> list[str]:
    """Return the ids of the memories that an entry keeps or forgets."""
    named = [each["id"] for each in (*record["remembered"], *record["forgotten"])]
    return [name for name in named if scope_of(name) is not None]


def _is_over(record: Mapping[str, Any], when: str, since: Spoken) -> bool:
    """Tell whether the project spoke of a fact's matter after what a branch says of it, or took that back."""
    fact = from_record(record)
    about, at = identity(fact), getattr(fact, when)
    return about in since and ((last := since[about]) is None or at is None or at <= last)
