"""The default embedder: all-MiniLM-L6-v2 with 8-bit weights, on one core of this process."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from cairn.domain.calibration import Calibration
from cairn.domain.errors import EmbeddingFailed
from cairn.domain.wordpiece import WordPiece

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

    from cairn.domain.recall.corpus import Vector

NAME = "minilm-l6-int8"
_MODEL, _VOCABULARY = "minilm-l6-int8.onnx", "vocabulary.txt"
_SHA256 = {
    _MODEL: "c2e995a2f8d212547535c53169e5276e40ea157ee324796ef212c13862357907",
    _VOCABULARY: "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
}
_MOST_PIECES = 256
"""What the model was trained on; what follows of a longer text does not count."""


class MiniLm:
    """Loads the model at the first text, so that a process that embeds nothing pays nothing."""

    name = NAME
    calibration = Calibration(english_only=True)

    def __init__(self, directory: Path) -> None:
        """Take the directory that layers/model/build_model.py wrote."""
        self._directory = directory
        self._lock = Lock()
        self._loaded: tuple[WordPiece, InferenceSession] | None = None

    def embed(self, text: str) -> Vector:
        """Return the text's unit vector; EmbeddingFailed where the model is not there or does not run."""
        import numpy as np  # noqa: PLC0415 - with the model, at its first use

        pieces, session = self._ready()
        numbers = np.array(pieces.encode(text, _MOST_PIECES), np.int64)
        answer: Any = session.run(None, {"input_ids": numbers})
        return answer[0]

    def _ready(self) -> tuple[WordPiece, InferenceSession]:
        with self._lock:
            if self._loaded is None:
                self._loaded = self._load()
            return self._loaded

    def _load(self) -> tuple[WordPiece, InferenceSession]:
        try:
            import onnxruntime  # noqa: PLC0415 - 40 ms, only where something is embedded
        except ImportError:
            raise EmbeddingFailed("onnxruntime is not installed") from None
        vocabulary = self._read(_VOCABULARY).decode().splitlines()
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        session = onnxruntime.InferenceSession(self._read(_MODEL), options, providers=["CPUExecutionProvider"])
        return WordPiece(vocabulary), session

    def _read(self, name: str) -> bytes:
        """Return what a file of the model holds, if it is the one that was reviewed: a torn one is none."""
        try:
            data = (self._directory / name).read_bytes()
        except OSError:
            raise EmbeddingFailed(f"{name} of the embedding model cannot be read") from None
        if sha256(data).hexdigest() != _SHA256[name]:
            raise EmbeddingFailed(f"{name} of the embedding model is not the one it should be")
        return data
