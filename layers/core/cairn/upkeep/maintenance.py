"""Maintain one session: read, compact, archive, sweep, merge and refresh summaries, or erase it if it was left alone.

Each step ends in one write or transaction that holds only under the session's lease, so a run may be stopped anywhere,
done again, or done twice at once. A run that reaches its time limit leaves the rest to the next. A run that ends well
notes when the session falls due again, in the same write that gives the lease up.

Where a language model reads turns in batches, it is asked before the session is leased. What it says is kept first.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from cairn.calls.journal import Journal
from cairn.facts.facts import Changes, Fact
from cairn.facts.near_duplicates import merged
from cairn.files import contents
from cairn.files.abstracts import refresh
from cairn.files.summaries import Contents
from cairn.ground.errors import ConditionFailed, ResourceBusy, TransactionRefused, Unavailable
from cairn.ground.ids import SessionId
from cairn.ground.session import Session
from cairn.ground.table import ABSENT, Check, Delete, Key, Put, Update, Write
from cairn.log.entries import LogEntry
from cairn.log.layout import named_in
from cairn.sessions import due
from cairn.sessions.dropped_blobs import discard, dropping
from cairn.sessions.head import DROPPED, Head
from cairn.sessions.layout import event_sk, packed_sk, session_pk
from cairn.sessions.services import SessionServices
from cairn.sessions.sessions import Lease
from cairn.sessions.summary import compact
from cairn.upkeep.ended_facts import How, plan_of
from cairn.upkeep.findings import (
    RawTurn,
    aged_turns,
    events_of,
    in_packs,
    lapsed_facts,
    live_facts,
    outside_context,
)
from cairn.upkeep.model import MaintenanceReport
from cairn.upkeep.retention import Retention

if TYPE_CHECKING:
    from cairn.turns.batches import Answer

ABANDONED_AFTER = timedelta(hours=1)
"""How long the end of a turn is waited for that an agent began."""
TIME_LIMIT = timedelta(seconds=20)
"""How long a run goes on; the gateway gives up after 29 s."""
APPEND_ATTEMPTS = 6


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

    def forecast(self, session: Session) -> MaintenanceReport:
        """Return what run() would do now, as far as that changes or removes what is there; nothing is changed.

        What a language model would read is not asked for.
        """
        head = contents.head_of(self._services, session)
        if head is None:
            return MaintenanceReport()
        ends = self._retention.ends(session, head)
        if ends is not None and self._retention.is_over(session, ends):
            return MaintenanceReport(erased=True)
        from cairn.upkeep.forecast import forecast  # noqa: PLC0415 - no run needs it

        return forecast(self._services, session, head)

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
        through = outside_context(held, self._settings)
        if through <= done:
            return 0
        summary = compact(previous, held.chunks, through)
        self._services.sessions.store_summary(self._session, summary, self._services.adapters.clock.now())
        return events_of(held, done, through)

    def _pack(self, held: Contents) -> tuple[int, bool]:
        """Move old raw events into packs of one day each; return how many, and whether all that were due.

        Blobs of events that an earlier run moved are deleted by this one: nobody still reads who knew the events.
        """
        packs, through = 0, outside_context(held, self._settings)
        aged = aged_turns(self._services, self._session, through, self._started - self._age, self._ages_later)
        for pack in in_packs(aged):
            if self._services.adapters.clock.now() >= self._until:
                return packs, False
            self._services.sessions.renew(self._lease, self._settings.guard_lease_seconds)
            self._move(pack)
            packs += 1
        if self._lease.head.has_dropped:
            discard(self._services.adapters, self._session, before=self._started)
        return packs, True

    def _ages_later(self, at: datetime) -> None:
        self._falls_due.append(at + self._age)

    def _move(self, pack: list[RawTurn]) -> None:
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
            ended = lapsed_facts(self._services, self._session, owner, self._started)
            count += self._end(owner, ended, "expired")
        return count

    def _merge(self) -> int:
        """End facts that a newer one says in other words."""
        count = 0
        for owner in self._lease.head.logs:
            live = live_facts(self._services, self._session, owner, self._started)
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
