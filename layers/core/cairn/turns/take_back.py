"""Take back the newest turn of a session: what was said in it, and what it taught, is gone as if it had never been.

Its entries leave its memory log, and its user's across projects, in the transaction that deletes its events: folded
without them, the logs believe again what the turn had superseded. It goes under the session's lease, and the turn's
guard says from then on that it was taken back: another try answers the same, and a late retry of the turn itself does
not store it again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import Any

from cairn.conversation.events import Event
from cairn.ground.adapters import Pending
from cairn.ground.attributes import number
from cairn.ground.codec import moment
from cairn.ground.errors import Conflict, NotFound, ResourceBusy, TransactionRefused
from cairn.ground.ids import Digest, Project, Tenant, TurnId, is_branch, time_ordered_id
from cairn.ground.jobs import IndexLog
from cairn.ground.paging import every
from cairn.ground.session import Session
from cairn.ground.table import (
    AllOf,
    Attributes,
    Condition,
    Delete,
    Equals,
    Key,
    Query,
    Update,
    Write,
    key_of,
    prefix_range,
)
from cairn.log.layout import across, is_across, log_owner, log_pk, log_sk, named_in
from cairn.log.segments import Segments
from cairn.sessions.dropped_blobs import discard, dropping
from cairn.sessions.head import ACROSS, DROPPED, READ_THROUGH, REMOVALS, stored_head
from cairn.sessions.layout import (
    COMPACTED,
    FIRST_EVENT,
    GUARDS,
    HEAD,
    LAST_EVENT,
    NEWEST_SUMMARY,
    SUMMARIES,
    compact_sk,
    session_pk,
)
from cairn.sessions.leased import Leased, leased
from cairn.sessions.services import SessionServices
from cairn.sessions.stored_turn import StoredTurn
from cairn.sessions.transacting import asking_for, transact
from cairn.vault.vault import blob_of

_AT_ONCE = 16


@dataclass(frozen=True, slots=True)
class TakenBack:
    """What is gone and what is back: items, facts that are retracted, facts that are believed again.

    `repeated` says that the turn was taken back before, and nothing was changed.
    """

    items: int = 0
    retracted: int = 0
    believed_again: int = 0
    repeated: bool = False


def take_back(services: SessionServices, session: Session, turn_id: TurnId) -> TakenBack:
    """Take back the session's newest turn, which has to be this one; once, however often it is asked for.

    NotFound where the session has no such turn, Conflict where it is not the newest, or is archived already.
    """
    begun = Pending(lambda: stored_head(services.adapters.table, session))
    was_taken_back = Pending(lambda: services.guards.is_taken_back(session, turn_id))
    services.adapters.parallel([begun, was_taken_back])
    if was_taken_back.result:
        return TakenBack(repeated=True)
    # On a branch the head may be the project's, whose turns are not taken back there.
    if begun.result is None or begun.result.key.pk != session_pk(session):
        raise _absent(turn_id)
    with leased(services, session) as held:
        return _TakingBack(services, held, turn_id).run()


@dataclass(frozen=True, slots=True)
class _Entry:
    """What an owner's log says of the turn, and the sort key of the entry before it, "" where that is not known."""

    owner: str
    item: Attributes
    record: dict[str, Any]
    before: str = ""

    @property
    def where(self) -> Key:
        return Key.of(self.item)

    @property
    def unchanged(self) -> Condition:
        return AllOf(tuple(Equals(name, self.item[name]) for name in ("data", "blob") if name in self.item))

    @property
    def blobs(self) -> list[Digest]:
        blob = blob_of(self.item)
        return [] if blob is None else [blob]


