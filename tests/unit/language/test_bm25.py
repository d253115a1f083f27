from __future__ import annotations

from math import log

import numpy as np
import pytest

from cairn.language.bm25 import Index, gain, norm


def index_of(*documents: str) -> Index:
    index = Index()
    for text in documents:
        index.add(text.split())
    return index


def numbers(found: list[tuple[int, float]]) -> list[int]:
    return [number for number, _ in found]


def test_the_score_is_bm25_as_published() -> None:
    index = index_of("tea tea cup", "cup", "milk milk")
    idf = log(1 + (3 - 1 + 0.5) / (1 + 0.5))
    expected = idf * 2 / (2 + 0.9 * (1 - 0.4 + 0.4 * 3 / 2))
    assert index.search(["tea"], 5) == [(0, pytest.approx(expected))]


def test_columns_of_counts_score_as_each_count_by_itself() -> None:
    counts, lengths = np.array([1.0, 2.0, 5.0]), np.array([3.0, 40.0, 7.0])

    together = gain(1.5, counts, norm(lengths, 9.0, 1.2, 0.75))

    pairs = zip(counts.tolist(), lengths.tolist(), strict=True)
    assert together.tolist() == [gain(1.5, count, norm(length, 9.0, 1.2, 0.75)) for count, length in pairs]


def test_a_rare_term_outweighs_a_common_one() -> None:
    index = index_of("common rare", "common x", "common y", "rare z", "common q")
    assert numbers(index.search(["rare", "common"], 9))[:2] == [0, 3]


def test_only_documents_with_a_term_of_the_query_are_found() -> None:
    index = index_of("tea", "coffee")
    assert numbers(index.search(["tea"], 9)) == [0]
    assert index.search(["milk"], 9) == []
    assert index.search([], 9) == []
    assert Index().search(["tea"], 9) == []


def test_among_equals_the_newest_comes_first() -> None:
    assert numbers(index_of("tea cup", "tea cup", "tea cup").search(["tea"], 2)) == [2, 1]
