"""Join documents of several stretches, kinds and logs into one corpus: columns are copied, the rest read in place."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate
from operator import attrgetter
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from cairn.language.slips import slips_at_the_start
from cairn.language.terms import alike, opening, terms
from cairn.log.documents import Documents, Kind
from cairn.log.pages import fetch
from cairn.recall.corpus import Columns, Postings, Rows, StoredVectors
from cairn.recall.sketch import Sketch, signed, sketched

_DAY = 86_400_000_000
_FIRST_DAY = 719_163
"""1 January 1970, counted from 1 January of year 1."""
_NONE = np.int32(-1)

Numbers = NDArray[np.int32]
Number = TypeVar("Number", bound=np.generic)


class _KeptSketch:
    """The sketch of one stretch's vectors, made when it is first asked for and again where there are more by then."""

    def __init__(self) -> None:
        self._kept: Sketch = np.zeros((0, 0), np.uint64)

    def __call__(self, vectors: NDArray[np.int8], dimensions: int) -> Sketch:
        """Return the sketch of the first numbers of each of these vectors."""
        if self._kept.shape[1] != len(vectors):
            self._kept = sketched(vectors[:, :dimensions])
        return self._kept


class Leaf(NamedTuple):
    """The documents of one stretch and kind, and the row of the first."""

    first: int
    documents: Documents
    kind: Kind
    sketch: _KeptSketch


@dataclass(frozen=True, slots=True)
class Joined:
    """A corpus; `names` are the numbers of its sessions, where they have names."""

    columns: Columns
    leaves: Sequence[Leaf]
    names: Mapping[str, int]

    def __len__(self) -> int:
        """Return how many rows there are."""
        return len(self.columns.length)

    @property
    def kinds(self) -> Sequence[slice]:
        """Return the rows of each kind of document, which stand together."""
        ends = {leaf.kind: leaf.first + len(leaf.documents) for leaf in self.leaves}
        return [slice(start, end) for start, end in zip([0, *ends.values()], ends.values(), strict=False)]

    def postings(self, term: str) -> Postings:
        """Return where a term stands; where it stands nowhere, where terms stand that may be the same word."""
        found = self._postings(term)
        # Only for a term that stands nowhere: to look for others like it costs a walk over those that begin alike.
        if len(found.rows) or not opening(term):
            return found
        near = {each for leaf in self.leaves for each in leaf.documents.beginning(opening(term)) if alike(term, each)}
        return _united([self._postings(each) for each in sorted(near)])

    def slipped(self, term: str) -> Postings:
        """Return where terms stand that a term may be which stands nowhere and has a slip in its first letters."""
        return _united(
            [each for slip in sorted({*slips_at_the_start(term)}) if len((each := self._postings(slip)).rows)]
        )

    def stands(self, word: str) -> bool:
        """Tell whether a word is in any text, as it is spelt."""
        return any(len(leaf.documents.matches(term)[0]) for term in terms(word) for leaf in self.leaves)

    def _postings(self, term: str) -> Postings:
        found = [(leaf.first, *leaf.documents.matches(term)) for leaf in self.leaves]
        rows = [np.asarray(docs, np.int64) + first for first, docs, _ in found if len(docs)]
        counts = [np.asarray(counts, np.float32) for _, docs, counts in found if len(docs)]
        return Postings(_end_to_end(rows, np.int64), _end_to_end(counts, np.float32))

    def pairs(self, rows: Rows) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
        """Return the hashes of pairs of terms in these documents, one after another, and how many each has."""
        found = [self._pairs_in(leaf, rows) for leaf in self.leaves]
        hashes = _end_to_end([each for each, _ in found], np.uint32)
        return hashes, _end_to_end([counts for _, counts in found], np.int64)

    def vectors(self, embedder: str) -> Iterator[StoredVectors]:
        """Yield what vectors of this embedder there are."""
        for leaf in self.leaves:
            found = _in_pages(leaf, embedder) if leaf.documents.pages is not None else _at_hand(leaf, embedder)
            if found is not None:
                yield found

    def fetch(self, rows: Rows) -> None:
        """Have the pairs and the vectors of these documents at hand, and their content, where they are kept apart."""
        wanted = [
            (documents.pages.of, documents.pages.numbers((rows[here] - first).tolist()))
            for first, documents, _, _ in self.leaves
            if documents.pages is not None
            and len(here := np.flatnonzero((rows >= first) & (rows < first + len(documents))))
        ]
        fetch(wanted)

    def leaf_of(self, row: int) -> tuple[int, int]:
        """Return the number of the leaf that a row is of, and the document's number there."""
        number = bisect_right(self.leaves, row, key=attrgetter("first")) - 1
        return number, row - self.leaves[number].first

    @staticmethod
    def _pairs_in(leaf: Leaf, rows: Rows) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
        """Return the pairs of those of the ascending rows that are of the leaf: uint32 hashes, and int64 counts."""
        # A leaf's rows lie side by side, and so do those of the ascending rows that it holds.
        first, last = np.searchsorted(rows, [leaf.first, leaf.first + len(leaf.documents)])
        docs = rows[first:last] - leaf.first
        if not len(docs):
            return np.zeros(0, np.uint32), np.zeros(0, np.int64)
        if (pages := leaf.documents.pages) is not None:
            found = [np.asarray(each, np.uint32) for each in pages.pairs(docs.tolist())]
            return _end_to_end(found, np.uint32), np.array([*map(len, found)], np.int64)
        pairs, ends = leaf.documents.pairs()
        bounds = np.concatenate([[0], np.asarray(ends, np.int64)])
        starts, counts = bounds[docs], bounds[docs + 1] - bounds[docs]
        # Runs of different lengths in one index: arange counts through all of them, and each run is moved to where it
        # starts.
        skipped = np.repeat(starts - np.concatenate([[0], np.cumsum(counts)[:-1]]), counts)
        return np.asarray(pairs, np.uint32)[np.arange(len(skipped)) + skipped], counts


