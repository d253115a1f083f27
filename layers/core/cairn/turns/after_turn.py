"""after_turn: claim and lease, extract, commit. Two rounds; the second is one transaction, all or nothing.

Where a language model helps to extract, it is asked before, while nothing is held.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import count

from cairn.conversation.events import Event, events_of
from cairn.conversation.items import role_of, text_of
from cairn.conversation.turns import Completion
from cairn.facts.extraction import extract
from cairn.facts.facts import Changes, Recording, identity, merge
from cairn.facts.proposals import Proposals
from cairn.ground.adapters import Pending
from cairn.ground.codec import rfc3339
from cairn.ground.errors import CairnError, ResourceBusy, TransactionRefused
from cairn.ground.ids import time_ordered_id
from cairn.ground.session import Session
from cairn.ground.table import ABSENT, Key, Put, Update, Write
from cairn.log.entries import LogEntry, TurnEntry
from cairn.log.layout import log_owner, registry_pk, registry_sk
from cairn.log.log import ON_TIME
from cairn.sessions import due
from cairn.sessions.guards import Claim
from cairn.sessions.head import naming
from cairn.sessions.layout import event_sk, session_pk
from cairn.sessions.services import SessionServices
from cairn.sessions.sessions import Lease
from cairn.sessions.stored_turn import StoredTurn
from cairn.sessions.transacting import transact
from cairn.turns.echo import NOTHING_STORED, new_inputs_of, read_context
from cairn.turns.model import CommittedTurn
from cairn.turns.proposing import proposals


def commit(services: SessionServices, session: Session, turn: Completion) -> CommittedTurn:
    """Store the turn once, whatever fails and however often it is sent.

    ResourceBusy and Unavailable may be retried with the same turn_id; Conflict means the turn_id has another payload.
    """
    return _Commit(services, session, turn, proposals(services, session, turn)).run()


@dataclass(frozen=True, slots=True)
class _Delta:
    """The changes that the turn makes."""

    seq: int
    now: datetime
    events: tuple[Event, ...]
    changes: Changes
    superseded: int


class _Commit:
    """One call of after_turn."""

    def __init__(self, services: SessionServices, session: Session, turn: Completion, proposed: Proposals) -> None:
        self._services = services
        self._session = session
        self._turn = turn
        self._proposed = proposed
        self._settings = services.settings.memory_for(session.tenant)
        self._owner = log_owner(turn.user_id, session.session_id)
        self._caller = services.adapters.entropy.token(12).hex()
        self._claim: Claim | None = None
        self._lease: Lease | None = None
        self._context = NOTHING_STORED

    def run(self) -> CommittedTurn:
        committed = False
        try:
            claim = Pending(self._take_claim)
            self._services.adapters.parallel([claim, self._try_lease, self._read_context, self._refresh])
            if claim.result.done:
                return CommittedTurn(replayed=True)
            lease = self._held_lease()
            if self._is_processed(lease):
                self._services.guards.check_replay(claim.result)
                return CommittedTurn(replayed=True)
            delta = self._delta(lease)
            self._write(claim.result, lease, delta)
            committed = True
            self._services.adapters.tally.facts_written(Counter(fact.tier for fact in delta.changes.added))
        finally:
            if not committed:
                self._abandon()
        return CommittedTurn(
            events_written=len(delta.events),
            facts_written=len(delta.changes.added),
            facts_superseded=delta.superseded,
        )

    def _take_claim(self) -> Claim:
        seconds = self._settings.guard_lease_seconds
        self._claim = self._services.guards.claim(self._session, self._turn, self._caller, seconds)
        return self._claim

    def _try_lease(self) -> None:
        seconds = self._settings.guard_lease_seconds
        self._lease = self._services.sessions.try_lease(self._session, self._caller, seconds)

    def _read_context(self) -> None:
        self._context = read_context(self._services, self._session, self._turn)

    def _refresh(self) -> None:
        self._services.log.refresh(self._session.tenant, self._session.project, self._owner)

    def _held_lease(self) -> Lease:
        """Return the lease, waiting for it if need be, with nothing read before it that has changed since."""
        if self._lease is None:
            self._lease = self._services.sessions.lease(self._session, self._caller, self._settings)
        if self._context.seq != self._lease.seq:
            self._read_context()
        with self._services.log.view(self._session.tenant, self._session.project, self._owner) as view:
            behind = view.last_seq(self._session.session_id) < self._lease.seq
        if behind:
            self._refresh()
        return self._lease

    def _is_processed(self, lease: Lease) -> bool:
        """Tell whether the turn is one of the newest max_processed_turns: a guard is kept for a month only."""
        oldest = lease.seq - self._settings.max_processed_turns
        with self._services.log.view(self._session.tenant, self._session.project, self._owner) as view:
            return view.has_turn(self._session.session_id, self._turn.turn_id, oldest)

    def _delta(self, lease: Lease) -> _Delta:
        now = self._services.adapters.clock.now()
        inputs = new_inputs_of(self._services, self._session, self._turn, self._context)
        events = events_of(self._turn, inputs, now)
        changes, superseded = self._changes(_said_by_user(events, len(inputs)), lease.seq, now)
        return _Delta(lease.seq + 1, now, events, changes, superseded)

    def _changes(self, said: Sequence[tuple[str, str]], seq: int, now: datetime) -> tuple[Changes, int]:
        """Merge what was said after turn `seq` into what is believed; return the changes and how many facts they end.

        What a rule finds goes after what a model proposes, and so wins. A retraction found by rule is recorded against
        other sessions' beliefs too. A new value only outdates those: a view that shows several sessions takes the
        latest.
        """
        with self._services.log.view(self._session.tenant, self._session.project, self._owner) as view:
            own, everywhere = view.facts(now, self._session.session_id), view.facts(now, None)
            previous = view.last_said(self._session.session_id, seq)
        found = extract(said, previous)
        elsewhere = [fact for fact in everywhere if fact not in own]
        recording = self._recording(now)
        changes = merge(own, [*self._proposed.candidates(said, own), *found], recording)
        if elsewhere:
            retractions = [candidate for candidate in found if candidate.retracts]
            ended = merge(elsewhere, retractions, recording).deleted
            changes = replace(changes, deleted=(*changes.deleted, *ended))
        added = {identity(fact): fact.value for fact in changes.added}
        outdated = [fact for fact in elsewhere if added.get(identity(fact), fact.value) != fact.value]
        return changes, len(changes.superseded) + len(changes.deleted) + len(outdated)

    def _recording(self, now: datetime) -> Recording:
        """Return how this turn's facts are recorded; their ids rise in the order they were said."""
        randomness = int.from_bytes(self._services.adapters.entropy.token(9))
        ids = (time_ordered_id(now, (randomness + i).to_bytes(10)) for i in count())
        return Recording(
            turn_id=self._turn.turn_id,
            user_id=self._turn.user_id,
            now=now,
            new_id=lambda: next(ids),
            l1_days=self._settings.l1_retention_days,
            l2_days=self._settings.l2_retention_days,
        )

    def _write(self, claim: Claim, lease: Lease, delta: _Delta) -> None:
        transact(self._services, lambda: self._writes(claim, lease, delta), _raise_if_lost, self._requests)

    def _writes(self, claim: Claim, lease: Lease, delta: _Delta) -> list[Write]:
        if self._services.adapters.clock.now() - delta.now > ON_TIME:
            raise ResourceBusy("the commit was held up for too long; nothing was written", {"resource": "session"})
        log, session = self._services.log, self._session
        append = log.append(session.tenant, session.project, self._owner, self._entry(delta))
        return [
            self._event_write(delta),
            append,
            *log.in_order(append),
            self._head_write(lease, delta),
            self._services.guards.done(claim, delta.seq),
            *self._registration(lease),
        ]

    def _requests(self) -> list[Callable[[], None]]:
        """Return the call that has the log's tail indexed, where it has grown long; if it fails, a later turn asks."""
        job = self._services.log.wanted(self._session.tenant, self._session.project, self._owner)
        if job is None:
            return []

        def send() -> None:
            with suppress(CairnError):
                self._services.adapters.jobs.send([job])

        return [send]

    def _event_write(self, delta: _Delta) -> Put:
        where = Key(session_pk(self._session), event_sk(delta.seq))
        records = [event.to_record() for event in delta.events]
        content = self._services.vault.seal(self._session.tenant, where, records)
        return Put(StoredTurn(where, delta.seq, rfc3339(delta.now), content).to_item(), ABSENT)

    def _entry(self, delta: _Delta) -> LogEntry:
        turn = TurnEntry.of(self._turn.turn_id, delta.seq, delta.events)
        return LogEntry(session_id=self._session.session_id, at=delta.now, turn=turn, changes=delta.changes)

    def _head_write(self, lease: Lease, delta: _Delta) -> Update:
        return Update(
            lease.key(),
            set={
                "seq": delta.seq,
                "turn_id": self._turn.turn_id,
                "updated_at": rfc3339(delta.now),
                **naming(dict.fromkeys([*lease.head.owners, self._owner])),
                **lease.begun(),
                **due.no_later_than(self._session, lease.head, delta.now + due.interval(self._settings)).set,
            },
            add={
                "version": 1,
                "events": len(delta.events),
                "facts_written": len(delta.changes.added),
                "facts_superseded": delta.superseded,
            },
            remove=("lease_owner", "lease_until"),
            condition=lease.held(),
        )

    def _registration(self, lease: Lease) -> list[Write]:
        """Make a log known to its project when the session first writes to it."""
        if self._owner in lease.head.owners:
            return []
        pk = registry_pk(self._session.tenant, self._session.project)
        return [Put({"pk": pk, "sk": registry_sk(self._owner)})]

    def _abandon(self) -> None:
        if self._claim is not None and not self._claim.done:
            self._services.guards.give_back(self._claim)
        if self._lease is not None:
            self._services.sessions.release(self._lease)


def _said_by_user(events: Sequence[Event], inputs: int) -> list[tuple[str, str]]:
    said = [(event.id, text_of(event.item)) for event in events[:inputs] if role_of(event.item) == "user"]
    return [(name, text) for name, text in said if text]


def _raise_if_lost(_: Sequence[Write], refused: TransactionRefused) -> None:
    if any(reason is not None and reason.code == "condition" for reason in refused.reasons):
        message = "another call took this turn or its session over; nothing was written"
        raise ResourceBusy(message, {"resource": "session"}) from refused
