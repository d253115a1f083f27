"""Corpora made of a few texts, for tests of the ranker."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date

import numpy as np
from numpy.typing import NDArray

from cairn.language.index_terms import pair_hashes
from cairn.language.terms import terms
from cairn.language.traits import cues
from cairn.recall.corpus import Columns, Meant, Postings, Rows, Scores, Stored, quantized


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


def meant(vector: Sequence[float], embedder: str = EMBEDDER) -> Meant:
    """Return a question that means what a vector says."""
    asked = np.array(vector, np.float32)
    return Meant(asked, asked, embedder)


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
            cues=np.array([cues(t.said, t.speaker, len(n)) for t, n in zip(texts, self._terms, strict=True)], np.uint8),
            length=np.array([len(each) for each in self._terms], np.int32),
            sessions=len(sessions),
            speakers=speakers,
        )

    @property
    def kinds(self) -> Sequence[slice]:
        return [slice(0, len(self._terms))]

    def postings(self, term: str) -> Postings:
        counts = [Counter(each)[term] for each in self._terms]
        rows = [row for row, count in enumerate(counts) if count]
        return Postings(np.array(rows, np.int64), np.array([counts[row] for row in rows], np.float32))

    def pairs(self, rows: Rows) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
        found = [pair_hashes(self._terms[int(row)]) for row in rows]
        return np.array([each for pairs in found for each in pairs], np.uint32), np.array([len(p) for p in found], int)

    def vectors(self, embedder: str) -> Iterator[Stored]:
        if self._vectors and embedder == EMBEDDER:
            rows, vectors = list(self._vectors), list(self._vectors.values())
            yield Stored(np.array(rows, np.int64), np.stack(vectors), third_person=False)


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
