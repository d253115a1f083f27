"""The embedding model as set-up built it: what its vectors are like, and that one which is not whole is none."""

from __future__ import annotations

import logging
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from hashlib import file_digest
from io import BufferedReader
from pathlib import Path

import numpy as np
import pytest

import reviewed
from cairn.ground.errors import EmbeddingFailed
from cairn.ground.settings import EmbeddingSettings
from cairn.models import embedders, lazy_model
from cairn.models.embedders import LAYERED, embedder
from cairn.models.lazy_model import MODEL, READER, VOCABULARY
from cairn.models.minilm import MiniLm
from cairn.models.onnx_graph import OnnxGraph

ROOT = Path(__file__).resolve().parents[3]
SAID = "My daughter started to play the violin last spring."
AGAIN = "In April my little girl took up a string instrument."
ELSE = "The invoice for the new dishwasher is overdue."
CANARY = "canary-77d1"


@pytest.fixture(scope="module")
def model(directory: Path) -> MiniLm:
    return MiniLm(directory)


def cosine(model: MiniLm, one: str, other: str) -> float:
    return float(model.embed(one) @ model.embed(other))


def test_a_paraphrase_is_near_and_something_else_is_not(model: MiniLm) -> None:
    assert cosine(model, SAID, AGAIN) == pytest.approx(0.66, abs=0.03)
    assert cosine(model, SAID, ELSE) == pytest.approx(0.09, abs=0.03)


@pytest.mark.parametrize("text", [SAID, "", "é" * 9, "你好", "\x00\ud800", "a " * 5000, "x" * 5000])
def test_whatever_the_text_its_vector_has_length_1_and_is_the_same_again(model: MiniLm, text: str) -> None:
    vector = model.embed(text)

    assert (vector.shape, vector.dtype) == ((384,), np.float32)
    assert float(np.linalg.norm(vector)) == pytest.approx(1, abs=1e-5)
    assert np.array_equal(vector, model.embed(text))


def test_what_follows_256_pieces_does_not_count_and_what_is_within_does(model: MiniLm) -> None:
    full = "word " * 254

    assert np.array_equal(model.embed(full), model.embed(full + ELSE))
    assert not np.array_equal(model.embed(full), model.embed("word " * 253 + "violin"))


def test_its_tokens_are_the_pieces_of_words_and_no_signs(model: MiniLm) -> None:
    assert model.embed_with_tokens("Tom, my cat!").tokens.shape == (3, 384)
    assert model.embed_with_tokens("?! ...").tokens.shape == (0, 384)


def test_a_text_that_comes_again_soon_is_not_run_again(model: MiniLm, monkeypatch: pytest.MonkeyPatch) -> None:
    first = model.embed_with_tokens("What a turn asks is stored when it ends.")
    monkeypatch.delattr(OnnxGraph, "run")

    again = model.embed_with_tokens("What a turn asks is stored when it ends.")

    assert np.array_equal(again.vector, first.vector)
    assert np.array_equal(again.tokens, first.tokens)
    with pytest.raises(AttributeError):
        model.embed("What a turn asks is stored when it ends!")


def test_the_library_that_runs_it_keeps_no_id_of_the_machine_in_a_home(directory: Path, tmp_path: Path) -> None:
    code = "import sys, pathlib, cairn.models.minilm as m; m.MiniLm(pathlib.Path(sys.argv[1])).embed('x')"
    told = {"HOME": str(tmp_path), "PATH": os.environ["PATH"]}
    subprocess.run([sys.executable, "-c", code, str(directory)], env=told, check=True)  # noqa: S603 - this Python

    assert list(tmp_path.iterdir()) == []


