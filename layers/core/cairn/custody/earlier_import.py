"""Import a session from the legacy layout under its lease, in steps that can be stopped and repeated.

First the ids of its processed turns, so that none of them is ever committed again; then its facts; then its turns, some
at a time. The head says how far that came. A session with turns of its own keeps them and gets no others: canonical
memory goes before legacy memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from hashlib import sha256

from cairn.custody.earlier_layout import EarlierHistory, EarlierTurn, facts_of
from cairn.facts.facts import Changes, Fact, to_record
from cairn.ground.codec import canonical, rfc3339
from cairn.ground.errors import ConditionFailed, ResourceBusy, TransactionRefused, Unavailable
from cairn.ground.ids import TurnId, UserId
from cairn.ground.session import Session
from cairn.ground.table import Key, Put, Scalar, Update, Write, key_of
from cairn.ground.trust import Trust
from cairn.log.entries import LogEntry, TurnEntry
from cairn.log.layout import is_entry, log_owner
from cairn.log.newest import TICK
from cairn.log.registry import registered
from cairn.sessions import due
from cairn.sessions.head import naming
from cairn.sessions.layout import event_sk, session_pk
from cairn.sessions.services import SessionServices
from cairn.sessions.sessions import Lease
from cairn.sessions.stored_turn import StoredTurn

MOST_TURNS = 30
"""How many turns one transaction of at most 100 writes takes over."""
MOST_BYTES = 1_000_000
"""How much JSON of events one transaction takes over, unless one turn alone has more."""
GUARDS_AT_ONCE = 8
AHEAD = timedelta(seconds=5)
"""How far the ids of log entries, one tick apart, may be ahead of the clock."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """What was imported; `kept` means that the session has turns of its own, so that only processed turns' ids were."""

    turns: int = 0
    facts: int = 0
    processed: int = 0
    kept: bool = False


class EarlierImport:
    """Imports sessions, one at a time."""

    def __init__(self, services: SessionServices) -> None:
        """Work with these parts."""
        self._services = services

    def run(self, session: Session, history: EarlierHistory, user: UserId | None = None) -> Imported:
        """Take over what is not yet; what names no user is this user's. ResourceBusy while others hold the session."""
        services = self._services
        settings = services.settings.memory_for(session.tenant)
        lease = services.sessions.lease(session, services.adapters.holder(), settings)
        try:
            return _Import(services, lease, user).run(history)
        finally:
            services.sessions.release(lease)


