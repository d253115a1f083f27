"""Read and lease sessions: the head with the lease, the newest events and summaries."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from cairn.conversation.events import Event
from cairn.ground.adapters import Adapters
from cairn.ground.attributes import number, text
from cairn.ground.codec import epoch_ms
from cairn.ground.damage import sound
from cairn.ground.errors import (
    CairnError,
    ConditionFailed,
    Conflict,
    CorruptData,
    ResourceBusy,
    StoreError,
    TransactionRefused,
    Unavailable,
)
from cairn.ground.ids import is_branch
from cairn.ground.paging import every
from cairn.ground.session import Session
from cairn.ground.settings import LONGEST_LEASE, MemorySettings
from cairn.ground.table import (
    ABSENT,
    AllOf,
    AnyOf,
    Attributes,
    Condition,
    Equals,
    Key,
    LessThan,
    Missing,
    Put,
    Query,
    Update,
    prefix_range,
    tenant_of,
)
from cairn.log.branches import Branches
from cairn.sessions.branched import Beginning, BranchedSessions
from cairn.sessions.due import KEPT, EntryChange
from cairn.sessions.head import BEGUN, Head
from cairn.sessions.layout import FIRST_EVENT, HEAD, LAST_EVENT, NEWEST_SUMMARY, compact_sk, session_pk
from cairn.sessions.recent_turns import Recent, RecentTurns, events_of, turns_of
from cairn.sessions.summary import StoredSummary, Summary
from cairn.vault.vault import Vault

FIRST_WAIT_SECONDS = 0.025
LONGEST_WAIT_SECONDS = 0.4


@dataclass(frozen=True, slots=True)
class Lease:
    """Allows this call alone to commit to the session; holds the head as it was when the lease was taken."""

    session: Session
    owner: str
    head: Head

    @property
    def seq(self) -> int:
        """Return the number of the session's newest turn, 0 where there is none."""
        return self.head.seq

    def held(self) -> Condition:
        """Return the condition that every write under this lease carries: nobody took it over since."""
        return AllOf((Equals("fence", self.head.fence), Equals("lease_owner", self.owner)))

    def key(self) -> Key:
        """Return where the head is."""
        return Key(session_pk(self.session), HEAD)

    def begun(self) -> Attributes:
        """Return what the first commit tells the head, so that no session begun anew is taken for this one."""
        return {BEGUN: self.head.begun or self.owner}


def _as_held(head: Attributes) -> Condition:
    """Return the condition that nobody has taken the lease over since."""
    return AllOf((Equals("fence", number(head, "fence")), Equals("lease_owner", text(head, "lease_owner"))))


