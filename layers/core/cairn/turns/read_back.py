"""Keep what a language model read in turns that were stored before, under the session's lease and as of those turns.

What was said since stands: of one subject nothing is learnt that is older than what was last said of it, nor from a
sentence that no longer holds, nor what was taken back. What is learnt of a turn is one entry of its own in each log
that it changes, of the turn's time, and goes with the turn if that is taken back.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import count

from cairn.facts.facts import (
    Candidate,
    Changes,
    Fact,
    Identity,
    Outdated,
    Recording,
    State,
    identity,
    normalise,
)
from cairn.facts.proposals import Proposals
from cairn.ground.codec import moment, rfc3339
from cairn.ground.errors import ResourceBusy, TransactionRefused
from cairn.ground.ids import time_ordered_id
from cairn.ground.session import Session
from cairn.ground.table import Put, Update, Write, key_of
from cairn.log.entries import LogEntry
from cairn.log.layout import is_across, log_pk, logged_at, named_in, user_of
from cairn.log.ledger import Spoken, unspoken
from cairn.log.newest import TICK
from cairn.sessions.head import ACROSS, READ_AGAIN, READ_FAILURES, READ_INTO, READ_THROUGH, Head
from cairn.sessions.services import SessionServices
from cairn.sessions.sessions import Lease
from cairn.sessions.transacting import transact
from cairn.turns.afterwards import Read, still_said
from cairn.turns.batches import Answer, Batch, UnreadTurn, owners_of, standing
from cairn.turns.learning import Believed, Learned, learned, learned_here

MOST_FAILURES = 8
"""After so many a turn is passed over. The batch is that turn alone by then."""
_FIRST_PAUSE, _LONGEST_PAUSE = timedelta(hours=1), timedelta(days=1)
_NOTE = "user_note"


@dataclass(frozen=True, slots=True)
class ReadBack:
    """How many turns were read; when the rest is to be, None where all is read, and whether that is at once.

    `across` is what the session's head then says of logs across projects.
    """

    across: str
    turns: int = 0
    later: datetime | None = None
    goes_on: bool = False


def keep(services: SessionServices, lease: Lease, answer: Answer | None) -> ReadBack:
    """Keep what was answered about the session, unless it was changed or read meanwhile: then it is asked again.

    ResourceBusy where the lease was lost, and nothing is written then.
    """
    head, now = lease.head, services.adapters.clock.now()
    if answer is None or not _is_as_it_was(head, answer.batch.head):
        soonest = moment(head.read_again) if head.read_again else now
        return ReadBack(head.across, later=soonest if head.read_through < lease.seq else None)
    if answer.proposals is None:
        return _failed(services, lease, answer.batch)
    across, batch = _Keeping(services, lease, answer.batch, answer.proposals).run(), answer.batch
    is_all, later = batch.through == batch.head.seq, now if batch.through < lease.seq else None
    return ReadBack(across, len(batch.turns), later, goes_on=not is_all)


def _is_as_it_was(head: Head, before: Head) -> bool:
    """Tell whether a session is the one that was asked about, without a turn less and without another reader."""
    return (head.begun, head.removals, head.read_through) == (before.begun, before.removals, before.read_through)


def _failed(services: SessionServices, lease: Lease, batch: Batch) -> ReadBack:
    """Note that the model failed, so that it is asked about less, and later; what it never reads is passed over."""
    failures = lease.head.read_failures
    gives_up = failures >= MOST_FAILURES
    again = services.adapters.clock.now() + min(_FIRST_PAUSE * 2**failures, _LONGEST_PAUSE)
    said = {READ_THROUGH: batch.turns[0].seq, READ_FAILURES: 0} if gives_up else {READ_FAILURES: failures + 1}
    note = Update(lease.key(), set={**said, READ_AGAIN: rfc3339(again)}, condition=lease.held())
    transact(services, lambda: [note], _raise_if_lost)
    return ReadBack(lease.head.across, later=again)


class _Keeping:
    """Keeps one answer."""

    def __init__(self, services: SessionServices, lease: Lease, batch: Batch, proposals: Proposals) -> None:
        self._services = services
        self._lease = lease
        self._session: Session = lease.session
        self._batch = batch
        self._proposals = proposals
        self._settings = services.settings.memory_for(lease.session.tenant)
        self._owners = owners_of(services, lease.session, batch.owner)
        self._learned: list[tuple[UnreadTurn, Learned]] = []
        self._across_to = lease.head.across

    def run(self) -> str:
        """Keep it, and return what the session's head says of logs across projects."""
        transact(self._services, self._writes, _raise_if_lost)
        self._services.adapters.tally.facts_written(Counter(fact.tier for fact in self._added))
        return self._across_to

    @property
    def _added(self) -> list[Fact]:
        return [fact for _, learnt in self._learned for fact in learnt.added]

    def _writes(self) -> list[Write]:
        """Return what is written; made anew with all that was said meanwhile where others append to the logs."""
        for owner in self._owners:
            self._services.log.refresh(self._session.tenant, self._session.project, owner)
        self._learned = list(self._learn())
        appends = [append for owner in self._owners for append in self._appends(owner)]
        return [self._head_write(appends), *appends, *self._services.log.in_order(*appends)]

    def _learn(self) -> Iterator[tuple[UnreadTurn, Learned]]:
        mind = _Mind(self._services, self._session, self._owners)
        found = self._found([*mind.here.own, *mind.there.own])
        for turn in self._batch.turns:
            candidates = [each.candidate for each in found if each.seq == turn.seq]
            learnt = mind.learn(turn, candidates, self._recording(turn)) if candidates else None
            if learnt is not None:
                yield turn, learnt

    def _found(self, believed: Sequence[Fact]) -> list[Read]:
        """Return what is proven by words that still hold, in the order of the turns."""
        holds = standing(self._services, self._session, self._batch.owner)
        turns = self._batch.turns
        said = [[(event, holds.kept(event, text).text) for event, text in turn.said] for turn in turns]
        of_turns = self._proposals.of_batch(said, believed)
        found = [
            Read(turn.seq, turn.at, each, dict(turn.said).get(each.event_id, ""))
            for turn, candidates in zip(turns, of_turns, strict=True)
            for each in candidates
        ]
        with self._services.log.view(self._session.tenant, self._session.project, self._batch.owner) as view:
            return still_said(view, found)

    def _recording(self, turn: UnreadTurn) -> Recording:
        """Return how what a turn says is recorded: as it would have been then."""
        randomness = int.from_bytes(self._services.adapters.entropy.token(9))
        ids = (time_ordered_id(turn.at, (randomness + i).to_bytes(10)) for i in count())
        return Recording(
            turn_id=turn.turn_id,
            user_id=user_of(self._batch.owner),
            trust=turn.trust,
            now=turn.at,
            new_id=lambda: next(ids),
            l1_days=self._settings.l1_retention_days,
            l2_days=self._settings.l2_retention_days,
        )

    def _appends(self, owner: str) -> Iterator[Put]:
        """Yield the entries of a log, in the order of the turns: of the turns' times, and behind all there is."""
        name = named_in(owner, self._session.project, self._session.session_id)
        soonest = self._services.adapters.clock.now()
        for turn, learnt in self._learned:
            changes = learnt.across if is_across(owner) else learnt.here
            if changes != Changes():
                entry = LogEntry(session_id=name, at=turn.at, changes=changes, said_in=turn.seq)
                append = self._services.log.append(self._session.tenant, self._session.project, owner, entry, soonest)
                soonest = logged_at(key_of(append).sk) + TICK
                yield append

    def _head_write(self, appends: Sequence[Put]) -> Update:
        there = {log_pk(self._session.tenant, self._session.project, each) for each in self._owners[1:]}
        entries = [key_of(each) for each in appends]
        self._across_to = max([self._lease.head.across, *(where.sk for where in entries if where.pk in there)])
        into = max([self._lease.head.read_into, *(where.sk for where in entries)])
        is_all = self._batch.through >= self._lease.seq
        return Update(
            self._lease.key(),
            set={
                READ_THROUGH: self._batch.through,
                **({READ_FAILURES: 0} if is_all and self._lease.head.read_failures else {}),
                **({ACROSS: self._across_to} if self._across_to else {}),
                **({READ_INTO: into} if into else {}),
            },
            add={
                "version": 1,
                "facts_written": len(self._added),
                "facts_superseded": sum(learnt.superseded for _, learnt in self._learned),
            },
            condition=self._lease.held(),
        )


