"""BERT's encoder as a graph for onnxruntime, without a framework."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper

_LAYERS, _HEADS, _WIDTH = 6, 12, 384
_EPSILON = 1e-12
_OPSET = 20

# It does not say all of its types.
_ONNX = cast("Any", onnx)

Weights = dict[str, NDArray[np.float32]]


class Graph:
    """BERT's encoder (Devlin et al. 2019) for one text."""

    def __init__(self, weights: Weights) -> None:
        """Start with no nodes."""
        self._weights = weights
        self._nodes: list[onnx.NodeProto] = []
        self._constants: dict[str, onnx.TensorProto] = {}

    def model(self) -> onnx.ModelProto:
        """Return the whole graph: `input_ids` (tokens) to what each came to mean among the others (tokens, 384)."""
        return self._whole("all-MiniLM-L6-v2", ["input_ids"], self._encoded(), ["tokens", _WIDTH])

    def _whole(self, name: str, inputs: Sequence[str], output: str, shape: Sequence[str | int]) -> onnx.ModelProto:
        graph = helper.make_graph(
            self._nodes,
            name,
            [helper.make_tensor_value_info(each, TensorProto.INT64, ["tokens"]) for each in inputs],
            [helper.make_tensor_value_info(output, TensorProto.FLOAT, shape)],
            list(self._constants.values()),
        )
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", _OPSET)], producer_name="cairn")
        model.ir_version = 10
        _ONNX.checker.check_model(model)
        return model

    def _encoded(self) -> str:
        hidden = self._embedded()
        for number in range(_LAYERS):
            hidden = self._layer(hidden, f"encoder.layer.{number}.")
        return hidden

    def _embedded(self) -> str:
        words = self._add("Gather", self._weight("embeddings.word_embeddings.weight"), "input_ids")
        count = self._add("Shape", "input_ids")
        start = self._integers("start", [0])
        places = self._add("Slice", self._weight("embeddings.position_embeddings.weight"), start, count, start)
        placed = self._add("Add", words, places)
        return self._normed(self._add("Add", placed, self._parts()), "embeddings.LayerNorm")

    def _parts(self) -> str:
        """Return what says of each token which of two texts it is of; there is one."""
        return self._constant("kind", self._weights["embeddings.token_type_embeddings.weight"][0])

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
        return self._named(f"{operator}_{len(self._nodes)}", operator, *inputs, **attributes)

    def _named(self, output: str, operator: str, *inputs: str, **attributes: Any) -> str:
        self._nodes.append(helper.make_node(operator, inputs, [output], name=output, **attributes))
        return output

    def _weight(self, name: str) -> str:
        return self._constant(name, self._weights[name])

    def _integers(self, name: str, values: list[int]) -> str:
        return self._constant(name, np.array(values, np.int64))

    def _constant(self, name: str, values: NDArray[np.generic]) -> str:
        self._constants.setdefault(name, _ONNX.numpy_helper.from_array(np.asarray(values), name))
        return name
