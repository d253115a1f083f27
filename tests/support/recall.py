"""What tests of recall search: corpora and an embedder for tests, questions put to one view of a log."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from functools import cache, partial
from hashlib import sha256
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cairn.ground.adapters import NoTally
from cairn.ground.calibration import Calibration
from cairn.ground.errors import EmbeddingFailed
from cairn.ground.ids import SessionId
from cairn.ground.ports import Embedder
from cairn.language.index_terms import pair_hashes
from cairn.language.slips import slips_at_the_start
from cairn.language.terms import terms, words
from cairn.language.traits import traits
from cairn.log.documents import Kind, Vectors
from cairn.log.view import MemoryView
from cairn.recall import collection
from cairn.recall.answer import Answer, answer
from cairn.recall.collection import Found
from cairn.recall.corpus import Columns, Postings, QueryVectors, Rows, Scores, StoredVectors, Vector, quantized
from cairn.recall.embedding import Embedding, growing
from cairn.recall.filter import Filter, SearchMode
from cairn.recall.sketch import Sketch, sketched

Ranked: TypeAlias = Sequence[tuple[Found, float]]
"""What was found with its score, the best first."""


class ToyEmbedder:
    """Each word is a direction of its own, told by its hash; words that are `alike` share one, others are apart.

    Vectors have 256 numbers, so that those of texts without a common word are nearly at right angles.
    """

    def __init__(self, name: str = "toy", alike: Mapping[str, str] | None = None) -> None:
        self.name = name
        self.calibration = Calibration()
        self.alike = alike or {}
        self.asked: list[str] = []
        self.fails = False
        self.fails_at: str | None = None

    def embed(self, text: str) -> Vector:
        self.asked.append(text)
        if self.fails or text == self.fails_at:
            raise EmbeddingFailed("no vector")
        directions = np.stack([_direction(self.alike.get(word, word)) for word in words(text) or [""]])
        together = directions.sum(axis=0)
        return np.asarray(together / max(1e-6, float(np.linalg.norm(together))), np.float32)


class LoadedToyEmbedder(ToyEmbedder):
    """One whose model this process has in memory."""

    is_loaded = True


@cache
def _direction(word: str) -> Vector:
    bits = np.unpackbits(np.frombuffer(sha256(word.encode()).digest(), np.uint8))
    return bits.astype(np.float32) * 2 - 1


@dataclass(frozen=True, kw_only=True)
class Text:
    """Something said, with its vector where the corpus has any."""

    said: str
    speaker: str = "user"
    session: str = "monday"
    day: date = date(2024, 5, 6)
    vector: Sequence[float] = field(default=())


EMBEDDER = "toy"
"""The name of what the vectors were made by."""


def query_vectors(vector: Sequence[float], embedder: str = EMBEDDER) -> QueryVectors:
    """Return a question that means what a vector says."""
    asked = np.array(vector, np.float32)
    return QueryVectors(asked, asked, embedder)


class Texts:
    """An index over texts in memory."""

    def __init__(self, *texts: Text) -> None:
        sessions = {name: number for number, name in enumerate(dict.fromkeys(text.session for text in texts))}
        speakers = list(dict.fromkeys(text.speaker for text in texts))
        self._terms = [terms(text.said) for text in texts]
        self._vectors = {
            row: quantized(np.array(text.vector, np.float32)) for row, text in enumerate(texts) if text.vector
        }
        of_session = [sessions[text.session] for text in texts]
        before, after = _neighbours(of_session)
        self.columns = Columns(
            session=np.array(of_session, np.int32),
            before=np.array(before, np.int32),
            after=np.array(after, np.int32),
            day=np.array([text.day.toordinal() for text in texts], np.int32),
            speaker=np.array([speakers.index(text.speaker) for text in texts], np.int32),
            traits=np.array(
                [traits(t.said, t.speaker, len(n)) for t, n in zip(texts, self._terms, strict=True)], np.uint8
            ),
            length=np.array([len(each) for each in self._terms], np.int32),
            sessions=len(sessions),
            session_length=np.bincount(of_session, [float(len(each)) for each in self._terms], len(sessions)).astype(
                np.float64
            ),
            speakers=speakers,
        )

    @property
    def kinds(self) -> Sequence[slice]:
        return [slice(0, len(self._terms))]

    def postings(self, term: str) -> Postings:
        counts = [Counter(each)[term] for each in self._terms]
        rows = [row for row, count in enumerate(counts) if count]
        return Postings(np.array(rows, np.int64), np.array([counts[row] for row in rows], np.float32))

    def slipped(self, term: str) -> Postings:
        found = [each for each in slips_at_the_start(term) if len(self.postings(each).rows)]
        return self.postings(found[0] if found else term)

    def pairs(self, rows: Rows) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
        found = [pair_hashes(self._terms[int(row)]) for row in rows]
        return np.array([each for pairs in found for each in pairs], np.uint32), np.array([len(p) for p in found], int)

    def vectors(self, embedder: str) -> Iterator[StoredVectors]:
        if self._vectors and embedder == EMBEDDER:
            rows, vectors = list(self._vectors), list(self._vectors.values())
            kept = np.stack(vectors)

            def sketch(dimensions: int) -> Sketch:
                return sketched(kept[:, :dimensions])

            yield StoredVectors(np.array(rows, np.int64), len(rows), False, kept.__getitem__, sketch)

    def fetch(self, rows: Rows) -> None:
        """Do nothing: all is at hand."""


def _neighbours(sessions: Sequence[int]) -> tuple[list[int], list[int]]:
    before, after = [-1] * len(sessions), [-1] * len(sessions)
    last: dict[int, int] = {}
    for row, session in enumerate(sessions):
        if session in last:
            before[row] = last[session]
            after[last[session]] = row
        last[session] = row
    return before, after


def vector(*numbers: float) -> tuple[float, ...]:
    """Return the unit vector in this direction, each number spread over 16 so that none is large."""
    direction: Scores = np.repeat(np.array(numbers, np.float32), 16)
    return tuple((direction / np.linalg.norm(direction)).tolist())


class _Adapters:
    """As much of the adapters as an Embedding asks for, where time stands still."""

    def __init__(self) -> None:
        self.clock = self
        self.tally = NoTally()

    def now(self) -> datetime:
        return datetime(2026, 3, 1, 12, tzinfo=UTC)


def embedding(embedder: Embedder | None) -> Embedding:
    adapters: Any = _Adapters()
    return Embedding(adapters, embedder)


def vectors_of(view: MemoryView, embedder: Embedder | None, paged: Collection[Kind] = ()) -> Mapping[Kind, Vectors]:
    """Return what the indexer would write beside a view's documents, of which some are kept in pages."""
    return embedding(embedder).of(view, paged)