class _Import:
    """One run under its lease."""

    def __init__(self, services: SessionServices, lease: Lease, user: UserId | None) -> None:
        self._services = services
        self._lease = lease
        self._session = lease.session
        self._user = user
        self._settings = services.settings.memory_for(lease.session.tenant)
        self._seq = lease.seq
        self._owners = list(lease.head.owners)
        self._logged_at = services.adapters.clock.now()

    def run(self, history: EarlierHistory) -> Imported:
        processed = self._guard([*history.processed, *(turn.turn_id for turn in history.turns)])
        head = self._lease.head
        if self._seq > head.legacy_through and head.legacy != "importing":
            return Imported(processed=processed, kept=True)
        facts = self._take_facts(history)
        turns = self._take_turns(history.turns)
        if head.legacy == "importing" or facts or turns:
            self._transact([self._head({"legacy": "done"})])
        return Imported(turns=turns, facts=facts, processed=processed)

    def _guard(self, turns: Iterable[TurnId]) -> int:
        """Write the guards of turns that have none; return how many."""
        names = list(dict.fromkeys(turns))
        written = 0
        for start in range(0, len(names), GUARDS_AT_ONCE):
            calls = [partial(self._guard_one, name) for name in names[start : start + GUARDS_AT_ONCE]]
            written += sum(1 for done in self._services.adapters.parallel(calls) if done)
        return written

    def _guard_one(self, turn: TurnId) -> bool:
        with suppress(ConditionFailed):
            self._services.adapters.table.put(self._services.guards.processed(self._session, turn))
            return True
        return False

    def _take_facts(self, history: EarlierHistory) -> int:
        """Add the facts where they are not those that were added before; the same ones again would change nothing."""
        facts = facts_of(history.facts, self._services.adapters.clock.now(), self._settings)
        known = sha256(canonical([to_record(fact) | {"state": "", "valid_to": ""} for fact in facts])).hexdigest()
        if not facts or self._lease.head.legacy_facts == known:
            return 0
        by_owner: dict[str, list[Fact]] = {}
        for fact in facts:
            user = UserId(fact.source.user_id) if fact.source.user_id else self._user
            by_owner.setdefault(log_owner(user, self._session.session_id), []).append(fact)
        now = self._services.adapters.clock.now()
        writes: list[Write] = []
        for owner, held in by_owner.items():
            self._services.log.refresh(self._session.tenant, self._session.project, owner)
            entry = LogEntry(
                session_id=self._session.session_id, at=now, changes=Changes(added=tuple(held)), most=Trust.IMPORT
            )
            writes.extend(self._in_order(self._log_writes(owner, entry)))
        changes: dict[str, Scalar] = {"legacy": "importing", "legacy_facts": known}
        self._transact([*writes, self._head(changes, {"facts_written": len(facts)})])
        return len(facts)

    def _take_turns(self, turns: Iterable[EarlierTurn]) -> int:
        known = self._known()
        taken = 0
        for some in _batches(turn for turn in turns if turn.turn_id not in known):
            self._services.sessions.renew(self._lease, self._settings.guard_lease_seconds)
            writes = self._in_order([write for turn in some for write in self._turn_writes(turn)])
            changes: dict[str, Scalar] = {
                "legacy": "importing",
                "legacy_through": self._seq,
                "seq": self._seq,
                "turn_id": some[-1].turn_id,
            }
            self._transact([*writes, self._head(changes, {"events": sum(len(turn.events) for turn in some)})])
            taken += len(some)
        return taken

    def _known(self) -> set[TurnId]:
        """Return which turns the session has."""
        found: set[TurnId] = set()
        for owner in self._owners:
            self._services.log.refresh(self._session.tenant, self._session.project, owner)
            with self._services.log.view(self._session.tenant, self._session.project, owner) as view:
                found.update(stamp.turn_id for stamp in view.turns(self._session.session_id))
        return found

    def _turn_writes(self, turn: EarlierTurn) -> list[Write]:
        self._seq += 1
        where = Key(session_pk(self._session), event_sk(self._seq))
        content = self._services.vault.seal(self._session.tenant, where, [event.to_record() for event in turn.events])
        stored = StoredTurn(where, self._seq, rfc3339(turn.at), content)
        entry = LogEntry(
            session_id=self._session.session_id,
            at=turn.at,
            turn=TurnEntry.of(turn.turn_id, self._seq, turn.events),
            most=Trust.IMPORT,
        )
        owner = log_owner(turn.user_id or self._user, self._session.session_id)
        return [Put(stored.to_item()), *self._log_writes(owner, entry)]

    def _log_writes(self, owner: str, entry: LogEntry) -> list[Write]:
        """Return the writes that append to a log, after what was appended before, and make it known to its project."""
        session = self._session
        append = self._services.log.append(session.tenant, session.project, owner, entry, self._next_moment())
        if owner in self._owners:
            return [append]
        self._owners.append(owner)
        for make_known in self._services.registry.listing(session.tenant, session.project):
            make_known()
        return [append, registered(session.tenant, session.project, owner)]

    def _in_order(self, writes: list[Write]) -> list[Write]:
        appends = [write for write in writes if isinstance(write, Put) and is_entry(key_of(write).sk)]
        return [*writes, *self._services.log.in_order(*appends)]

    def _next_moment(self) -> datetime:
        clock = self._services.adapters.clock
        self._logged_at = max(self._logged_at + TICK, clock.now())
        if self._logged_at - clock.now() > AHEAD:
            clock.sleep(AHEAD.total_seconds())
        return self._logged_at

    def _head(self, changes: dict[str, Scalar], counts: dict[str, int] | None = None) -> Update:
        now = self._services.adapters.clock.now()
        entry = due.no_later_than(self._session, self._lease.head, now + due.interval(self._settings))
        named = naming(self._owners)
        fixed: dict[str, Scalar] = {"updated_at": rfc3339(now), **named, **self._lease.begun(), **entry.set}
        add = {"version": 1, **(counts or {})}
        return Update(self._lease.key(), set={**fixed, **changes}, add=add, condition=self._lease.held())

    def _transact(self, writes: list[Write]) -> None:
        try:
            self._services.adapters.table.transact(writes)
        except TransactionRefused as refused:
            if self._services.log.was_outrun(writes, refused):
                raise Unavailable("others appended to the log meanwhile; run the import again") from refused
            if any(reason is not None and reason.code == "condition" for reason in refused.reasons):
                raise ResourceBusy("the session was taken over by another call", {"resource": "session"}) from refused
            raise Unavailable("the store refused a step of the import; run it again") from refused


def _batches(turns: Iterable[EarlierTurn]) -> Iterator[list[EarlierTurn]]:
    batch: list[EarlierTurn] = []
    held = 0
    for turn in turns:
        size = len(canonical([event.to_record() for event in turn.events]))
        if batch and (len(batch) == MOST_TURNS or held + size > MOST_BYTES):
            yield batch
            batch, held = [], 0
        batch.append(turn)
        held += size
    if batch:
        yield batch