class _Mind:
    """What is believed in the project and across projects, turn by turn, and what was last spoken of when."""

    def __init__(self, services: SessionServices, session: Session, owners: Sequence[str]) -> None:
        now = services.adapters.clock.now()
        self._reaches = len(owners) > 1
        self.here, self._spoken = _believed(services, session, owners[0], now)
        self.there = Believed()
        for owner in owners[1:]:
            self.there, spoken = _believed(services, session, owner, now)
            own, everywhere = unspoken(self.here.own, spoken), unspoken(self.here.everywhere, spoken)
            self.here = Believed(own, everywhere)
            self._spoken = {about: _later(about, self._spoken, spoken) for about in {**self._spoken, **spoken}}

    def learn(self, turn: UnreadTurn, candidates: Sequence[Candidate], recording: Recording) -> Learned | None:
        """Return what a turn's statements change, and believe it; None where that is nothing."""
        clean = {identity(each): fact for each in candidates if (fact := self._statement(each, turn.at)) is not None}
        fresh = [each for each in candidates if identity(each) in clean or self._is_news(each, turn.at)]
        proposed = [replace(each, outdates=_outdated_by(clean.get(identity(each)))) for each in fresh]
        gone = {fact.id for fact in clean.values()}
        here, there = _without(self.here, gone), _without(self.there, gone)
        learnt = (
            learned(here, there, proposed, (), recording)
            if self._reaches
            else learned_here(here, proposed, (), recording)
        )
        learnt = _in_place(learnt, clean, self.there)
        if not (learnt.added or learnt.superseded):
            return None
        self.here, self.there = _after(self.here, learnt.here), _after(self.there, learnt.across)
        return learnt

    def _is_news(self, candidate: Candidate, at: datetime) -> bool:
        """Tell whether nobody spoke since of what a statement is about, nor in its own turn."""
        about = identity(candidate)
        last = self._spoken.get(about)
        return about not in self._spoken or (last is not None and last < at)

    def _statement(self, candidate: Candidate, at: datetime) -> Fact | None:
        """Return the statement, believed in its own words since its turn, that a model now says in short.

        What is pinned stays in its own words.
        """
        is_free = self._is_news(candidate, at)
        is_last = self._spoken.get(identity(candidate)) == at
        held = (*self.here.own, *self.there.own) if not candidate.retracts else ()
        said = (fact for fact in held if _says(fact, candidate) and not fact.pinned)
        return next((fact for fact in said if is_free or (is_last and identity(fact) == identity(candidate))), None)


