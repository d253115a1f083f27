"""recall: texts, memories and facts in one ranking, filtered before any limit, as they are now or were at a time."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import accumulate, islice
from typing import TYPE_CHECKING

from cairn.conversation import token_count as tokens
from cairn.facts.facts import Fact, subject
from cairn.ground.session import Session
from cairn.log.entries import Chunk
from cairn.log.memories import Memory
from cairn.memories.model import Question, Recalled, Recollection
from cairn.recall.filter import Wanted
from cairn.recall.searching import Search, Sight
from cairn.sessions.open_logs import memory_owners, open_logs, sight_of
from cairn.sessions.parts import Parts

if TYPE_CHECKING:
    from cairn.recall.answer import Answer, Hit
    from cairn.recall.collection import Found

MOST_TOKENS = 4000
"""How much one answer takes of a model's context; what does not fit is told on the next page."""


def recollect(parts: Parts, session: Session, question: Question) -> Recalled:
    """Return what answers the question, the best first or, without a query, the newest memories and facts."""
    sight = sight_of(parts, session, question.user_id)
    keepers = memory_owners(session, question.user_id)
    owners = open_logs(parts, sight, keepers)
    wanted = Wanted(
        at=question.as_of,
        type=question.type,
        min_confidence=question.min_confidence,
        include_superseded=question.include_superseded,
    )
    search = Search(
        query=question.query,
        texts=owners if question.query and question.type in {None, "turn"} else (),
        memories=keepers,
        facts=_facts(parts, sight, owners, wanted) if question.type != "turn" else {},
        wanted=wanted,
        mode=question.mode,
    )
    with parts.recall.answering(sight, search) as answer:
        return _best(answer, question) if question.query else _newest(answer, question)


def _facts(parts: Parts, sight: Sight, owners: Sequence[str], wanted: Wanted) -> dict[str, list[Fact]]:
    """Return what is believed, by whose log it is in; what was believed, or replaced, takes a log's history."""
    if wanted.at is None and not wanted.include_superseded:
        held = parts.recall.beliefs(sight, owners)
    else:
        held = {owner: _believed_at(parts, sight, owner, wanted) for owner in owners}
    return {owner: [fact for fact in facts if wanted.covers("fact", fact.confidence)] for owner, facts in held.items()}


def _believed_at(parts: Parts, sight: Sight, owner: str, wanted: Wanted) -> list[Fact]:
    session = sight.session_of(owner)
    with parts.log.view(sight.session.tenant, sight.session.project, owner) as view:
        past = view.past(wanted.at or parts.world.clock.now())
    return [*past.facts(session), *(past.superseded(session) if wanted.include_superseded else ())]


def _best(answer: Answer, question: Question) -> Recalled:
    """Return the best."""

    def told(hit: Hit) -> Recollection:
        why = answer.why(hit) if question.explain else None
        return replace(_recollection(answer.read(hit)), score=hit.score, found_by=answer.found_by, why=why)

    return _page(map(told, answer.hits()), answer.matched, answer.searched, question)


def _newest(answer: Answer, question: Question) -> Recalled:
    """Return the newest of all that may be found."""
    return _page(map(_recollection, answer.newest()), answer.searched, answer.searched, question)


def _page(found: Iterable[Recollection], count: int, searched: int, question: Question) -> Recalled:
    """Return as many as are asked for and fit, of all that were found; at least one, however long it is."""
    page = list(islice(found, question.skip, question.skip + question.limit))
    if sum(len(each.content.encode()) for each in page) > MOST_TOKENS:  # a token has a byte at least
        spent = list(accumulate(tokens.count(each.content) for each in page))
        page = page[: max(1, bisect_right(spent, MOST_TOKENS))]
    return Recalled(found=tuple(page), more=max(0, count - question.skip - len(page)), searched=searched)


def _recollection(found: Found) -> Recollection:
    """Return what is told of something found; a text says when, in which session and by whom it was said."""
    match found:
        case Chunk():
            return Recollection(
                id=found.event_id,
                content=f"{found.at:%Y-%m-%d}, {found.session_id}, {found.speaker}: {found.text}",
                type="turn",
                confidence=1.0,
                timestamp=found.at,
                kind="turn",
                session_id=found.session_id,
                turn_id=found.turn_id,
            )
        case Memory():
            return Recollection(
                id=found.id,
                content=found.content,
                type=found.type,
                confidence=found.confidence,
                timestamp=found.recorded_at,
                kind="memory",
            )
        case Fact():
            return Recollection(
                id=found.id,
                content=f"{subject(found)}: {found.value}",
                type="fact",
                confidence=found.confidence,
                timestamp=found.recorded_at,
                kind="fact",
            )
