"""Embedders that tell the tokens of a text apart: what is kept of them, and what is done where there are none."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import Any

import numpy as np
import pytest

from cairn.ground.ports import Embedded
from cairn.language.terms import words
from cairn.models.minilm import NAME
from cairn.recall import token_vectors as tokens
from cairn.recall.ranker import fitted
from cairn.recall.token_vectors import Tokens
from support.memories import Notebook, index
from support.recall import ToyEmbedder

CODES = "e96d030f"
NEAR = ("tokens", "tokens_with_before")


class Telling(ToyEmbedder):
    """Tells a text's words apart, each a direction of its own."""

    def embed_with_tokens(self, text: str) -> Embedded:
        return Embedded(self.embed(text), np.stack([_token(word) for word in words(text)]))


def _token(word: str) -> Tokens:
    seed = int.from_bytes(sha256(word.encode()).digest()[:4], "big")
    return np.random.default_rng(seed).normal(size=384).astype(np.float32)


@pytest.fixture
def reader(notebook: Notebook) -> Notebook:
    kept = notebook.with_embedder(Telling("telling"))
    kept.keep("the kettle whistles in the morning")
    kept.keep("the teapot stands beside the stove")
    return kept


def features(found: Sequence[Any]) -> dict[str, dict[str, float]]:
    return {each.content: dict(each.why.features) for each in found}


def test_a_text_with_the_question_s_words_is_the_nearest_token_by_token(reader: Notebook) -> None:
    of = features(reader.find("the whistles kettle", explain=True))

    for name in NEAR:
        assert of["the kettle whistles in the morning"][name] > of["the teapot stands beside the stove"][name]


def test_the_text_before_counts_with_a_text_that_follows_it(notebook: Notebook) -> None:
    told = notebook.with_embedder(Telling("telling"))
    told.talk.say("kettle whistles", reply="")
    told.talk.say("teapot stove", reply="")

    weights = dict(fitted("tokens"))
    of = features(told.find("kettle whistles", explain=True))
    first, then = ({name: of[said][name] / float(weights[name]) for name in NEAR} for said in of)

    assert first["tokens_with_before"] == pytest.approx(first["tokens"])
    assert then["tokens_with_before"] == pytest.approx(first["tokens"], abs=1e-3)
    assert then["tokens"] < first["tokens"] / 2


def test_tokens_are_kept_in_segments_as_they_are_in_the_tail(reader: Notebook) -> None:
    in_the_tail = features(reader.find("whistles kettle", explain=True))
    index(reader)

    telling = Telling("telling")
    in_a_segment = features(reader.with_embedder(telling).find("whistles kettle", explain=True))

    assert telling.asked == ["whistles kettle"]
    assert {name: pytest.approx(each, abs=1e-4) for name, each in in_the_tail.items()} == in_a_segment


def test_without_tokens_meaning_decides_by_weights_of_its_own(notebook: Notebook) -> None:
    told = notebook.with_embedder(ToyEmbedder())
    told.keep("the kettle whistles")

    (of,) = features(told.find("kettle", explain=True)).values()

    assert set(of) == set(fitted("meaning").names)
    assert not set(NEAR) & set(of)


def test_a_question_without_words_is_compared_by_its_vector_alone(reader: Notebook) -> None:
    class Wordless(Telling):
        def embed_with_tokens(self, text: str) -> Embedded:
            vector, of_words = super().embed_with_tokens(text)
            return Embedded(vector, of_words[:0])

    index(reader)
    found = reader.with_embedder(Wordless("telling")).find("the kettle whistles", explain=True)

    assert all(set(each) == set(fitted("meaning").names) for each in features(found).values())


def test_codes_that_are_fitted_anew_are_another_embedder_s() -> None:
    """What segments hold is read by the codes that made it: change both lines together."""
    codes = tokens.__file__.replace("token_vectors.py", "codes.npz")
    with np.load(codes) as file:
        digest = sha256(b"".join(file[name].tobytes() for name in ("projection", "centroids"))).hexdigest()

    assert (NAME, digest[:8]) == ("minilm-l6-int8-tokens", CODES)
