"""recall: rank texts, memories and facts together, filtered before any limit, as of now or of a past time."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import accumulate, islice
from typing import TYPE_CHECKING

from cairn.conversation import token_count as tokens
from cairn.facts.facts import Fact, subject
from cairn.ground.ids import TurnId
from cairn.ground.session import Session
from cairn.log.entries import Chunk
from cairn.log.layout import is_across
from cairn.log.ledger import Spoken, current
from cairn.log.memories import Memory
from cairn.memories import in_words
from cairn.memories.model import RecalledItem, RecallRequest, RecallResult
from cairn.recall.filter import Filter
from cairn.recall.searching import Search, Visibility, readings
from cairn.sessions.open_logs import memory_owners, open_logs, visibility_of
from cairn.sessions.services import SessionServices

if TYPE_CHECKING:
    from cairn.recall.answer import Answer, Hit
    from cairn.recall.collection import Found

MOST_TOKENS = 4000
"""How much one answer takes of a model's context; what does not fit is told on the next page."""


def recall(services: SessionServices, session: Session, request: RecallRequest) -> RecallResult:
    """Return what answers the question, the best first or, without a query, the newest memories and facts."""
    visibility = visibility_of(services, session, request.user_id, request.scope, request.at)
    owners_of_memories = memory_owners(visibility, request.user_id)
    owners = open_logs(services, visibility, owners_of_memories)
    filter_ = Filter(
        at=request.as_of,
        type=request.type,
        min_confidence=request.min_confidence,
        include_superseded=request.include_superseded,
        min_trust=request.min_trust,
    )
    texts = owners if request.query and request.type in {None, "turn"} else ()
    facts = _facts(services, visibility, owners, filter_) if request.type != "turn" else {}
    if texts and not request.include_superseded:
        facts = readings(facts)
    search = Search(
        query=request.query,
        texts=texts,
        memories=owners_of_memories,
        facts=facts,
        filter=filter_,
        mode=request.mode,
    )
    with services.searcher.answering(visibility, search) as answer:
        return _best(answer, request) if request.query else _newest(answer, request)


def _facts(
    services: SessionServices, visibility: Visibility, owners: Sequence[str], filter_: Filter
) -> dict[str, list[Fact]]:
    """Return what is believed, by whose log it is in; what was believed, or replaced, takes a log's history."""
    if filter_.at is None and not filter_.include_superseded:
        held = services.searcher.beliefs(visibility, owners)
    else:
        held = _believed_at(services, visibility, owners, filter_)
    return {
        owner: [fact for fact in facts if filter_.covers("fact", fact.confidence) and fact.trust >= filter_.min_trust]
        for owner, facts in held.items()
    }


def _believed_at(
    services: SessionServices, visibility: Visibility, owners: Sequence[str], filter_: Filter
) -> dict[str, list[Fact]]:
    held, spoken, where = dict[str, list[Fact]](), dict[str, Spoken](), visibility.session
    for owner in owners:
        session = visibility.session_of(owner)
        with services.log.view(where.tenant, where.project, owner) as view:
            history = view.history(filter_.at or visibility.at or services.adapters.clock.now())
        held[owner] = [*history.facts(session), *(history.superseded(session) if filter_.include_superseded else ())]
        if is_across(owner):
            spoken[owner] = history.said(session)
    return held if filter_.include_superseded else current(held, spoken)


def _best(answer: Answer, request: RecallRequest) -> RecallResult:
    """Return the best."""

    def recalled(hit: Hit) -> RecalledItem:
        why = answer.why(hit) if request.explain else None
        return replace(_recalled_item(answer.read(hit)), score=hit.score, found_by=answer.found_by, why=why)

    page = _page(map(recalled, answer.hits()), answer.matched, answer.searched, request)
    likelihood = answer.likelihood
    return replace(
        page,
        by=answer.found_by,
        without_vector=answer.without_vector,
        likelihood=likelihood.value,
        says=in_words.of_a_question(request, answer.searched, answer.matched, likelihood),
    )


def _newest(answer: Answer, request: RecallRequest) -> RecallResult:
    """Return the newest of all that may be found."""
    page = _page(map(_recalled_item, answer.newest()), answer.searched, answer.searched, request)
    return replace(page, says=in_words.of_the_newest(request, answer.searched))


def _page(found: Iterable[RecalledItem], count: int, searched: int, request: RecallRequest) -> RecallResult:
    """Return as many as are asked for and fit, of all that were found; at least one, however long it is."""
    page = list(islice(found, request.skip, request.skip + request.limit))
    if sum(len(each.content.encode()) for each in page) > MOST_TOKENS:  # a token has a byte at least
        spent = list(accumulate(tokens.count(each.content) for each in page))
        page = page[: max(1, bisect_right(spent, MOST_TOKENS))]
    return RecallResult(found=tuple(page), more=max(0, count - request.skip - len(page)), searched=searched)


def _recalled_item(found: Found) -> RecalledItem:
    """Return what is told of something found; a text says when, in which session and by whom it was said."""
    match found:
        case Chunk():
            return RecalledItem(
                id=found.event_id,
                content=f"{found.at:%Y-%m-%d}, {found.session_id}, {found.speaker}: {found.text}",
                type="turn",
                confidence=1.0,
                timestamp=found.at,
                kind="turn",
                session_id=found.session_id,
                turn_id=found.turn_id,
                speaker=found.speaker,
                words=found.text,
                trust=found.trust,
            )
        case Memory():
            return RecalledItem(
                id=found.id,
                content=found.content,
                type=found.type,
                confidence=found.confidence,
                timestamp=found.recorded_at,
                kind="memory",
                trust=found.trust,
            )
        case Fact():
            return RecalledItem(
                id=found.id,
                content=f"{subject(found)}: {found.value}",
                type="fact",
                confidence=found.confidence,
                timestamp=found.recorded_at,
                kind="fact",
                turn_id=TurnId(found.source.turn_id) if found.source.turn_id else None,
                speaker="user",
                trust=found.trust,
            )
