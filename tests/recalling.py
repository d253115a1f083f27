"""Questions put to one view of a log, past the service that opens logs, and rankings held against each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from itertools import pairwise
from typing import Any, TypeAlias

from cairn.ground.ids import SessionId
from cairn.ground.ports import Embedder
from cairn.ground.world import NoTally
from cairn.log.documents import Kind, Vectors
from cairn.log.view import MemoryView
from cairn.recall import collection
from cairn.recall.answer import Answer, answer
from cairn.recall.collection import Found
from cairn.recall.embedding import Embedding
from cairn.recall.filter import SearchMode, Wanted

Told: TypeAlias = Sequence[tuple[Found, float]]
"""What was found with its score, the best first."""


class _Embedders:
    """As much of a world as an Embedding asks for, where time stands still."""

    def __init__(self, embedder: Embedder | None) -> None:
        self.embedder = embedder
        self.clock = self
        self.tally = NoTally()

    def now(self) -> datetime:
        return datetime(2026, 3, 1, 12, tzinfo=UTC)


def embedding(embedder: Embedder | None) -> Embedding:
    world: Any = _Embedders(embedder)
    return Embedding(world)


def vectors_of(view: MemoryView, embedder: Embedder | None) -> Mapping[Kind, Vectors]:
    """Return what the indexer would write beside a view's documents."""
    return embedding(embedder).of(view)


def asked(  # noqa: PLR0913 - what a question is made of
    view: MemoryView,
    text: str,
    now: datetime,
    *,
    session: SessionId | None = None,
    wanted: Wanted | None = None,
    embedder: Embedder | None = None,
    mode: SearchMode = "hybrid",
) -> Answer:
    """Return the answer of a view's texts, memories and facts."""
    wanted = wanted or Wanted()
    held = view.facts(now, session) if wanted.at is None else view.past(wanted.at).facts(session)
    collections = [
        collection.texts(view, session, wanted.at),
        collection.memories(view, wanted),
        collection.facts(view, held),
    ]
    return answer(collections, text, now.date(), partial(embedding(embedder).meant, [view]), mode)


def told(view: MemoryView, text: str, now: datetime, **fields: Any) -> Told:
    """Return what a view finds, the best first."""
    answered = asked(view, text, now, **fields)
    return [(answered.read(hit), hit.score) for hit in answered.hits()]


def rounded(found: Told) -> Sequence[tuple[Found, float]]:
    """Return what was found with its scores as far as another order of sums does not change them."""
    return [(each, round(score, 5)) for each, score in found]


def assert_same(found: Told, expected: Told, within: float = 1e-5) -> None:
    """Hold a ranking to another: the same was found, with the same scores, in the same order but for equals."""
    scores = dict(expected)
    assert len(scores) == len(expected)
    assert {each for each, _ in found} == set(scores)
    assert len(found) == len(expected)
    assert all(abs(score - scores[each]) <= within for each, score in found)
    in_order = [scores[each] for each, _ in found]
    assert all(before >= after - within for before, after in pairwise(in_order))
