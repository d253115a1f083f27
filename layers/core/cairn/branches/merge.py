"""merge: what a branch added comes to its project, in the order in which it was told, behind all that is there.

Each turn, and each change that no turn made, is one transaction that writes it to the project and marks it on the
branch, so that a merge that was cut off goes on where it was. What the project said since of the same matter, until the
merge began, stands; and what it forgot stays forgotten. Afterwards the branch is erased.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from cairn.branches.branching import close, erase, is_there, owners_of
from cairn.branches.model import Merged
from cairn.branches.outcome import merged_before, settle
from cairn.branches.retelling import Retelling
from cairn.conversation.events import Event
from cairn.ground.attributes import number
from cairn.ground.codec import rfc3339
from cairn.ground.errors import CorruptData, NotFound, ResourceBusy, TransactionRefused
from cairn.ground.ids import Project, SessionId, Tenant, TurnId, trunk
from cairn.ground.paging import every
from cairn.ground.session import Session, on_trunk
from cairn.ground.table import (
    AllOf,
    Attributes,
    Equals,
    Key,
    Missing,
    Put,
    Query,
    Update,
    Write,
    conditions_lost,
    key_of,
)
from cairn.log.branches import Branch, no_branch
from cairn.log.entries import Retold
from cairn.log.layout import ACROSS as ACROSS_PROJECTS
from cairn.log.layout import KEPT_COUNT, across, is_across, is_entry, log_pk, log_range, session_named
from cairn.log.registry import registered
from cairn.memories.remember import no_room
from cairn.sessions import due
from cairn.sessions.head import ACROSS, READ_THROUGH, naming
from cairn.sessions.layout import HEAD, MEMORY_COUNT, event_sk, session_pk
from cairn.sessions.leased import Leased, leased
from cairn.sessions.services import SessionServices
from cairn.sessions.stored_turn import storing
from cairn.sessions.transacting import transact

MERGED = "merged"
"""What an entry of a branch says once it has come to the project, or was left out since its turn had."""


@dataclass(frozen=True, slots=True)
class _Entry:
    """An entry of a branch's log."""

    owner: str
    key: Key
    kid: int
    record: dict[str, Any]
    merged: bool | None = None
    """What its mark says, None where it has none."""

    def mark(self, *, came: bool = True) -> Update:
        """Return the write that marks it; it fails where the entry is gone, or marked."""
        there = AllOf((Equals("kid", self.kid), Missing(MERGED)))
        return Update(self.key, set={MERGED: came}, condition=there)


def merge(services: SessionServices, tenant: Tenant, project: Project) -> Merged:
    """Bring what a branch added to its project, erase the branch, and return what came; NotFound where there is none.

    It may be cut off anywhere, and called again, for a week also once it is done: then it tells the same. ResourceBusy
    where a session of the project is being written, QuotaExceeded where there is no room for one more memory: what came
    until then stays.
    """
    try:
        branch = close(services, tenant, project, "merge")
        if (done := merged_before(services, tenant, project)) is None:
            done = _Merging(services, branch).run()
            settle(services, branch, done)
    except NotFound:
        if (done := merged_before(services, tenant, project)) is None:
            raise
        return done
    erase(services, branch)
    return done


