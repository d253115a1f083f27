"""Documents as columns of numbers, one row each, in the order in which they came."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from cairn.ground.calibration import Calibration
from cairn.recall.token_vectors import Tokens, coded, nearness

Rows = NDArray[np.int64]
"""Numbers of rows, of shape (found,)."""
Scores = NDArray[np.float32]
"""A number for each row, of shape (rows,)."""
Vector = NDArray[np.float32]
"""A unit vector, of shape (dimensions,): 384 of MiniLM, 512 of the multilingual model, 256 of Titan."""
Mask = NDArray[np.bool_]
"""Of shape (rows,)."""

_MANY, _STRIDE, _SPARE = 20_000, 64, 8
"""From how many scores on a sample is taken, of how many one is in it, and how many more than twice what is expected of
the sample may be among the greatest."""
VECTOR_SCALE = 0.3 / 127
"""What 1 is worth in a vector of 8-bit numbers. No component of a unit vector of these sizes is much over 0.3."""


@dataclass(frozen=True, slots=True)
class Postings:
    """In which rows a term stands, ascending, and how often in each: int64 and float32 of shape (found,)."""

    rows: Rows
    counts: Scores


@dataclass(frozen=True, slots=True, kw_only=True)
class Columns:
    """The properties of each document besides its words, one column each.

    `before` and `after` are the rows of what was said just before and after in the same session, -1 where there is
    nothing. `speaker` numbers `speakers`, -1 is nobody; `day` counts from 1 January of year 1; `length` is in terms.
    Each column is of shape (rows,); `session` numbers 0 to `sessions` - 1, and `session_length` is that of all that
    was said in each, of shape (sessions,).
    """

    session: NDArray[np.int32]
    before: NDArray[np.int32]
    after: NDArray[np.int32]
    day: NDArray[np.int32]
    speaker: NDArray[np.int32]
    traits: NDArray[np.uint8]
    length: NDArray[np.int32]
    sessions: int
    session_length: NDArray[np.float64]
    speakers: Sequence[str]


class StoredVectors(NamedTuple):
    """The stored vectors of some rows, followed by the codes of their tokens if there are any.

    In the third person they are of statements about somebody, not of what was said. `size` is how many there are.
    """

    rows: slice | Rows
    size: int
    third_person: bool
    taken: Callable[[slice | Rows], NDArray[np.int8]]
    """Returns those at some places, int8 of shape (found, dimensions), or (found, dimensions + token_vectors.BYTES)."""
    sketch: Callable[[int], NDArray[np.uint64]]
    """Returns the sketch of the first so many numbers of each, as recall.sketch has it; it is kept."""


class QueryVectors(NamedTuple):
    """A question's vectors: reworded as the person it is about would say it, and as it was put; and their embedder.

    `tokens` are those of the former, projected, where the embedder tells them apart: float32 of shape (tokens, 64).
    """

    first_person: Vector
    as_put: Vector
    embedder: str
    calibration: Calibration = Calibration()
    tokens: Tokens | None = None


class Corpus(Protocol):
    """An index over documents."""

    @property
    def columns(self) -> Columns:
        """Return what is known of each document."""
        ...

    @property
    def kinds(self) -> Sequence[slice]:
        """Return the rows of each kind of document; none is crowded out by another."""
        ...

    def postings(self, term: str) -> Postings:
        """Return where a term stands."""
        ...

    def slipped(self, term: str) -> Postings:
        """Return where terms stand that a term may be which stands nowhere and has a slip in its first letters."""
        ...

    def pairs(self, rows: Rows) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
        """Return the hashes of pairs of terms in these documents, one after another, and how many each has.

        `rows` ascend; hashes are of shape (sum of counts,), counts of shape (rows,).
        """
        ...

    def vectors(self, embedder: str) -> Iterator[StoredVectors]:
        """Yield what vectors of this embedder there are."""
        ...

    def fetch(self, rows: Rows) -> None:
        """Have the pairs and the vectors of these documents at hand, and their content, where they are kept apart."""
        ...


def quantized(vector: Vector) -> NDArray[np.int8]:
    """Return a unit vector in 8-bit numbers, each worth VECTOR_SCALE."""
    return np.clip(np.rint(vector / VECTOR_SCALE), -127, 127).astype(np.int8)


def stored_bytes(vector: Vector, tokens: Tokens | None) -> bytes:
    """Return what is stored of a document's vector and of its tokens, where they are told apart."""
    return quantized(vector).tobytes() + (b"" if tokens is None else coded(tokens).tobytes())


def best(scores: Scores, count: int) -> Rows:
    """Return the rows of so many of the greatest scores, in any order; of equal ones any."""
    count = min(count, len(scores))
    if not count:
        return np.zeros(0, np.int64)
    if len(scores) >= _MANY:
        # Most are less than one of a sample, which leaves enough unless it is unlike the whole.
        sampled = -scores[::_STRIDE]
        rank = 2 * count // _STRIDE + _SPARE
        rows = np.flatnonzero(scores >= -np.partition(sampled, rank)[rank])
        if len(rows) >= count:
            return rows[np.argpartition(-scores[rows], count - 1)[:count]]
    return np.argpartition(-scores, count - 1)[:count]


def without_vector(corpus: Corpus, embedder: str, rows: Mask) -> int:
    """Return how many of these rows, bool of shape (rows,), have no vector of this embedder."""
    lacking = rows.copy()
    for stored in corpus.vectors(embedder):
        lacking[stored.rows] = False
    return int(lacking.sum())


def picked(corpus: Corpus, rows: Rows, query_vectors: QueryVectors) -> Scores:
    """Return the vectors of these rows, float32 of shape (rows, dimensions), zeros where there is none."""
    found = np.zeros((len(rows), len(query_vectors.as_put)), np.float32)
    for here, vectors in _stored(corpus, rows, query_vectors):
        found[here] = vectors[:, : len(query_vectors.as_put)] * np.float32(VECTOR_SCALE)
    return found


def token_nearness(corpus: Corpus, rows: Rows, query_vectors: QueryVectors, asked: Tokens) -> Tokens:
    """Return how near each of these rows' tokens come to each that is asked, the mean where they are not known.

    `asked` is float32 of shape (tokens, 64), the answer float32 of shape (tokens, rows).
    """
    found = np.full((len(asked), len(rows)), np.nan, np.float32)
    for here, vectors in _stored(corpus, rows, query_vectors):
        found[:, here] = nearness(asked, vectors[:, len(query_vectors.as_put) :].view(np.uint8))
    unknown = np.isnan(found)
    return np.where(unknown, found[~unknown].mean() if not unknown.all() else 0, found).astype(np.float32)


def places(stored: StoredVectors, rows: Rows) -> tuple[Mask, Rows]:
    """Return which of these rows have something stored there, bool of shape (rows,), and at which place."""
    if isinstance(stored.rows, slice):
        here = (rows >= stored.rows.start) & (rows < stored.rows.stop)
        return here, rows[here] - stored.rows.start
    at = np.minimum(np.searchsorted(stored.rows, rows), len(stored.rows) - 1)
    here = stored.rows[at] == rows
    return here, at[here]


def _stored(corpus: Corpus, rows: Rows, query_vectors: QueryVectors) -> Iterator[tuple[Mask, NDArray[np.int8]]]:
    """Yield which of these rows have something stored, bool of shape (rows,), and that, int8, part by part."""
    for stored in corpus.vectors(query_vectors.embedder):
        here, at = places(stored, rows)
        if len(at):
            yield here, stored.taken(at)
