"""recall: memories and facts in one ranking, filtered before any limit, as they are believed now or were at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Literal

from cairn.domain import layout
from cairn.domain.facts import Fact, subject
from cairn.domain.ids import UserId
from cairn.domain.memories import SCOPES, Memory, Question, Recollection, Wanted
from cairn.domain.ranking import fact_terms
from cairn.domain.search import Corpus, search
from cairn.domain.stretch import memory_terms
from cairn.domain.table import Key
from cairn.domain.terms import terms
from cairn.domain.turns import Session
from cairn.service.parts import Parts
from cairn.service.recall import Sight
from cairn.service.world import Pending


def sight_of(parts: Parts, session: Session, user: UserId | None) -> Sight:
    """Return what a call of this session and user sees of facts."""
    scope = parts.settings_for(session.tenant).recall_scope
    return Sight(session, layout.owner(user, session.session_id), scope)


def memory_owners(session: Session, user: UserId | None) -> list[str]:
    """Return whose logs hold the memories that this session and user see."""
    return list(dict.fromkeys(layout.memory_owner(scope, user, session.session_id) for scope in SCOPES.values()))


def opened(parts: Parts, sight: Sight, further: Sequence[str] = ()) -> list[str]:
    """Bring the logs that hold the facts in sight up to date, and further ones; return the owners of the former.

    One round, and a second one only for logs that the session's head names.
    """
    session = sight.session
    head = Pending(lambda: parts.world.table.get(Key(layout.session_pk(session), layout.HEAD)))
    first = list(dict.fromkeys([sight.owner, *further]))
    refreshes = [lambda owner=owner: parts.log.refresh(session.tenant, session.project, owner) for owner in first]
    parts.world.parallel([lambda: parts.vault.prepare(session.tenant), head, *refreshes])
    others = parts.recall.others(sight, head.result)
    if unread := [owner for owner in others if owner not in first]:
        parts.recall.refresh(sight, unread)
    return [sight.owner, *others]


def recollect(parts: Parts, session: Session, question: Question) -> tuple[Recollection, ...]:
    """Return the memories and facts that answer the question, the best or, without a query, the newest first."""
    sight = sight_of(parts, session, question.user_id)
    keepers = memory_owners(session, question.user_id)
    owners = opened(parts, sight, keepers)
    now = parts.world.clock.now()
    wanted = Wanted(
        at=question.as_of,
        type=question.type,
        min_confidence=question.min_confidence,
        include_superseded=question.include_superseded,
    )
    query = terms(question.query)
    if question.query and not query:
        return ()
    memories = parts.recall.memories(session, keepers, query, wanted, question.limit)
    facts = [fact for fact in _facts(parts, sight, owners, question, now) if wanted.covers("fact", fact.confidence)]
    found = _Candidates(memories, facts)
    return found.ranked(query, question.limit) if question.query else found.newest(question.limit)


def _facts(parts: Parts, sight: Sight, owners: Sequence[str], question: Question, now: datetime) -> Iterator[Fact]:
    """Yield what is believed; what was believed, or replaced, takes the history of each log."""
    if question.as_of is None and not question.include_superseded:
        yield from parts.recall.believed(sight, owners)
        return
    for owner in owners:
        session = sight.session_of(owner)
        with parts.log.view(sight.session.tenant, sight.session.project, owner) as view:
            past = view.past(question.as_of or now)
        yield from past.facts(session)
        if question.include_superseded:
            yield from past.superseded(session)


class _Candidates:
    """Memories and facts, of which the best or the newest are wanted."""

    def __init__(self, memories: Sequence[Memory], facts: Sequence[Fact]) -> None:
        everything: list[Memory | Fact] = [*memories, *facts]
        self._oldest_first = sorted(everything, key=lambda each: (each.recorded_at, each.id))

    def newest(self, limit: int) -> tuple[Recollection, ...]:
        return tuple(_recollection(each, 0.0, "time") for each in self._oldest_first[::-1][:limit])

    def ranked(self, query: Sequence[str], limit: int) -> tuple[Recollection, ...]:
        corpus: Corpus[int] = Corpus()
        for number, each in enumerate(self._oldest_first):
            corpus.add(number, memory_terms(each) if isinstance(each, Memory) else list(fact_terms(each)))
        hits = search([corpus], query, limit=limit)
        return tuple(_recollection(self._oldest_first[number], score, "text") for _, number, score in hits)


def _recollection(found: Memory | Fact, score: float, how: Literal["text", "time"]) -> Recollection:
    is_memory = isinstance(found, Memory)
    return Recollection(
        id=found.id,
        content=found.content if isinstance(found, Memory) else f"{subject(found)}: {found.value}",
        type=found.type if isinstance(found, Memory) else "fact",
        confidence=found.confidence,
        timestamp=found.recorded_at,
        score=score,
        kind="memory" if is_memory else "fact",
        found_by=how,
    )