class Sessions:
    """Reads and leases sessions."""

    def __init__(self, adapters: Adapters, vault: Vault, branches: Branches | None = None) -> None:
        """Start with no turns in memory; what is known of branches is shared with the logs."""
        self._adapters = adapters
        self._vault = vault
        self._recent = RecentTurns(adapters, vault)
        self._branched = BranchedSessions(adapters, vault, branches or Branches(adapters), self._recent)

    def try_lease(self, session: Session, owner: str, seconds: int) -> Lease | None:
        """Take the session's lease if it is free or its holder's time is up; None if somebody holds it."""
        if is_branch(session.project):
            with suppress(Conflict):  # it is being closed: nothing is added, and what it has may be erased
                self._branched.open(session)
        now = self._adapters.clock.now()
        until = now + timedelta(seconds=seconds)
        free = AnyOf((Missing("lease_until"), LessThan("lease_until", epoch_ms(now))))
        take = Update(
            key=Key(session_pk(session), HEAD),
            set={"lease_owner": owner, "lease_until": epoch_ms(until)},
            add={"fence": 1},
            condition=free,
        )
        try:
            head = self._adapters.table.update(take)
        except ConditionFailed as held:
            if held.item is None or not self._is_abandoned(held.item, now):
                return None
            try:
                head = self._adapters.table.update(replace(take, condition=_as_held(held.item)))
            except ConditionFailed:
                return None
        except ValueError as error:
            raise CorruptData("a session's head has no number as its fence") from error
        try:
            return Lease(session, owner, Head.of(head))
        except CorruptData:
            remove, held_by = ("lease_owner", "lease_until"), Equals("lease_owner", owner)
            with suppress(StoreError, CairnError):  # or it ends with its time
                self._adapters.table.update(Update(take.key, remove=remove, condition=held_by))
            raise

    def _is_abandoned(self, head: Attributes, now: datetime) -> bool:
        """Tell whether a lease's holder is gone, or its end so far off that a clock was wrong which has set it."""
        is_wrong = number(head, "lease_until") > epoch_ms(now + LONGEST_LEASE)
        return is_wrong or self._adapters.holders().is_gone(text(head, "lease_owner"))

    def lease(self, session: Session, owner: str, settings: MemorySettings) -> Lease:
        """Take the lease, waiting for its holder; ResourceBusy after session_lock_timeout_ms."""
        deadline = self._adapters.clock.now() + timedelta(milliseconds=settings.session_lock_timeout_ms)
        wait = FIRST_WAIT_SECONDS
        while (lease := self.try_lease(session, owner, settings.guard_lease_seconds)) is None:
            left = (deadline - self._adapters.clock.now()).total_seconds()
            # More than the whole time is left only where the clock was turned back.
            if not 0 < left <= settings.session_lock_timeout_ms / 1000:
                raise ResourceBusy("the session is being written by another call", {"resource": "session"})
            self._adapters.clock.sleep(min(wait, left))
            wait = min(wait * 2, LONGEST_WAIT_SECONDS)
        return lease

    def renew(self, lease: Lease, seconds: int) -> None:
        """Prolong the lease from now; ResourceBusy if it was taken over meanwhile."""
        until = self._adapters.clock.now() + timedelta(seconds=seconds)
        try:
            self._adapters.table.update(
                Update(lease.key(), set={"lease_until": epoch_ms(until)}, condition=lease.held())
            )
        except ConditionFailed as lost:
            raise ResourceBusy("the session was taken over by another call", {"resource": "session"}) from lost

    def release(self, lease: Lease, entry: EntryChange = KEPT) -> None:
        """Give the lease up and change the due entry, if it is still held; what fails here ends with the lease."""
        remove = ("lease_owner", "lease_until", *entry.remove)
        give_up = Update(lease.key(), set=entry.set, remove=remove, condition=lease.held())
        try:
            self._adapters.table.update(give_up)
        except (StoreError, CairnError):
            self._adapters.holders().leave(lease.owner)

    def recent(self, session: Session, items: int) -> Recent:
        """Return the head, the newest summary and the newest turns that together hold at least `items` items."""
        where = self._branched.recent if is_branch(session.project) else self._recent.read
        recent = where(session, items)
        self._adapters.tally.seen(session_pk(session), recent.position)
        return recent

    def beginning(self, session: Session) -> Beginning | None:
        """Return what a session on a branch goes on from, None for one that is on none."""
        return self._branched.beginning(session) if is_branch(session.project) else None

    def events(self, session: Session, item: Attributes) -> tuple[Event, ...]:
        """Return the events of one stored turn."""
        return events_of(self._vault, session, item)

    def summary(self, session: Session) -> Summary | None:
        """Return the newest compact summary, None where nothing was compacted."""
        found = self._adapters.table.get(Key(session_pk(session), NEWEST_SUMMARY))
        return Summary.from_record(self._vault.unseal(session.tenant, found)) if found else None

    def store_summary(self, session: Session, summary: Summary, now: datetime, *, brief: bool = False) -> None:
        """Store and count a summary, beside those before it and as the newest, unless one as new is; no lock is needed.

        Summaries up to one turn are made from the same immutable events: of two at once either is right. A `brief` call
        raises Unavailable soon where others hold the store.
        """
        pk = session_pk(session)
        newer = AnyOf((ABSENT, LessThan("through", summary.through)))
        writes = [
            replace(self._summary_write(Key(pk, compact_sk(summary.through)), summary, now, ABSENT), brief=brief),
            self._summary_write(Key(pk, NEWEST_SUMMARY), summary, now, newer),
        ]
        try:
            self._adapters.table.transact(writes)
        except TransactionRefused as refused:
            if not any(reason is not None and reason.code == "condition" for reason in refused.reasons):
                raise Unavailable("the store refused a summary; try again") from refused
        else:
            self._adapters.tally.compaction()

    def _summary_write(self, where: Key, summary: Summary, now: datetime, condition: Condition) -> Put:
        content = self._vault.seal(tenant_of(where.pk), where, summary.to_record())
        return Put(StoredSummary(where, summary.through, now, content).to_item(), condition)

    def history(self, session: Session) -> Iterator[tuple[int, tuple[Event, ...]]]:
        """Yield every turn ever stored, oldest first, as (number, events): archived ones and raw ones alike.

        Damaged ones are passed over and counted.
        """
        pk = session_pk(session)
        low, high = prefix_range("arc#")
        shards = every(self._adapters.table, Query(pk, low, high))
        for turns in sound(self._adapters, shards, lambda shard: turns_of(self._vault, session, shard)):
            yield from turns
        items = every(self._adapters.table, Query(pk, FIRST_EVENT, LAST_EVENT))
        yield from sound(self._adapters, items, lambda item: (number(item, "seq"), self.events(session, item)))