def _at_hand(leaf: Leaf, embedder: str) -> StoredVectors | None:
    first, documents, kind, kept = leaf
    held = documents.vectors
    if held is None or held.embedder != embedder or not len(documents):
        return None
    count = len(documents) if held.docs is None else len(held.docs)
    # Where they lie in the segment: nothing is copied until rows are picked.
    vectors = np.frombuffer(held.data, np.int8).reshape(count, -1)
    rows = slice(first, first + count) if held.docs is None else np.asarray(held.docs, np.int64) + first
    return StoredVectors(rows, count, kind != "texts", vectors.__getitem__, partial(kept, vectors))


def _in_pages(leaf: Leaf, embedder: str) -> StoredVectors | None:
    first, documents, kind, _ = leaf
    pages, count = documents.pages, len(documents)
    if pages is None or pages.embedder != embedder:
        return None

    def taken(places: slice | Rows) -> NDArray[np.int8]:
        docs = np.arange(count)[places]
        stored = np.frombuffer(pages.vectors(docs.tolist()), np.int8).reshape(len(docs), -1)
        return signed(stored, sketch[:, docs], pages.dimensions)

    sketch = np.asarray(pages.sketch, np.uint64).reshape(-1, count)

    def of_all(dimensions: int) -> Sketch:
        del dimensions  # what an embedder's vectors have is what they were stored with
        return sketch

    return StoredVectors(slice(first, first + count), count, kind != "texts", taken, of_all)


