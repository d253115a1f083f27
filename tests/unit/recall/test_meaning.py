"""Of many vectors only what may answer is compared exactly; nothing that is told of the others leads astray."""

from __future__ import annotations

from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray

from cairn.language.index_terms import IndexTerms
from cairn.log import pages
from cairn.log.documents import Described, GrowingDocuments
from cairn.recall import joined, meaning
from cairn.recall.corpus import VECTOR_SCALE, QueryVectors, quantized
from cairn.recall.joined import Joined
from support.recall import EMBEDDER, query_vectors

_SIZE, _DIMENSIONS, _TOPICS = pages.LONG + 600, 96, 40
_BEST = 100


@cache
def vectors() -> NDArray[np.float32]:
    """Return unit vectors, each of some topics more than of others."""
    chance = np.random.default_rng(5)
    topics = chance.normal(size=(_TOPICS, _DIMENSIONS))
    each = chance.normal(size=(_SIZE, _TOPICS)) @ topics
    return (each / np.linalg.norm(each, axis=1, keepdims=True)).astype(np.float32)


def stretch(first: int, end: int) -> Joined:
    """Return the texts with these vectors."""
    documents = GrowingDocuments()
    for number, vector in enumerate(vectors()[first:end]):
        described = Described(
            id=f"e{number}",
            at=number,
            speaker="",
            session="one",
            type="turn",
            confidence=1.0,
            index_terms=lambda: IndexTerms([], [], 0),
            text="",
        )
        documents.add(described)
        documents.keep(number, EMBEDDER, quantized(vector).tobytes())
    return joined.of(documents, "texts")


@cache
def corpus(size: int = _SIZE) -> Joined:
    """Return so many texts in one stretch."""
    return stretch(0, size)


def exact() -> NDArray[np.float32]:
    """Return the cosines as they are stored."""
    stored = quantized(vectors()).astype(np.float32) * np.float32(VECTOR_SCALE)
    return stored @ vectors()[0]


def asked() -> QueryVectors:
    return query_vectors(vectors()[0].tolist())


def test_of_many_the_nearest_are_told_nearly() -> None:
    told = meaning.Meaning(corpus(), asked(), None).scores

    nearest = np.argsort(-exact())[:_BEST]
    assert np.abs(told[nearest] - exact()[nearest]).mean() < 0.08
    assert set(nearest[: _BEST // 4]) <= set(np.argsort(-told)[: 4 * _BEST])


def test_what_is_far_is_estimated_with_the_mean_and_the_deviation_of_all() -> None:
    means = meaning.Meaning(corpus(), asked(), None)

    assert (np.abs(means.scores - exact()) > 1e-3).mean() > 0.5
    assert means.scores.mean() == pytest.approx(exact().mean(), abs=0.01)
    assert means.spread[1] == pytest.approx(exact().std(), rel=0.05)


def test_what_a_feature_is_made_of_is_told_exactly() -> None:
    means = meaning.Meaning(corpus(), asked(), None)
    farthest = np.argsort(exact())[:_BEST]
    assert np.abs(means.scores[farthest] - exact()[farthest]).max() > 0.01

    means.settle(np.array([-1, *farthest, farthest[0]], np.int32))

    assert np.abs(means.scores[farthest] - exact()[farthest]).max() < 1e-3


def test_what_may_not_be_found_takes_no_place_among_the_nearest() -> None:
    allowed = np.zeros(_SIZE, np.bool_)
    allowed[farthest := np.argsort(exact())[: meaning.NEAREST]] = True

    told = meaning.Meaning(corpus(), asked(), allowed)
    before = told.scores[farthest].copy()
    told.refine(farthest)

    assert (told.scores[farthest] == before).all()


def test_how_a_log_is_split_changes_nothing() -> None:
    ends = [0, 5, pages.LONG // 2, _SIZE - 70, _SIZE]
    split = joined.linked([stretch(first, end) for first, end in pairwise(ends)])

    of_parts, of_one = meaning.Meaning(split, asked(), None), meaning.Meaning(corpus(), asked(), None)

    assert of_parts.scores.tobytes() == of_one.scores.tobytes()
    assert of_parts.spread == of_one.spread


def test_fewer_than_that_are_told_exactly() -> None:
    told = meaning.Meaning(corpus(pages.LONG - 1), asked(), None).scores

    assert np.abs(told - exact()[: pages.LONG - 1]).max() < 1e-3


def test_the_sketch_of_a_stretch_is_made_once() -> None:
    of_stretch = corpus()

    (first,), (again,) = list(of_stretch.vectors(EMBEDDER)), list(of_stretch.vectors(EMBEDDER))

    assert first.sketch(_DIMENSIONS) is again.sketch(_DIMENSIONS)


def test_two_texts_are_told_to_be_about_as_alike_as_they_are() -> None:
    means, rows = meaning.Meaning(corpus(), asked(), None), np.arange(_BEST)
    one, other = vectors()[rows], vectors()[rows + _BEST]

    told = means.alike(rows, rows + _BEST)

    assert np.abs(told - (one * other).sum(axis=1)).mean() < 0.15
    assert means.alike(rows, rows).min() > 0.99