class _TakingBack:
    """One call, under the session's lease."""

    def __init__(self, services: SessionServices, held: Leased, turn_id: TurnId) -> None:
        self._services = services
        self._adapters = services.adapters
        self._held = held
        self._session = held.session
        self._pk = session_pk(held.session)
        self._turn_id = turn_id
        self._segments = Segments(services.adapters, services.vault)

    def run(self) -> TakenBack:
        query = Query(self._pk, FIRST_EVENT, LAST_EVENT, descending=True, limit=2)
        stored = self._adapters.table.query(query).items
        events = self._events(stored[0]) if stored else ()
        if not events or events[0].turn_id != self._turn_id:
            return self._of_another()
        owner = log_owner(events[0].user_id, self._session.session_id)
        here, derived = Pending(partial(self._entries, owner, stored[0])), Pending(partial(self._derived, stored[0]))
        there = [Pending(partial(self._entries_across, each, stored[0])) for each in across(owner)]
        self._adapters.parallel([here, *there, derived])
        entries = [entry for found in (here, *there) for entry in found.result]
        gone = [stored[0], *derived.result]
        head = self._head(stored, events, entries)
        writes = partial(self._writes, gone, head, entries)
        transact(self._services, writes, _raise_if_lost, partial(self._jobs, entries))
        if any(map(blob_of, gone)):
            discard(self._adapters, self._session)
        self._adapters.parallel(
            [partial(self._segments.drop_discarded, self._session.tenant, pk) for pk in _by_log(entries)]
        )
        return TakenBack(len(events), len(_ids(entries, "added")), len(_ids(entries, "ended")))

    def _of_another(self) -> TakenBack:
        """Answer where the turn is not the newest that can be taken back."""
        match self._services.guards.is_taken_back(self._session, self._turn_id):
            case True:
                return TakenBack(repeated=True)
            case False:
                message = "only the newest turn can be taken back, and not once it is archived"
                raise Conflict(message, {"turn_id": self._turn_id})
            case None:
                raise _absent(self._turn_id)

    def _events(self, item: Attributes) -> tuple[Event, ...]:
        return self._services.sessions.events(self._session, item)

    def _entries(self, owner: str, turn: Attributes) -> list[_Entry]:
        """Return the turn's entries in its log: its own, of its time or after it, and what was read in it later."""
        query = Query(self._log(owner), _earliest(turn), prefix_range(log_sk(""))[1], limit=_AT_ONCE)
        entries = (self._opened(owner, item) for item in every(self._adapters.table, query))
        return list(islice((entry for entry in entries if self._tells(entry, turn)), self._most(turn)))

    def _entries_across(self, owner: str, turn: Attributes) -> list[_Entry]:
        """Return the turn's entries in the log across projects, looking back from the session's newest there.

        Most turns have none: nothing is read where the session has none that is as new as the turn.
        """
        newest, first, found = self._held.head.across, _earliest(turn), list[_Entry]()
        if newest < first:
            return found
        query = Query(self._log(owner), log_sk(""), newest, descending=True, limit=_AT_ONCE)
        for item in every(self._adapters.table, query):
            if found and not found[-1].before:
                found[-1] = replace(found[-1], before=Key.of(item).sk)
            if Key.of(item).sk < first or len(found) == self._most(turn):
                break
            if self._tells(entry := self._opened(owner, item), turn):
                found.append(entry)
        return found

    def _most(self, turn: Attributes) -> int:
        """Return how many entries of one log may be the turn's: a second one where a language model read it later."""
        return 2 if self._held.head.read_into >= _earliest(turn) else 1

    @property
    def _place(self) -> tuple[Tenant, Project]:
        return self._session.tenant, self._session.project

    def _log(self, owner: str) -> str:
        return log_pk(*self._place, owner)

    def _opened(self, owner: str, item: Attributes) -> _Entry:
        return _Entry(owner, item, self._services.vault.unseal(self._session.tenant, item))

    def _tells(self, entry: _Entry, turn: Attributes) -> bool:
        """Tell whether an entry is the turn's."""
        record, said = entry.record, entry.record["turn"]
        is_here = record["session"] == named_in(entry.owner, self._session.project, self._session.session_id)
        return is_here and (said["seq"] if said else record.get("said_in")) == number(turn, "seq")

    def _derived(self, turn: Attributes) -> list[Attributes]:
        """Return what tells of the turn in other words: summaries up to it or beyond, and those of directories."""
        seq, table = number(turn, "seq"), self._adapters.table
        summaries = list(every(table, Query(self._pk, compact_sk(seq), prefix_range(COMPACTED)[1])))
        newest, directories = (table.get(Key(self._pk, sk)) for sk in (NEWEST_SUMMARY, SUMMARIES))
        if newest is not None and number(newest, "through") >= seq:
            summaries.append(newest)
        return [*summaries, *([directories] if directories is not None else [])]

    def _head(self, stored: Sequence[Attributes], events: Sequence[Event], entries: Sequence[_Entry]) -> Update:
        """Return what the head says then: of the turn before, that it is the newest."""
        seq, head = number(stored[0], "seq"), self._held.head
        before = {"seq": seq - 1}
        if len(stored) > 1:
            turn_id = self._events(stored[1])[0].turn_id
            before |= {"turn_id": turn_id, "updated_at": StoredTurn.of(stored[1]).at}
        if blob_of(stored[0]) is not None:
            before |= {DROPPED: True}
        newest_across = self._newest_across(entries)
        if newest_across:
            before |= {ACROSS: newest_across}
        if head.read_through >= seq:
            before |= {READ_THROUGH: seq - 1}
        counts = {
            "version": 1,
            REMOVALS: 1,
            "events": -len(events),
            "facts_written": -len(_ids(entries, "added")),
            "facts_superseded": -len(_ids(entries, "ended")),
            "erased": seq - head.seq,  # of turns that followed it and were erased
        }
        add = {name: count for name, count in counts.items() if count}
        remove = (ACROSS,) if head.across and not newest_across else ()
        return Update(self._held.key, set=before, add=add, remove=remove, condition=self._held.held)

    def _newest_across(self, entries: Sequence[_Entry]) -> str:
        """Return what is as new as each entry that the session has left across projects, "" where it has none.

        Where it has several users, what another of them said last may be newer than the entry before this turn's.
        """
        head = self._held.head
        gone = [entry for entry in entries if is_across(entry.owner)]
        return gone[0].before if gone and len(head.owners) == 1 else head.across

    def _writes(self, gone: Sequence[Attributes], head: Update, entries: Sequence[_Entry]) -> list[Write]:
        blobs = [blob for item in gone if (blob := blob_of(item)) is not None]
        without = [Pending(partial(self._without, pk, those)) for pk, those in _by_log(entries).items()]
        self._adapters.parallel(without)
        return [
            head,
            self._services.guards.taken_back(self._session, self._turn_id),
            *(Delete(Key.of(item)) for item in gone),
            *dropping(self._adapters, self._session, blobs),
            *(write for each in without for write in each.result),
        ]

    def _without(self, pk: str, entries: Sequence[_Entry]) -> list[Write]:
        """Return the writes that take entries out of one log."""
        deletes = [Delete(entry.where, entry.unchanged) for entry in entries]
        blobs = [blob for entry in entries for blob in entry.blobs]
        return [*deletes, *self._segments.changing(pk, min(entry.where.sk for entry in entries), blobs)]

    def _jobs(self, entries: Sequence[_Entry]) -> Sequence[Callable[[], object]]:
        """Return the call that has the logs indexed, whose newest segments may be of no use any more."""
        if is_branch(self._session.project):  # whose logs have no segments
            return ()
        owners = dict.fromkeys(entry.owner for entry in entries)
        return asking_for(self._services, [IndexLog(*self._place, owner) for owner in owners])


def _earliest(turn: Attributes) -> str:
    """Return the sort key that no entry of a turn is before."""
    return log_sk(time_ordered_id(moment(StoredTurn.of(turn).at), bytes(10)))


def _by_log(entries: Sequence[_Entry]) -> dict[str, list[_Entry]]:
    found: dict[str, list[_Entry]] = {}
    for entry in entries:
        found.setdefault(entry.where.pk, []).append(entry)
    return found


def _ids(entries: Sequence[_Entry], what: str) -> set[str]:
    """Return the facts that entries add or end, each once: one that ends in two logs is one."""
    return {fact["id"] for entry in entries for fact in entry.record[what]}


def _raise_if_lost(writes: Sequence[Write], refused: TransactionRefused) -> None:
    """Raise ResourceBusy where another call has the session or the turn; else the log was being indexed."""
    for write, reason in zip(writes, refused.reasons, strict=False):
        if reason is not None and reason.code == "condition":
            sk = key_of(write).sk
            if sk == HEAD or sk.startswith(GUARDS):
                raise ResourceBusy(
                    "another call took this turn or its session over", {"resource": "session"}
                ) from refused


def _absent(turn_id: TurnId) -> NotFound:
    return NotFound("The session has no such turn", {"turn_id": turn_id})