def _believed(services: SessionServices, session: Session, owner: str, now: datetime) -> tuple[Believed, Spoken]:
    name = named_in(owner, session.project, session.session_id)
    with services.log.view(session.tenant, session.project, owner) as view:
        return Believed(view.facts(now, name), view.facts(now, None)), view.ledger.said(None)


def _says(fact: Fact, candidate: Candidate) -> bool:
    """Tell whether a fact is what was said in its own words, and that is what a candidate quotes."""
    is_whole = normalise(fact.value) == normalise(fact.source.quote) and fact.fact_id != _NOTE
    is_of_event = fact.source.event_id == candidate.event_id
    return is_whole and is_of_event and normalise(candidate.quote) in normalise(fact.value)


def _later(about: Identity, *spoken: Spoken) -> datetime | None:
    """Return when something was last spoken of, None where one log does not know."""
    times = [each[about] for each in spoken if about in each]
    known = [each for each in times if each is not None]
    return max(known) if len(known) == len(times) else None


def _outdated_by(statement: Fact | None) -> tuple[Outdated, ...]:
    return () if statement is None else statement.outdates


def _in_place(learnt: Learned, clean: dict[Identity, Fact], there: Believed) -> Learned:
    """Return what was learnt, with each statement that it says in short ended by that, where it is believed."""
    added = {identity(fact): fact for fact in learnt.added}
    ended = [
        replace(fact, state=State.SUPERSEDED, valid_to=added[about].valid_from, superseded_by=added[about].id)
        for about, fact in clean.items()
        if about in added
    ]
    ids_there = {fact.id for fact in there.own}
    here, across = ([fact for fact in ended if (fact.id in ids_there) is side] for side in (False, True))
    return Learned(
        # What was repeated was not seen later than it is known to have been.
        replace(learnt.here, seen=(), superseded=(*learnt.here.superseded, *here)),
        replace(learnt.across, seen=(), superseded=(*learnt.across.superseded, *across)),
        learnt.superseded + len(ended),
    )


def _without(believed: Believed, gone: set[str]) -> Believed:
    own, everywhere = ([fact for fact in side if fact.id not in gone] for side in (believed.own, believed.everywhere))
    return Believed(own, everywhere)


def _after(believed: Believed, changes: Changes) -> Believed:
    """Return what is believed after these changes."""
    gone = {fact.id for fact in (*changes.superseded, *changes.deleted)}
    about = {identity(fact) for fact in changes.added}
    own, everywhere = (
        [*(fact for fact in side if fact.id not in gone and identity(fact) not in about), *changes.added]
        for side in (believed.own, believed.everywhere)
    )
    return Believed(own, everywhere)


def _raise_if_lost(_: Sequence[Write], refused: TransactionRefused) -> None:
    if any(reason is not None and reason.code == "condition" for reason in refused.reasons):
        raise ResourceBusy("the session was taken over by another call", {"resource": "session"}) from refused