def asked(  # noqa: PLR0913 - what a question is made of
    view: MemoryView,
    text: str,
    now: datetime,
    *,
    session: SessionId | None = None,
    filter_: Filter | None = None,
    embedder: Embedder | None = None,
    mode: SearchMode = "hybrid",
) -> Answer:
    """Return the answer of a view's texts, memories and facts."""
    filter_ = filter_ or Filter()
    held = view.facts(now, session) if filter_.at is None else view.history(filter_.at).facts(session)
    collections = [
        collection.texts(view, session, filter_),
        collection.memories(view, filter_),
        collection.facts(view, held),
    ]
    return answer(collections, text, now.date(), partial(embedding(embedder).query_vectors, growing([view])), mode)


def ranked(view: MemoryView, text: str, now: datetime, **fields: Any) -> Ranked:
    """Return what a view finds, the best first."""
    answered = asked(view, text, now, **fields)
    return [(answered.read(hit), hit.score) for hit in answered.hits()]


def rounded(found: Ranked) -> Sequence[tuple[Found, float]]:
    """Return what was found with its scores as far as another order of sums does not change them."""
    return [(each, round(score, 5)) for each, score in found]


def assert_same(found: Ranked, expected: Ranked, within: float = 1e-5) -> None:
    """Hold a ranking to another: the same was found, with the same scores, in the same order but for equals."""
    scores = dict(expected)
    assert len(scores) == len(expected)
    assert {each for each, _ in found} == set(scores)
    assert len(found) == len(expected)
    assert all(abs(score - scores[each]) <= within for each, score in found)
    in_order = [scores[each] for each, _ in found]
    assert all(before >= after - within for before, after in pairwise(in_order))
