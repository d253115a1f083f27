"""The graph that reads statements: MiniLM, its layers trained on for that, with a head for each question."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray

from bert_graph import Graph, Weights

_QUESTIONS = 14
_SCALE = ".scale"


class Reader(Graph):
    """Asks one text, or a newer and an older one, what it says."""

    def model(self) -> onnx.ModelProto:
        """Return the whole graph: `input_ids`, `type_ids` (tokens) to `logits`, 13 of one text and that of a pair."""
        # No product of matrices: those become 8-bit integers, and the heads are small and told apart finely.
        weighed = self._add("Mul", self._features(), self._weight("heads.weight"))
        sums = self._add("ReduceSum", weighed, self._integers("one", [1]), keepdims=0)
        logits = self._named("logits", "Add", sums, self._weight("heads.bias"))
        return self._whole("statement-reader", ["input_ids", "type_ids"], logits, [_QUESTIONS])

    def _parts(self) -> str:
        return self._add("Gather", self._weight("embeddings.token_type_embeddings.weight"), "type_ids")

    def _features(self) -> str:
        hidden = self._encoded()
        zero = self._integers("zero", [0])
        opening = self._add("Slice", hidden, zero, self._integers("one", [1]), zero)
        return self._add("Concat", opening, self._add("ReduceMean", hidden, zero, keepdims=1), axis=1)


def tuned(data: bytes) -> Weights:
    """Return the tensors of reader.npz: those of integers have a scale for each row."""
    with np.load(io.BytesIO(data), allow_pickle=False) as file:
        stored = dict(file)
    return {name: _floats(name, stored) for name in stored if not name.endswith(_SCALE)}


def _floats(name: str, stored: Mapping[str, NDArray[Any]]) -> NDArray[np.float32]:
    values = stored[name]
    return values if values.dtype == np.float32 else values * stored[name + _SCALE][:, None]
