"""Compute what a text is found by: its terms, pairs of them, and its traits."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from itertools import pairwise
from typing import NamedTuple
from zlib import crc32

from cairn.language.terms import terms
from cairn.language.traits import traits

ROLES = frozenset({"user", "assistant", "tool", "system", "developer"})


class IndexTerms(NamedTuple):
    """A text's terms with repeats, hashes of its pairs of terms, and its traits as bits."""

    terms: Sequence[str]
    pairs: Sequence[int]
    traits: int


def index_terms(text: str, *, speaker: str = "", at: datetime | None = None) -> IndexTerms:
    """Return the index terms of a text, found under the name of who said it and the day it was said on as well."""
    # A role is on every text and tells none from another.
    named = speaker and speaker not in ROLES
    said = terms(f"{speaker} {text}" if named else text)
    dated = terms(f"{at:%A} {at.day} {at:%B %Y}") if at else []
    return IndexTerms([*said, *dated], pair_hashes(said), traits(text, speaker, len(said)))


def pair_hashes(terms: Sequence[str]) -> list[int]:
    """Return a 32-bit hash of each two terms that follow each other, sorted, each once."""
    # Pairs are compared and never read: four bytes do, and two pairs of one hash add to a feature that stops at 3.
    return sorted({crc32(f"{one} {other}".encode()) for one, other in pairwise(terms)})
