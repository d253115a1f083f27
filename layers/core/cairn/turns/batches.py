"""Ask a language model about many stored turns at once, while nothing is held; turns.read_back keeps what it says.

The turns are taken from the memory log, which holds nothing of what was not to be kept. What no longer holds, because
it was taken back or said otherwise since, is not shown either.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from itertools import accumulate, takewhile

from cairn.context.outdated import Outdating
from cairn.facts.facts import Fact
from cairn.facts.proposals import MAX_SAID_CHARACTERS, FactQuestion, Proposals
from cairn.ground.codec import rfc3339
from cairn.ground.errors import ModelFailed
from cairn.ground.ids import TurnId
from cairn.ground.session import Session
from cairn.ground.trust import Trust
from cairn.log.layout import across, log_owner
from cairn.recall.searching import Visibility
from cairn.sessions.head import Head
from cairn.sessions.services import SessionServices

MOST_TURNS = 40
"""How many turns are asked about at once: what is learnt of all of them has to fit into one transaction."""
LONGEST = timedelta(seconds=12)
"""How long a model may think of a batch at most: maintenance has twenty seconds for all it does."""
_NOTHING = Proposals()


@dataclass(frozen=True, slots=True)
class UnreadTurn:
    """A turn that was not read, with the user's words of it that are kept, as (event id, text), and their trust."""

    seq: int
    turn_id: TurnId
    at: datetime
    said: tuple[tuple[str, str], ...]
    trust: Trust = Trust.USER


@dataclass(frozen=True, slots=True)
class Batch:
    """Turns of one owner in their order, and the session's head when they were chosen.

    With them all turns up to number `through` are read.
    """

    owner: str
    head: Head
    turns: tuple[UnreadTurn, ...]
    through: int


@dataclass(frozen=True, slots=True)
class Answer:
    """What a model proposes of a batch, None where it failed."""

    batch: Batch
    proposals: Proposals | None


def ask(services: SessionServices, session: Session, head: Head, until: datetime) -> Answer | None:
    """Return what a model says of the next turns; None where nothing is unread, or it may not be asked yet or any more.

    It has failed too lately, or might take too long.
    """
    model, settings = services.fact_model, services.settings.memory_for(session.tenant).heuristic
    patience = min(timedelta(milliseconds=settings.timeout_ms), LONGEST)
    now = services.adapters.clock.now()
    is_time = head.read_again <= rfc3339(now) and now + patience <= until
    if model is None or head.read_through >= head.seq or not is_time:
        return None
    batch = _next_batch(services, session, head)
    question = _question(services, session, batch)
    if not question.said:
        return Answer(batch, _NOTHING)
    try:
        patient = replace(settings, timeout_ms=patience // timedelta(milliseconds=1))
        return Answer(batch, model.propose(question, patient))
    except ModelFailed:
        return Answer(batch, None)


def standing(services: SessionServices, session: Session, owner: str) -> Outdating:
    """Return what tells which sentences still hold, of all that is known of the owner."""
    believed, deleted, now = list[Fact](), list[Fact](), services.adapters.clock.now()
    for each in owners_of(services, session, owner):
        with services.log.view(session.tenant, session.project, each) as view:
            believed += view.facts(now, None)
            deleted += view.ledger.deleted(None)
    return Outdating(believed, deleted, past=False)


def owners_of(services: SessionServices, session: Session, owner: str) -> list[str]:
    """Return the owners of the logs that may change: that of the turns, and that across projects."""
    reaches = services.settings.memory_for(session.tenant).across_projects
    return [owner, *(across(owner) if reaches else ())]


def _next_batch(services: SessionServices, session: Session, head: Head) -> Batch:
    """Return the next turns that one owner said, fewer the more often a model failed; none where all are gone."""
    refreshes = [partial(services.log.refresh, session.tenant, session.project, owner) for owner in head.owners]
    services.adapters.parallel(refreshes)
    of_owners = ((turn, owner) for owner in head.owners for turn in _unread(services, session, owner, head))
    unread = sorted(of_owners, key=lambda each: each[0].seq)
    first = unread[0][1] if unread else log_owner(None, session.session_id)
    own = [turn for turn, _ in takewhile(lambda each: each[1] == first, unread)]
    turns = _bounded(own, MOST_TURNS >> head.read_failures, MAX_SAID_CHARACTERS >> head.read_failures)
    return Batch(first, head, turns, head.seq if len(turns) == len(unread) else turns[-1].seq)


def _unread(services: SessionServices, session: Session, owner: str, head: Head) -> Iterator[UnreadTurn]:
    said: dict[int, list[tuple[str, str]]] = {}
    trust: dict[int, Trust] = {}
    with services.log.view(session.tenant, session.project, owner) as view:
        for chunk in view.chunks(session.session_id):
            if chunk.role == "user":
                said.setdefault(chunk.seq, []).append((chunk.event_id, chunk.text))
                trust[chunk.seq] = min(chunk.trust, trust.get(chunk.seq, Trust.USER))
        stamps = view.turns(session.session_id)
    for stamp in stamps:
        if head.read_through < stamp.seq <= head.seq:
            words = tuple(said.get(stamp.seq, ()))
            yield UnreadTurn(stamp.seq, stamp.turn_id, stamp.at, words, trust.get(stamp.seq, Trust.USER))


def _bounded(turns: Sequence[UnreadTurn], most: int, characters: int) -> tuple[UnreadTurn, ...]:
    """Return the first turns that are not too many and not too long together, but at least one if there is one."""
    lengths = accumulate(sum(len(text) for _, text in turn.said) for turn in turns[:most])
    fitting = sum(length <= characters for length in lengths)
    return tuple(turns[: max(1, fitting)])


def _question(services: SessionServices, session: Session, batch: Batch) -> FactQuestion:
    owners = owners_of(services, session, batch.owner)
    services.adapters.parallel(
        [partial(services.log.refresh, session.tenant, session.project, each) for each in owners[1:]]
    )
    holds = standing(services, session, batch.owner)
    said = (holds.kept(event, text).text for turn in batch.turns for event, text in turn.said)
    seen = Visibility(session, batch.owner, "session", len(owners) > 1)
    believed = services.searcher.believed(seen, owners)
    words = (text for text in said if any(map(str.isalnum, text)))
    return FactQuestion(said=tuple(words), believed=tuple(believed), of_batch=True)
