"""after_turn: claim and lease, extract, commit. Two rounds; the second is one transaction, all or nothing.

A process that has the model loaded adds the turn's vectors in a third.

Where a language model helps to extract, it is asked before, while nothing is held, or by maintenance afterwards.

A turn that was said before now is learnt from as of then: what was said since stands. The order of turns and of logs,
and what falls due, go by the clock.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from itertools import count

from cairn.conversation.events import Event, events_of
from cairn.conversation.turns import Completion
from cairn.facts.facts import Candidate, Fact, Identity, Recording, identity
from cairn.facts.lessons import Lesson
from cairn.facts.proposals import Proposals
from cairn.ground.adapters import Pending
from cairn.ground.codec import rfc3339
from cairn.ground.errors import CorruptData, ResourceBusy, TransactionRefused
from cairn.ground.ids import Project, Tenant, time_ordered_id
from cairn.ground.session import Session
from cairn.ground.table import Put, Update, Write, key_of
from cairn.ground.trust import Trust
from cairn.log.entries import LogEntry
from cairn.log.layout import across, log_owner, named_in
from cairn.log.ledger import unspoken
from cairn.log.log import ON_TIME
from cairn.log.memories import Memory
from cairn.log.registry import registered
from cairn.log.view import MemoryView
from cairn.sessions import due
from cairn.sessions.guards import Claim
from cairn.sessions.head import ACROSS, READ_THROUGH, naming
from cairn.sessions.layout import HEAD
from cairn.sessions.services import SessionServices
from cairn.sessions.sessions import Lease
from cairn.sessions.settled_memories import settle
from cairn.sessions.stored_turn import storing
from cairn.sessions.transacting import asking_for, give_vectors, transact
from cairn.turns.echo import NOTHING_STORED, instructions_of, new_inputs_of, read_context
from cairn.turns.forgetting import ending_writes
from cairn.turns.learning import Believed, Learned, learned, learned_here
from cairn.turns.model import CommittedTurn
from cairn.turns.proposing import proposals
from cairn.turns.stating import state
from cairn.turns.taught import Taught
from cairn.turns.telling import Held, Obeyed, Words, obey


def commit(
    services: SessionServices, session: Session, turn: Completion, lessons: Sequence[Lesson] = ()
) -> CommittedTurn:
    """Store the turn once, whatever fails and however often it is sent, with other lessons too.

    ResourceBusy and Unavailable may be retried with the same turn_id; Conflict means the turn_id has another payload.
    """
    return _Commit(services, session, turn, proposals(services, session, turn), lessons).run()


@dataclass(frozen=True, slots=True)
class _Delta:
    """The changes that the turn makes; `now` is when they are made, `at` when the turn was said."""

    seq: int
    now: datetime
    at: datetime
    events: tuple[Event, ...]
    words: Words
    obeyed: Obeyed
    learned: Learned


class _Commit:
    """One call of after_turn."""

    def __init__(
        self,
        services: SessionServices,
        session: Session,
        turn: Completion,
        proposed: Proposals,
        lessons: Sequence[Lesson],
    ) -> None:
        self._services = services
        self._session = session
        self._turn = turn
        self._proposed = proposed
        self._lessons = lessons
        self._settings = services.settings.memory_for(session.tenant)
        self._owner = log_owner(turn.user_id, session.session_id)
        self._across = across(self._owner) if self._settings.across_projects else []
        self._caller = services.adapters.holder()
        self._claim: Claim | None = None
        self._lease: Lease | None = None
        self._context = NOTHING_STORED
        self._appends: list[Put] = []

    def run(self) -> CommittedTurn:
        committed = False
        try:
            claim = Pending(self._take_claim)
            refreshes = [partial(self._refresh, owner) for owner in self._owners]
            listing = self._services.registry.listing(self._session.tenant, self._session.project)
            first = [claim, self._try_lease, self._read_context, *refreshes]
            self._services.adapters.parallel([*listing, *first])
            if claim.result.done:
                return CommittedTurn(replayed=True)
            lease = self._held_lease()
            if self._is_processed(lease):
                self._services.guards.check_replay(claim.result)
                return CommittedTurn(replayed=True)
            delta = self._delta(lease)
            self._write(claim.result, lease, delta)
            committed = True
            give_vectors(self._services, self._session, self._owner, *self._appends)
            self._services.adapters.tally.facts_written(Counter(fact.tier for fact in delta.learned.added))
        finally:
            if not committed:
                self._abandon()
        return CommittedTurn(
            events_written=len(delta.events),
            instructions_left_out=instructions_of(self._turn),
            facts_written=len(delta.learned.added),
            facts_superseded=delta.learned.superseded,
            told=delta.obeyed.told,
            lessons=delta.learned.lessons,
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

    @property
    def _owners(self) -> list[str]:
        """Return the owners of the logs that the turn may change: that of all it says, and that across projects."""
        return [self._owner, *self._across]

    def _refresh(self, owner: str) -> None:
        self._services.log.refresh(self._session.tenant, self._session.project, owner)

    def _held_lease(self) -> Lease:
        """Return the lease, waiting for it if need be, with nothing read before it that has changed since."""
        if self._lease is None:
            self._lease = self._services.sessions.lease(self._session, self._caller, self._settings)
        if self._context.seq != self._lease.seq:
            self._read_context()
        with self._services.log.view(self._session.tenant, self._session.project, self._owner) as view:
            read = view.last_seq(self._session.session_id)
        read_into = self._lease.head.read_into
        if read != self._lease.seq or not self._services.log.has_read(*self._place, self._owner, read_into):
            self._refresh(self._owner)
        for owner in self._across:
            # Where it has read more of the session than there is, a turn was taken back meanwhile.
            if read > self._lease.seq or not self._services.log.has_read(*self._place, owner, self._lease.head.across):
                self._refresh(owner)
        return self._lease

    def _is_processed(self, lease: Lease) -> bool:
        """Tell whether the turn is one of the newest max_processed_turns: a guard is kept for a month only."""
        oldest = lease.seq - self._settings.max_processed_turns
        with self._services.log.view(self._session.tenant, self._session.project, self._owner) as view:
            return view.has_turn(self._session.session_id, self._turn.turn_id, oldest)

    def _delta(self, lease: Lease) -> _Delta:
        now = self._services.adapters.clock.now()
        at = min(self._turn.at or now, now)
        inputs = new_inputs_of(self._services, self._session, self._turn, self._context)
        events = events_of(self._turn, inputs, at)
        words = Words.of(events)
        return _Delta(lease.seq + 1, now, at, events, words, *self._learned(words, lease.seq, at))

    def _learned(self, words: Words, seq: int, now: datetime) -> tuple[Obeyed, Learned]:
        """Return what follows, at a moment, from what was said after turn `seq`."""
        with self._services.log.view(*self._place, self._owner) as view:
            believed, previous = self._believed(view, self._owner, now), view.last_said(self._session.session_id, seq)
        reaching = Believed()
        for owner in self._across:
            with self._services.log.view(*self._place, owner) as view:
                reaching, spoken = self._believed(view, owner, now), view.ledger.said(None)
            # What a project holds from before, and was spoken of since, is no longer believed.
            believed = Believed(unspoken(believed.own, spoken), unspoken(believed.everywhere, spoken))
        here, there = believed.everywhere, reaching.everywhere
        obeyed = self._obeyed(words, [*believed.own, *here, *reaching.own, *there], previous)
        nearness = partial(self._nearness, {self._owner: here, **dict.fromkeys(self._across, there)})
        # What goes by a higher word than the turn's is neither ended nor outdated by it.
        held = [fact for fact in (*here, *there) if fact.trust <= self._trust]
        taught = Taught(self._lessons, words.kept, held)
        of_models = [*self._proposed.candidates(words.kept, [*believed.own, *reaching.own]), *taught.claims]
        own = words.of_user(self._turn.user_id, [*here, *there, *obeyed.found])
        stated, found = state(own, obeyed.found, of_models, held, nearness, self._services.reader)
        proposed = self._news([*stated.claims, *of_models])
        endings = self._news([*stated.endings, *taught.endings, *found])
        recording = self._recording(now)
        if self._across:
            return obeyed, taught.answered(learned(believed, reaching, proposed, endings, recording))
        return obeyed, taught.answered(learned_here(believed, proposed, endings, recording))

    def _nearness(self, held: Mapping[str, Sequence[Fact]], texts: Sequence[str]) -> Sequence[Mapping[str, float]]:
        return self._services.searcher.nearness(self._session, held, texts)

    def _obeyed(self, words: Words, facts: Sequence[Fact], previous: str) -> Obeyed:
        return obey(words, Held(facts, self._memories() if words.forgets else (), previous))

    def _memories(self) -> list[tuple[str, Memory]]:
        """Return the memories that are kept of the user and of the session, with the owners of their logs."""
        of_session = log_owner(None, self._session.session_id)
        if of_session not in self._owners:
            self._refresh(of_session)
        kept: list[tuple[str, Memory]] = []
        for owner in dict.fromkeys((*self._owners, of_session)):
            with self._services.log.view(*self._place, owner) as view:
                kept += [(owner, memory) for memory in view.memories() if self._was_by_then(memory)]
        return kept

    def _believed(self, view: MemoryView, owner: str, now: datetime) -> Believed:
        own = view.facts(now, named_in(owner, self._session.project, self._session.session_id))
        everywhere = view.facts(now, None)
        return Believed(*([fact for fact in side if self._was_by_then(fact)] for side in (own, everywhere)))

    def _was_by_then(self, held: Fact | Memory) -> bool:
        """Tell whether something was recorded when the turn was said, as all is of which the turn names no time."""
        return self._turn.at is None or held.recorded_at <= self._turn.at

    def _news(self, said: Sequence[Candidate]) -> list[Candidate]:
        """Return what is said of matters of which nobody spoke since the turn was said."""
        at, newer = self._turn.at, set[Identity]()
        for owner in self._owners if at is not None and said else ():
            with self._services.log.view(*self._place, owner) as view:
                spoken = view.ledger.said(None)
            newer |= {about for about, last in spoken.items() if at is not None and (last is None or last > at)}
        return [each for each in said if identity(each) not in newer]

    @property
    def _trust(self) -> Trust:
        """Return how far what is learnt is trusted: as the user's own words, or less where the turn is."""
        return min(Trust.USER, self._turn.most)

    @property
    def _place(self) -> tuple[Tenant, Project]:
        return self._session.tenant, self._session.project

    def _recording(self, now: datetime) -> Recording:
        """Return how this turn's facts are recorded; their ids rise in the order they were said."""
        randomness = int.from_bytes(self._services.adapters.entropy.token(9))
        ids = (time_ordered_id(now, (randomness + i).to_bytes(10)) for i in count())
        return Recording(
            turn_id=self._turn.turn_id,
            user_id=self._turn.user_id,
            trust=self._trust,
            now=now,
            new_id=lambda: next(ids),
            l1_days=self._settings.l1_retention_days,
            l2_days=self._settings.l2_retention_days,
        )

    def _write(self, claim: Claim, lease: Lease, delta: _Delta) -> None:
        for owner, memory in delta.obeyed.ended:
            settle(self._services, self._session, owner, memory.id)
        writes, requests = partial(self._writes, claim, lease, delta), partial(self._requests, delta)
        transact(self._services, writes, _raise_if_lost, requests)

    def _writes(self, claim: Claim, lease: Lease, delta: _Delta) -> list[Write]:
        if self._services.adapters.clock.now() - delta.now > ON_TIME:
            raise ResourceBusy("the commit was held up for too long; nothing was written", {"resource": "session"})
        log = self._services.log
        appends = self._appends = log.append_together(*self._place, list(self._entries(delta)), delta.now)
        endings = ending_writes(log, self._session, delta.obeyed.ended, delta.now)
        return [
            self._event_write(delta, appends[0]),
            *appends,
            *endings,
            *log.in_order(*appends, *(write for write in endings if isinstance(write, Put))),
            self._head_write(lease, delta, appends),
            self._services.guards.done(claim, delta.seq),
            *self._registration(lease),
        ]

    def _requests(self, delta: _Delta) -> list[Callable[[], object]]:
        """Return the call that has the turn embedded, and a tail that has grown long indexed."""
        owners = (owner for owner, _ in self._entries(delta))
        return asking_for(self._services, self._services.log.wanted(*self._place, *owners))

    def _event_write(self, delta: _Delta, entry: Put) -> Put:
        records = [event.to_record() for event in delta.events]
        return storing(self._services.vault, self._session, delta.seq, records, entry)

    def _entries(self, delta: _Delta) -> Iterator[tuple[str, LogEntry]]:
        """Yield the entry of each log that is written, by its owner: one across projects only where that changes."""
        turn = delta.words.entry(self._turn.turn_id, delta.seq, delta.events, delta.obeyed.hiding)
        session, most, here = self._session, self._turn.most, delta.learned.here
        yield self._owner, LogEntry(session_id=session.session_id, at=delta.at, turn=turn, changes=here, most=most)
        changes = delta.learned.across
        # That something was said again alone is not worth a second log's writes.
        if changes.added or changes.superseded or changes.deleted:
            for owner in self._across:
                name = named_in(owner, session.project, session.session_id)
                yield owner, LogEntry(session_id=name, at=delta.at, changes=changes, said_in=delta.seq, most=most)

    def _head_write(self, lease: Lease, delta: _Delta, appends: Sequence[Put]) -> Update:
        across_to = max((key_of(append).sk for append in appends[1:]), default="")
        return Update(
            lease.key(),
            set={
                "seq": delta.seq,
                "turn_id": self._turn.turn_id,
                "updated_at": rfc3339(delta.now),
                **naming(dict.fromkeys([*lease.head.owners, self._owner])),
                **({ACROSS: max(across_to, lease.head.across)} if across_to else {}),
                **({READ_THROUGH: delta.seq} if self._settings.heuristic.reads_turns else {}),
                **lease.begun(),
                **due.no_later_than(self._session, lease.head, delta.now + due.interval(self._settings)).set,
            },
            add={
                "version": 1,
                "events": len(delta.events),
                "facts_written": len(delta.learned.added),
                "facts_superseded": delta.learned.superseded,
            },
            remove=("lease_owner", "lease_until"),
            condition=lease.held(),
        )

    def _registration(self, lease: Lease) -> list[Write]:
        """Make a log known to its project when the session first writes to it."""
        if self._owner in lease.head.owners:
            return []
        return [registered(self._session.tenant, self._session.project, self._owner)]

    def _abandon(self) -> None:
        if self._claim is not None and not self._claim.done:
            self._services.guards.give_back(self._claim)
        if self._lease is not None:
            self._services.sessions.release(self._lease)


def _raise_if_lost(writes: Sequence[Write], refused: TransactionRefused) -> None:
    failed = {
        key_of(write).sk
        for write, reason in zip(writes, refused.reasons, strict=False)
        if reason is not None and reason.code == "condition"
    }
    if key_of(writes[0]).sk in failed and HEAD not in failed:
        raise CorruptData("a session's head counts fewer turns than the session has")
    if any(reason is not None and reason.code == "condition" for reason in refused.reasons):
        message = "another call took this turn or its session over; nothing was written"
        raise ResourceBusy(message, {"resource": "session"}) from refused
