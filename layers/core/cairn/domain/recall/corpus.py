"""The texts that a question is put to, as columns of numbers: one row a text, in the order in which they were said."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.int64]
Scores = NDArray[np.float32]
Vector = NDArray[np.float32]

VECTOR_SCALE = 0.3 / 127
"""What 1 is worth in a vector of 8-bit numbers. No component of a unit vector of these sizes is much over 0.3."""
_BLOCK = 4096


@dataclass(frozen=True, slots=True)
class Postings:
    """In which rows a term stands, and how often in each."""

    rows: Rows
    counts: Scores


@dataclass(frozen=True, slots=True, kw_only=True)
class Columns:
    """What is known of each text beside its words.

    `before` and `after` are the rows of the texts that were said just before and after in the same session, -1 where
    there is none. `speaker` numbers `speakers`; `day` counts from 1 January of year 1; `length` is in terms.
    """

    session: NDArray[np.int32]
    before: NDArray[np.int32]
    after: NDArray[np.int32]
    day: NDArray[np.int32]
    speaker: NDArray[np.int32]
    cues: NDArray[np.uint8]
    length: NDArray[np.int32]
    sessions: int
    speakers: Sequence[str]


class Corpus(Protocol):
    """An index over texts."""

    @property
    def columns(self) -> Columns:
        """Return what is known of each text."""
        ...

    def postings(self, term: str) -> Postings:
        """Return where a term stands."""
        ...

    def pairs(self, rows: Rows) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
        """Return the hashes of the terms that follow each other in these texts, text after text, and how many each has."""
        ...

    def vectors(self) -> Iterator[NDArray[np.int8]] | None:
        """Yield the texts' vectors, part by part in the order of the rows; None where not every text has one."""
        ...


def pair_hashes(terms: Sequence[str]) -> list[int]:
    """Return a 32-bit hash of each two terms that follow each other, sorted, each once."""
    return sorted({crc32(f"{one} {other}".encode()) for one, other in zip(terms, terms[1:], strict=False)})


def quantized(vector: NDArray[np.float32]) -> NDArray[np.int8]:
    """Return a unit vector in 8-bit numbers, each worth VECTOR_SCALE."""
    return np.clip(np.rint(vector / VECTOR_SCALE), -127, 127).astype(np.int8)


def similarities(parts: Iterator[NDArray[np.int8]], query: NDArray[np.float32]) -> Scores:
    """Return the cosine of each vector with the query's, block by block so that they fit the processor's cache."""
    scaled = query * np.float32(VECTOR_SCALE)
    blocks = (part[start : start + _BLOCK] for part in parts for start in range(0, len(part), _BLOCK))
    found = [np.asarray(block.astype(np.float32) @ scaled, np.float32) for block in blocks]
    return np.concatenate(found) if found else np.zeros(0, np.float32)