def of(documents: Documents, kind: Kind) -> Joined:
    """Return documents of one stretch as a corpus: texts stand in their sessions, other kinds each alone."""
    if kind == "texts":
        words, numbers = documents.label("session")
        session = np.asarray(numbers, np.int32)
        names = {word: number for number, word in enumerate(words)}
    else:
        # Memories and facts follow nothing: each is a session by itself.
        session, names = np.arange(len(documents), dtype=np.int32), dict[str, int]()
    before, after = _neighbours(session)
    speakers, speaker = documents.label("speaker")
    # A document without a speaker names "", which is nobody: -1.
    unnamed = np.array([not name for name in speakers], np.bool_)
    by = np.asarray(speaker, np.int32)
    length = np.asarray(documents.number("length"), np.int32)
    sessions = len(names) if kind == "texts" else len(documents)
    columns = Columns(
        session=session,
        before=before,
        after=after,
        day=(np.asarray(documents.number("at"), np.int64) // _DAY + _FIRST_DAY).astype(np.int32),
        speaker=np.where(unnamed[by], _NONE, by) if len(by) else by,
        traits=np.asarray(documents.number("cues"), np.uint8),
        length=length,
        sessions=sessions,
        session_length=np.bincount(session, length.astype(np.float64), sessions).astype(np.float64),
        speakers=speakers,
    )
    return Joined(columns, [Leaf(0, documents, kind, _KeptSketch())], names)


def linked(parts: Sequence[Joined]) -> Joined:
    """Return parts of one log, the oldest first: a session that goes on in a later part is one session."""
    if len(parts) == 1:
        return parts[0]
    names = dict(parts[0].names)
    sessions = [parts[0].columns.session]
    numbers: list[Numbers] = [np.arange(len(names), dtype=np.int32)]
    for part in parts[1:]:
        # Sessions are numbered in each part; by name they get one number in all of them.
        numbers.append(np.array([names.setdefault(name, len(names)) for name in part.names], np.int32))
        sessions.append(numbers[-1][part.columns.session] if len(part) else part.columns.session)
    lengths = np.zeros(len(names), np.float64)
    for part, number in zip(parts, numbers, strict=True):
        lengths[number] += part.columns.session_length
    joined = _joined(parts, np.concatenate(sessions), lengths)
    _link(joined.columns, parts)
    return Joined(joined.columns, joined.leaves, names)


def side_by_side(parts: Sequence[Joined]) -> Joined:
    """Return parts that have nothing to do with each other as one corpus."""
    if len(parts) == 1 and "" not in parts[0].columns.speakers:
        return parts[0]
    firsts = list(accumulate((part.columns.sessions for part in parts), initial=0))
    sessions = [part.columns.session + np.int32(first) for part, first in zip(parts, firsts, strict=False)]
    lengths = _end_to_end([part.columns.session_length for part in parts], np.float64)
    return _joined(parts, _end_to_end(sessions, np.int32), lengths)


def _joined(parts: Sequence[Joined], session: Numbers, session_length: NDArray[np.float64]) -> Joined:
    firsts = list(accumulate(map(len, parts), initial=0))
    speakers: dict[str, int] = {}
    by = [_renumbered(part.columns, speakers) for part in parts]
    offset = list(zip((part.columns for part in parts), map(np.int32, firsts), strict=False))
    columns = Columns(
        session=session,
        before=_end_to_end([np.where(each.before < 0, _NONE, each.before + first) for each, first in offset], np.int32),
        after=_end_to_end([np.where(each.after < 0, _NONE, each.after + first) for each, first in offset], np.int32),
        day=_end_to_end([part.columns.day for part in parts], np.int32),
        speaker=_end_to_end(by, np.int32),
        traits=_end_to_end([part.columns.traits for part in parts], np.uint8),
        length=_end_to_end([part.columns.length for part in parts], np.int32),
        sessions=len(session_length),
        session_length=session_length,
        speakers=list(speakers),
    )
    leaves = [
        leaf._replace(first=leaf.first + first)
        for part, first in zip(parts, firsts, strict=False)
        for leaf in part.leaves
    ]
    return Joined(columns, leaves, {})


def _renumbered(columns: Columns, speakers: dict[str, int]) -> Numbers:
    number = [speakers.setdefault(name, len(speakers)) if name else -1 for name in columns.speakers]
    # Speaker -1 finds the -1 at the end.
    return np.array([*number, -1], np.int32)[columns.speaker]


def _link(columns: Columns, parts: Sequence[Joined]) -> None:
    """Let the first text of a session in each part follow the last one before it."""
    last = np.full(columns.sessions, _NONE)
    start = 0
    for part in parts:
        rows = np.arange(start, start + len(part), dtype=np.int32)
        session = columns.session[start : start + len(part)]
        # A session's first text in this part, which follows what an earlier part has of it.
        first = rows[columns.before[rows] < 0]
        earlier = last[columns.session[first]]
        found = earlier >= 0
        columns.before[first[found]] = earlier[found]
        columns.after[earlier[found]] = first[found]
        # Of several rows of a session the last one stays: numpy assigns in order.
        last[session] = rows
        start += len(part)


def _united(found: Sequence[Postings]) -> Postings:
    # A text may hold several of the terms that are taken for one: its counts are added.
    rows, places = np.unique(_end_to_end([each.rows for each in found], np.int64), return_inverse=True)
    counts = np.bincount(places, _end_to_end([each.counts for each in found], np.float32), len(rows))
    return Postings(rows, counts.astype(np.float32))


def _neighbours(session: Numbers) -> tuple[Numbers, Numbers]:
    """Return for each row the row before and after it in its session, -1 for none: int32 of shape (rows,) each."""
    before, after = np.full(len(session), _NONE), np.full(len(session), _NONE)
    # Stable, so that rows of a session stay in the order in which they were said.
    order = np.argsort(session, kind="stable").astype(np.int32)
    same = session[order[:-1]] == session[order[1:]]
    before[order[1:][same]] = order[:-1][same]
    after[order[:-1][same]] = order[1:][same]
    return before, after


def _end_to_end(parts: Sequence[NDArray[Number]], kind: type[Number]) -> NDArray[Number]:
    return np.concatenate(parts) if parts else np.zeros(0, kind)