class _Merging:
    """One call, of a branch to which nothing is added any more."""

    def __init__(self, services: SessionServices, branch: Branch) -> None:
        self._services = services
        self._branch = branch
        self._retelling = Retelling(services, branch)
        self._project = trunk(branch.project)

    def run(self) -> Merged:
        there = self._entries()
        entries = sorted((entry for entry in there if entry.merged is None), key=lambda entry: entry.key.sk)
        of_turns = {
            (*self._turn_of(entry), entry.owner): entry for entry in entries if entry.record.get("said_in") is not None
        }
        came = Counter(_counted(entry, entry.merged) for entry in there if entry.merged is not None)
        for entry in entries:
            if entry.record["turn"]:
                turn = self._turn_of(entry)
                beside = (of_turns.get((*turn, owner)) for owner in across(entry.owner))
                came[_counted(entry, self._turn(turn, [entry, *(each for each in beside if each is not None)]))] += 1
            elif entry.record.get("said_in") is None:
                self._change(entry)
                came[_counted(entry, True)] += 1
        return Merged(came["turns"], came["changes"], came["left_out"])

    def _entries(self) -> list[_Entry]:
        """Return the entries of the branch, those that came to the project already among them."""
        tenant, found = self._branch.tenant, list[_Entry]()
        for owner in owners_of(self._services, self._branch):
            pk = log_pk(tenant, self._branch.project, owner)
            for item in every(self._services.adapters.table, Query(pk, *log_range())):
                if is_entry(Key.of(item).sk):
                    record, merged = self._services.vault.unseal(tenant, item), item.get(MERGED)
                    came = None if merged is None else bool(merged)
                    found.append(_Entry(owner, Key.of(item), number(item, "kid"), record, came))
        return found

    def _turn_of(self, entry: _Entry) -> tuple[SessionId, int]:
        """Return the session and the number of the turn that an entry tells of."""
        record = entry.record
        of = Project(ACROSS_PROJECTS) if is_across(entry.owner) else self._project
        _, session_id = session_named(of, SessionId(record["session"]))
        return session_id, record["turn"]["seq"] if record["turn"] else record["said_in"]

    def _turn(self, turn: tuple[SessionId, int], entries: Sequence[_Entry]) -> bool:
        """Bring one turn; False where the project's session has one of its id."""
        session_id, seq = turn
        session = Session(self._branch.tenant, self._branch.project, session_id)
        item = self._services.adapters.table.get(Key(session_pk(session), event_sk(seq)))
        if item is None:
            if not is_there(self._services, self._branch):  # another call has merged it
                raise no_branch(self._branch.project)
            raise CorruptData("a turn of the branch has no events; check the store")
        events = self._services.vault.unseal(session.tenant, item)
        with leased(self._services, on_trunk(session)) as held:
            if self._services.guards.is_done(held.session, TurnId(entries[0].record["turn"]["id"])):
                self._write(lambda: [entry.mark(came=False) for entry in entries], entries)
                return self._came(entries[0])
            self._write(partial(self._turn_writes, held, events, entries), entries)
        return True

    def _came(self, entry: _Entry) -> bool:
        """Tell what an entry's mark says: another call that was cut off may have brought it meanwhile."""
        item = self._services.adapters.table.get(entry.key)
        return item is not None and bool(item.get(MERGED))

    def _turn_writes(self, held: Leased, events: list[Any], entries: Sequence[_Entry]) -> list[Write]:
        seq, turn = held.head.seq + 1, entries[0].record["turn"]
        numbers = [{"turn": {**turn, "seq": seq}} if entry.record["turn"] else {"said_in": seq} for entry in entries]
        numbered = [(entry.owner, {**entry.record, **of_turn}) for entry, of_turn in zip(entries, numbers, strict=True)]
        appends, beside = self._told(*numbered)
        return [
            self._head(held, events, entries, appends),
            storing(self._services.vault, held.session, seq, events, appends[0]),
            self._services.guards.processed(held.session, TurnId(turn["id"])),
            registered(held.session.tenant, self._project, entries[0].owner),
            *appends,
            *beside,
            *self._services.log.in_order(*appends),
            *(entry.mark() for entry in entries),
        ]

    def _head(self, held: Leased, events: list[Any], entries: Sequence[_Entry], appends: Sequence[Put]) -> Update:
        """Return what a turn changes in the head of the project's session, whose lease goes on."""
        now, head = self._services.adapters.clock.now(), held.head
        settings = self._services.settings.memory_for(held.session.tenant)
        there = max((key_of(each).sk for each in appends[1:]), default="")
        first = Event.from_record(events[0])
        return Update(
            held.key,
            set={
                "seq": head.seq + 1,
                "turn_id": first.turn_id,
                "updated_at": rfc3339(now),
                **naming(dict.fromkeys([*head.owners, entries[0].owner])),
                **({ACROSS: max(there, head.across)} if there else {}),
                **({READ_THROUGH: head.seq + 1} if settings.heuristic.reads_turns else {}),
                **held.begun,
                **due.no_later_than(held.session, head, now + due.interval(settings)).set,
            },
            add={"version": 1, "events": len(events)},
            condition=held.held,
        )

    def _change(self, entry: _Entry) -> None:
        """Bring what no turn changed: memories kept and forgotten, facts put right."""

        def writes() -> list[Write]:
            appends, beside = self._told((entry.owner, entry.record))
            known = [registered(self._branch.tenant, self._project, entry.owner)] if not is_across(entry.owner) else []
            told = [*appends, *beside, *self._services.log.in_order(*appends)]
            return [entry.mark(), *told, *(known if appends else [])]

        self._write(writes, [entry])

    def _told(self, *records: tuple[str, Mapping[str, Any]]) -> tuple[list[Put], list[Write]]:
        """Return what tells the project of records, by their logs' owners, and what is written beside.

        Nothing where nothing is left of one.
        """
        retold = [(owner, *self._retelling.of(owner, record)) for owner, record in records]
        left = [(owner, record, marks) for owner, record, marks in retold if record is not None]
        entries = [(owner, Retold(self._branch.at, record)) for owner, record, _ in left]
        later = self._retelling.after_closing()
        appends = self._services.log.append_together(self._branch.tenant, self._project, entries, later)
        marked = zip(appends, (marks for _, _, marks in left), strict=True)
        return appends, [write for append, marks in marked for write in marks(key_of(append).sk)]

    def _write(self, make: Callable[[], Sequence[Write]], entries: Sequence[_Entry]) -> None:
        """Write what `make` returns, once: not where the entries are marked, nor where the branch is another by now."""
        table, branch = self._services.adapters.table, self._branch

        def writes() -> Sequence[Write]:
            stored: Attributes | None = table.get(entries[0].key)
            return () if stored is None or MERGED in stored else [*make(), branch.is_merging]

        transact(self._services, writes, _raise_if_lost)


def _counted(entry: _Entry, came: bool) -> Literal["turns", "changes", "left_out", ""]:  # noqa: FBT001 - whether it came
    """Return as what an entry counts, "" where its turn does that."""
    if entry.record["turn"]:
        return "turns" if came else "left_out"
    return "changes" if entry.record.get("said_in") is None else ""


def _raise_if_lost(writes: Sequence[Write], refused: TransactionRefused) -> None:
    for where in conditions_lost(writes, refused):
        if where.sk == HEAD:
            raise ResourceBusy("a session of the project is being written", {"resource": "session"}) from refused
        if where.sk in {MEMORY_COUNT, KEPT_COUNT}:
            raise no_room(where) from refused
