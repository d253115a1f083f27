"""Maintain one session: read, compact, archive, sweep, merge and refresh summaries, or erase it if it was left alone.

Each step ends in one write or transaction that holds only under the session's lease, so a run may be stopped anywhere,
done again, or done twice at once. A run that reaches its time limit leaves the rest to the next. A run that ends well
notes when the session falls due again, in the same write that gives the lease up.

Where a language model reads turns in batches, it is asked before the session is leased. What it says is kept first.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from cairn.calls.journal import Journal
from cairn.facts.facts import Changes, Fact, State
from cairn.facts.near_duplicates import merged
from cairn.files import contents
from cairn.files.abstracts import refresh
from cairn.files.summaries import Contents
from cairn.ground.codec import canonical, moment
from cairn.ground.errors import ConditionFailed, ResourceBusy, TransactionRefused, Unavailable
from cairn.ground.ids import SessionId
from cairn.ground.paging import every
from cairn.ground.session import Session
from cairn.ground.table import ABSENT, Check, Delete, Key, Put, Query, Update, Write
from cairn.log.entries import LogEntry
from cairn.log.layout import named_in
from cairn.sessions import due
from cairn.sessions.dropped_blobs import discard, dropping
from cairn.sessions.head import DROPPED, Head
from cairn.sessions.layout import FIRST_EVENT, event_sk, packed_sk, session_pk
from cairn.sessions.services import SessionServices
from cairn.sessions.sessions import Lease
from cairn.sessions.stored_turn import StoredTurn
from cairn.sessions.summary import compact
from cairn.upkeep.ended_facts import How, plan_of
from cairn.upkeep.model import MaintenanceReport
from cairn.upkeep.retention import Retention
from cairn.vault.vault import blob_of

if TYPE_CHECKING:
    from cairn.turns.batches import Answer

ABANDONED_AFTER = timedelta(hours=1)
"""How long the end of a turn is waited for that an agent began."""
TIME_LIMIT = timedelta(seconds=20)
"""How long a run goes on; the gateway gives up after 29 s."""
APPEND_ATTEMPTS = 6
MAX_PACK_TURNS = 90
"""A shard is archived in one transaction of at most 100 writes."""
MAX_PACK_BYTES = 4_000_000
"""How much JSON a shard holds, unless one turn alone holds more: it is packed and unpacked as a whole."""


@dataclass(frozen=True, slots=True)
class _RawTurn:
    """The stored events of one turn, as a shard holds them."""

    seq: int
    at: str
    records: list[dict[str, Any]]
    blob: str | None = None

    @property
    def day(self) -> str:
        """Return the UTC day of the turn, YYYY-MM-DD."""
        return self.at[:10]


class Maintenance:
    """Keeps a session small and tidy without losing anything."""

    def __init__(self, services: SessionServices, journal: Journal) -> None:
        """Work with these parts, and put on record what is erased."""
        self._services = services
        self._retention = Retention(services, journal)

    def run(self, session: Session) -> MaintenanceReport:
        """Do what is due; ResourceBusy if the session stays leased by another call. A session without turns is fine."""
        has_ended = self._end_turns(session)
        head = contents.head_of(self._services, session)
        if head is None:
            return MaintenanceReport()
        settings, clock = self._services.settings.memory_for(session.tenant), self._services.adapters.clock
        began = clock.now()
        answer = self._asked(session, head, began + TIME_LIMIT)
        asked_for = clock.now() - began
        lease = self._services.sessions.lease(session, self._owner(), settings)
        return self._under(lease, clock.now() + TIME_LIMIT - asked_for, answer, again=has_ended)

    def run_due(self, session: Session, until: datetime) -> MaintenanceReport:
        """Do what is due if the session still is, until that moment; ResourceBusy at once where another call holds it.

        No session takes longer than by `run`, so that one does not use up the time of all.
        """
        now = self._services.adapters.clock.now()
        has_ended = self._end_turns(session)
        head = contents.head_of(self._services, session)
        if head is None or not due.is_due(head, now):
            return MaintenanceReport()
        until = min(until, now + TIME_LIMIT)
        answer = self._asked(session, head, until)
        seconds = self._services.settings.memory_for(session.tenant).guard_lease_seconds
        lease = self._services.sessions.try_lease(session, self._owner(), seconds)
        if lease is None:
            raise ResourceBusy("the session is being written by another call", {"resource": "session"})
        return self._under(lease, until, answer, again=has_ended)

    def _asked(self, session: Session, head: Head, until: datetime) -> Answer | None:
        """Return what a language model says of turns that were not read yet, where a tenant has one for that."""
        if not self._services.settings.memory_for(session.tenant).heuristic.reads_batches:
            return None
        ends = self._retention.ends(session, head)
        if ends is not None and ends <= self._services.adapters.clock.now():
            return None
        from cairn.turns.batches import ask  # noqa: PLC0415 - most tenants have no language model

        return ask(self._services, session, head, until)

    def _end_turns(self, session: Session) -> bool:
        """Store turns whose end has not come for long, as far as they are known; tell whether there were any."""
        before = self._services.adapters.clock.now() - ABANDONED_AFTER
        found = [turn for turn in self._services.open_turns.waiting(session) if turn.at <= before]
        if found:
            from cairn.turns.open_turns import end_without_answer  # noqa: PLC0415 - most sessions have none

            end_without_answer(self._services, session, before=before)
        return bool(found)

    def _list_again(self, session: Session) -> None:
        """Have a session with open turns due: one that began during the run may have been listed before its end."""
        waiting = self._services.open_turns.waiting(session)
        if waiting:
            from cairn.turns.open_turns import list_as_due  # noqa: PLC0415 - as above

            list_as_due(self._services, session, waiting[0].user_id)

    def _owner(self) -> str:
        return self._services.adapters.holder()

    def _under(self, lease: Lease, until: datetime, answer: Answer | None, *, again: bool) -> MaintenanceReport:
        """Do what is due under the lease; with `again`, have what this run left behind done by another."""
        if not lease.seq:  # another run erased the session before it was leased
            with suppress(ConditionFailed):
                self._services.adapters.table.delete(Delete(lease.key(), lease.held()))
            self._list_again(lease.session)
            return MaintenanceReport()
        run = _Run(self._services, self._retention, lease, until, answer)
        if again:
            run.falls_due_again()
        try:
            return run.report()
        finally:
            self._services.sessions.release(lease, run.entry)
            self._list_again(lease.session)


class _Run:
    """One run under its lease."""

    def __init__(
        self, services: SessionServices, retention: Retention, lease: Lease, until: datetime, answer: Answer | None
    ) -> None:
        self._services = services
        self._answer = answer
        self._retention = retention
        self._lease = lease
        self._until = until
        self._falls_due: list[datetime] = []
        self.entry = due.KEPT
        self._session = lease.session
        self._settings = services.settings.memory_for(lease.session.tenant)
        self._started = services.adapters.clock.now()
        self._age = timedelta(hours=self._settings.compaction_min_age_hours)

    def _named_in(self, owner: str) -> SessionId:
        return named_in(owner, self._session.project, self._session.session_id)

    def falls_due_again(self) -> None:
        """Have the session due as soon as it may be."""
        self._falls_due.append(self._started)

    def report(self) -> MaintenanceReport:
        """Do what is due, and decide when the session is due again; whoever gives up the lease writes that."""
        ends = self._retention.ends(self._session, self._lease.head)
        if ends is not None:
            self._falls_due.append(ends)
        is_over = ends is not None and self._retention.is_over(self._session, ends)
        report = self._retention.erase(self._lease, self._until) if is_over else self._report()
        self.entry = due.at(self._session, self._next_due() if report.finished else self._started)
        return report

    def _report(self) -> MaintenanceReport:
        read_turns, goes_on = self._read()
        held = contents.read(self._services, self._session, self._lease.head)
        report = MaintenanceReport(compacted_events=self._compact(held), read_turns=read_turns)
        packs, finished = self._pack(held)
        report = replace(report, archived_shards=packs, finished=finished and not goes_on)
        if not finished:
            return report
        report = replace(report, expired_facts=self._sweep(), merged_facts=self._merge())
        self._services.sessions.renew(self._lease, self._settings.guard_lease_seconds)
        report = replace(report, summaries_refreshed=self._refresh())
        self._index()
        return report

    def _read(self) -> tuple[int, bool]:
        """Keep what a language model read; return of how many turns, and whether there are more to be read at once."""
        if not self._settings.heuristic.reads_batches:
            return 0, False
        from cairn.turns.read_back import keep  # noqa: PLC0415

        read = keep(self._services, self._lease, self._answer)
        if read.later is not None:
            self._falls_due.append(read.later)
        self._lease = replace(self._lease, head=replace(self._lease.head, across=read.across))
        return read.turns, read.goes_on

    def _index(self) -> None:
        """Index the session's logs where that is overdue, whoever should have."""
        for owner in self._lease.head.logs:
            job = self._services.log.overdue(self._session.tenant, self._session.project, owner)
            if job is not None:
                self._services.indexer.do(job, self._until - self._services.adapters.clock.now())

    def _next_due(self) -> datetime | None:
        """Return when something falls due next, and no sooner than the interval allows; None where nothing will."""
        soonest = self._services.adapters.clock.now() + due.interval(self._settings)
        return max(soonest, min(self._falls_due)) if self._falls_due else None

    def _compact(self, held: Contents) -> int:
        """Summarise what is older than the newest recent_context_items items; return how many items that covers."""
        previous = self._services.sessions.summary(self._session)
        done = previous.through if previous else 0
        through = self._outside_context(held)
        if through <= done:
            return 0
        summary = compact(previous, held.chunks, through)
        self._services.sessions.store_summary(self._session, summary, self._services.adapters.clock.now())
        return sum(turn.events for turn in held.turns if done < turn.seq <= through)

    def _outside_context(self, held: Contents) -> int:
        """Return the number of the newest turn that stands wholly before the recent context, 0 where none does."""
        items = 0
        for turn in reversed(held.turns):
            if items >= self._settings.recent_context_items:
                return turn.seq
            items += turn.events
        return 0

    def _pack(self, held: Contents) -> tuple[int, bool]:
        """Move old raw events into packs of one day each; return how many, and whether all that were due.

        Blobs of events that an earlier run moved are deleted by this one: nobody still reads who knew the events.
        """
        packs = 0
        for pack in _packs(self._due(self._outside_context(held))):
            if self._services.adapters.clock.now() >= self._until:
                return packs, False
            self._services.sessions.renew(self._lease, self._settings.guard_lease_seconds)
            self._move(pack)
            packs += 1
        if self._lease.head.has_dropped:
            discard(self._services.adapters, self._session, before=self._started)
        return packs, True

    def _due(self, through: int) -> Iterable[_RawTurn]:
        newest = self._started - self._age
        pk = session_pk(self._session)
        if through == 0:
            return
        for item in every(self._services.adapters.table, Query(pk, FIRST_EVENT, event_sk(through))):
            turn = StoredTurn.of(item)
            if (at := moment(turn.at)) > newest:
                self._falls_due.append(at + self._age)
                return
            records = [event.to_record() for event in self._services.sessions.events(self._session, item)]
            yield _RawTurn(turn.seq, turn.at, records, blob_of(item))

    def _move(self, pack: list[_RawTurn]) -> None:
        """Put the pack in place of its raw events, in one transaction."""
        first, last = pack[0], pack[-1]
        where = Key(session_pk(self._session), packed_sk(first.seq))
        content = self._services.vault.seal(self._session.tenant, where, [[turn.seq, turn.records] for turn in pack])
        put = Put({"pk": where.pk, "sk": where.sk, "last": last.seq, "at": last.at, **content}, ABSENT)
        deletes = (Delete(Key(where.pk, event_sk(turn.seq))) for turn in pack)
        blobs = [turn.blob for turn in pack if turn.blob is not None]
        dropped = {DROPPED: True} if blobs else {}
        head = Update(self._lease.key(), set={"archived_through": last.seq, **dropped}, condition=self._lease.held())
        self._transact([put, head, *deletes, *dropping(self._services.adapters, self._session, blobs)])
        if blobs:
            self._falls_due.append(self._started)

    def _sweep(self) -> int:
        """Mark facts past their expiry; they are not recalled either way."""
        count = 0
        for owner in self._lease.head.logs:
            with self._services.log.view(self._session.tenant, self._session.project, owner) as view:
                lapsed = view.ledger.lapsed(self._started, self._named_in(owner))
            ended = tuple(replace(fact, state=State.EXPIRED, valid_to=fact.expires_at) for fact in lapsed)
            count += self._end(owner, ended, "expired")
        return count

    def _merge(self) -> int:
        """End facts that a newer one says in other words."""
        count = 0
        for owner in self._lease.head.logs:
            with self._services.log.view(self._session.tenant, self._session.project, owner) as view:
                live = view.facts(self._started, self._named_in(owner))
            count += self._end(owner, merged(live, self._started), "merged")
            self._falls_due.extend(fact.expires_at for fact in live if fact.expires_at is not None)
        return count

    def _refresh(self) -> int:
        """Refresh the summaries, or have the session due again when they may be."""
        refreshed = refresh(self._services, self._lease)
        if not refreshed:
            minutes = self._settings.summary_refresh_interval_minutes
            self._falls_due.append(self._services.adapters.clock.now() + timedelta(minutes=minutes))
        return refreshed

    def _end(self, owner: str, facts: tuple[Fact, ...], how: How) -> int:
        """End facts, with a plan in the same transaction by which that is taken back; return how many."""
        if facts:
            now: datetime = self._services.adapters.clock.now()
            entry = LogEntry(session_id=self._named_in(owner), at=now, changes=Changes(superseded=facts))
            plan = plan_of(self._services, self._session, owner, facts, how)
            self._append(owner, entry, plan)
            self._services.log.refresh(self._session.tenant, self._session.project, owner)
        return len(facts)

    def _append(self, owner: str, entry: LogEntry, plan: Put) -> None:
        """Append to a log, behind what others append meanwhile."""
        held = Check(self._lease.key(), self._lease.held())
        for _ in range(APPEND_ATTEMPTS):
            append = self._services.log.append(self._session.tenant, self._session.project, owner, entry)
            if self._transact([append, *self._services.log.in_order(append), held, plan]):
                return
        raise Unavailable("others append to the log all the time; run it again")

    def _transact(self, writes: list[Write]) -> bool:
        """Make the writes, all or none; False where others appended to a log first."""
        try:
            self._services.adapters.table.transact(writes)
        except TransactionRefused as refused:
            if self._services.log.was_outrun(writes, refused):
                return False
            if any(reason is not None and reason.code == "condition" for reason in refused.reasons):
                raise ResourceBusy("the session was taken over by another call", {"resource": "session"}) from refused
            raise Unavailable("the store refused a maintenance step; run it again") from refused
        return True


def _packs(turns: Iterable[_RawTurn]) -> Iterable[list[_RawTurn]]:
    """Group turns by UTC day, at most MAX_SHARD_TURNS turns and MAX_SHARD_BYTES together."""
    pack: list[_RawTurn] = []
    held = 0
    for turn in turns:
        size = len(canonical(turn.records))
        full = len(pack) == MAX_PACK_TURNS or held + size > MAX_PACK_BYTES
        if pack and (full or turn.day != pack[0].day):
            yield pack
            pack, held = [], 0
        pack.append(turn)
        held += size
    if pack:
        yield pack