def test_threads_share_one_model_that_is_loaded_once(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[Path] = []

    def counted(file: BufferedReader, algorithm: str) -> object:
        read.append(Path(file.name))
        return file_digest(file, algorithm)

    monkeypatch.setattr(lazy_model, "file_digest", counted)
    shared, texts = MiniLm(directory), [SAID, AGAIN, ELSE] * 8
    assert read == []
    with ThreadPoolExecutor(8) as pool:
        vectors = list(pool.map(shared.embed, texts))

    assert sorted(path.name for path in read) == [MODEL, VOCABULARY]
    for text, vector in zip(texts, vectors, strict=True):
        assert np.array_equal(vector, shared.embed(text))


@pytest.mark.parametrize("name", [MODEL, VOCABULARY])
@pytest.mark.parametrize("damage", ["missing", "torn", "changed"])
def test_a_model_that_is_not_whole_is_none_and_the_log_says_so_once(
    copied: Path, name: str, damage: str, caplog: pytest.LogCaptureFixture
) -> None:
    data = (copied / name).read_bytes()
    (copied / name).unlink()
    if damage != "missing":
        (copied / name).write_bytes(data[:-1] if damage == "torn" else data[:-1] + bytes([data[-1] ^ 1]))
    told = "cannot be read" if damage == "missing" else "is not the one it should be"
    failing = MiniLm(copied)

    with caplog.at_level(logging.INFO, "cairn"):
        for _ in range(3):
            with pytest.raises(EmbeddingFailed, match=rf"^{re.escape(name)} of the embedding model {told}$"):
                failing.embed(CANARY)

    assert [record.getMessage() for record in caplog.records] == [f"no embedding: {name} of the embedding model {told}"]


def test_without_onnxruntime_there_is_no_embedding(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "cairn.models.onnx_graph", raising=False)
    monkeypatch.setitem(sys.modules, "onnxruntime", None)

    with pytest.raises(EmbeddingFailed, match=r"^onnxruntime cannot be loaded$"):
        MiniLm(directory).embed(SAID)


def test_what_onnxruntime_refuses_is_told_by_its_name_alone(directory: Path, tmp_path: Path) -> None:
    from cairn.models.onnx_graph import OnnxGraph  # noqa: PLC0415 - after the test that hides it

    (tmp_path / CANARY).write_text(CANARY, encoding="utf-8")

    for refused in (tmp_path / CANARY, tmp_path / f"no {CANARY}"):
        with pytest.raises(EmbeddingFailed, match=r"^onnxruntime refuses the model: \w+$") as told:
            OnnxGraph(refused)
        assert CANARY not in str(told.value)
    with pytest.raises(EmbeddingFailed, match=r"^onnxruntime failed: \w+$"):
        OnnxGraph(directory / MODEL).run(input_ids=[999_999])


def test_the_models_that_are_built_are_those_that_are_loaded() -> None:
    runner = Path(lazy_model.__file__).read_text(encoding="utf-8")

    assert dict(re.findall(r'^    (MODEL|READER|VOCABULARY): "(\w{64})"', runner, re.MULTILINE)) == {
        "MODEL": reviewed.MODEL_SHA256,
        "READER": reviewed.READER_SHA256,
        "VOCABULARY": reviewed.VOCABULARY_SHA256,
    }
    assert (MODEL, READER, VOCABULARY) == (reviewed.MODEL, reviewed.READER, reviewed.VOCABULARY)


def test_where_the_model_is_missing_texts_have_no_vectors_and_the_log_says_so(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, "cairn"):
        assert embedder(EmbeddingSettings(directory=str(tmp_path))) is None

    assert [str(tmp_path) in record.getMessage() for record in caplog.records] == [True]


def test_the_model_of_a_layer_is_found_wherever_a_runtime_unpacks_it(
    directory: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    unpacked = tmp_path / "layers" / "3f" / "python"
    shutil.copytree(directory, unpacked / LAYERED)
    monkeypatch.setattr(embedders, "BUILT", tmp_path / "none")
    assert embedder(EmbeddingSettings()) is None

    monkeypatch.setattr(sys, "path", [str(unpacked), *sys.path])

    chosen = embedder(EmbeddingSettings())
    assert chosen is not None
    assert len(chosen.embed(SAID)) == 384


def test_the_layer_has_the_model_where_it_is_looked_for() -> None:
    recipe = (ROOT / "layers" / "model" / "Makefile").read_text(encoding="utf-8")

    assert f'build_model.py "$(ARTIFACTS_DIR)/python/{LAYERED}"' in recipe


def test_the_settings_choose_the_embedder(directory: Path, caplog: pytest.LogCaptureFixture) -> None:
    def name(settings: EmbeddingSettings) -> str | None:
        chosen = embedder(settings)
        return None if chosen is None else chosen.name

    with caplog.at_level(logging.INFO, "cairn"):
        assert name(EmbeddingSettings()) == "minilm-l6-int8-tokens"
        assert name(EmbeddingSettings(directory=str(directory))) == "minilm-l6-int8-tokens"
        assert name(EmbeddingSettings(embedder="titan")) == "titan-v2-256"
        assert name(EmbeddingSettings(embedder="none")) is None
    assert caplog.records == []
