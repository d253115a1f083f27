"""The part of onnxruntime that Cairn uses, with types that onnxruntime lacks."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np
import onnxruntime
from numpy.typing import NDArray

from cairn.ground.errors import EmbeddingFailed

_ORT = cast("Any", onnxruntime)
# Its errors have no class in common.
_NAMES = cast("dict[str, object]", _ORT.capi.onnxruntime_pybind11_state.__dict__)
_ERRORS = tuple(each for each in _NAMES.values() if isinstance(each, type) and issubclass(each, Exception))
_LOG_NOTHING = 4


class OnnxGraph:
    """Turns the pieces of a text into what a model says of them. Threads may share it."""

    def __init__(self, model: Path, threads: int = 1) -> None:
        """Load the graph of a file, which this process then holds once; EmbeddingFailed where it is none that runs.

        Each text is computed by so many threads, and comes to the same on any number of them.
        """
        options = _ORT.SessionOptions()
        options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
        # A thread that has nothing to do would keep a core busy that others wait for.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        options.log_severity_level = _LOG_NOTHING
        try:
            self._session = _ORT.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
        except _ERRORS as error:
            raise EmbeddingFailed(f"onnxruntime refuses the model: {type(error).__name__}") from None

    def run(self, **inputs: Sequence[int]) -> NDArray[np.float32]:
        """Return what the graph makes of at least one piece; EmbeddingFailed where it does not run."""
        try:
            return self._session.run(None, {name: np.array(given, np.int64) for name, given in inputs.items()})[0]
        except _ERRORS as error:
            raise EmbeddingFailed(f"onnxruntime failed: {type(error).__name__}") from None
