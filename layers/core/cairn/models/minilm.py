"""The default embedder: all-MiniLM-L6-v2 with 8-bit weights, on one core of this process."""

from __future__ import annotations

import logging
from hashlib import file_digest
from math import sqrt
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from cairn.ground.calibration import Calibration
from cairn.ground.errors import EmbeddingFailed
from cairn.ground.ports import Embedded
from cairn.language.wordpiece import WordPiece

if TYPE_CHECKING:
    from cairn.models.onnx_graph import OnnxGraph
    from cairn.recall.corpus import Vector

NAME = "minilm-l6-int8-tokens"
MODEL, VOCABULARY = "minilm-l6-int8.onnx", "vocabulary.txt"
_SHA256 = {
    MODEL: "a6bf8ef60f95802b05ad535389d82da33f18333b993b1493f6c6363bb34a6684",
    VOCABULARY: "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
}
_MOST_PIECES = 256
"""What the model was trained on; what follows of a longer text does not count."""

_logger = logging.getLogger("cairn")


class MiniLm:
    """Embeds texts; the model is loaded with the first one, so that a process that embeds nothing pays nothing.

    A model that cannot be loaded is not tried again: the log says once why, and every text then fails at once.
    """

    name = NAME
    calibration = Calibration(english_only=True)

    def __init__(self, directory: Path) -> None:
        """Take the directory that layers/model/build_model.py wrote."""
        self._directory = directory
        self._lock = Lock()
        self._loaded: tuple[WordPiece, OnnxGraph] | None = None
        self._failure: str | None = None

    def embed(self, text: str) -> Vector:
        """Return the text's unit vector; EmbeddingFailed where the model is not there or does not run."""
        return self.embed_with_tokens(text).vector

    def embed_with_tokens(self, text: str) -> Embedded:
        """Return the mean of the text's pieces as a unit vector, and those of words; EmbeddingFailed as `embed`."""
        pieces, graph = self._ready()
        numbers = pieces.encode(text, _MOST_PIECES)
        tokens = graph.tokens(numbers)
        mean = tokens.mean(axis=0)
        of_words = [place for place, number in enumerate(numbers) if pieces.is_of_word(number)]
        return Embedded(mean / sqrt(mean @ mean), tokens[of_words])

    def _ready(self) -> tuple[WordPiece, OnnxGraph]:
        with self._lock:
            if self._failure is not None:
                raise EmbeddingFailed(self._failure)
            if self._loaded is None:
                try:
                    self._loaded = self._load()
                except EmbeddingFailed as failed:
                    self._failure = str(failed)
                    _logger.warning("no embedding: %s", failed)
                    raise
            return self._loaded

    def _load(self) -> tuple[WordPiece, OnnxGraph]:
        try:
            from cairn.models.onnx_graph import OnnxGraph  # noqa: PLC0415 - 100 ms, only where something is embedded
        except ImportError:
            raise EmbeddingFailed("onnxruntime cannot be loaded") from None
        vocabulary = checked(self._directory, VOCABULARY)
        try:
            pieces = vocabulary.read_text(encoding="utf-8").splitlines()
        except OSError:
            raise _unreadable(VOCABULARY) from None
        return WordPiece(pieces), OnnxGraph(checked(self._directory, MODEL))


def checked(directory: Path, name: str) -> Path:
    """Return where a file of the model is; EmbeddingFailed where it is not the one that was reviewed."""
    path = directory / name
    try:
        with path.open("rb") as file:
            digest = file_digest(file, "sha256").hexdigest()
    except OSError:
        raise _unreadable(name) from None
    if digest != _SHA256[name]:
        raise EmbeddingFailed(f"{name} of the embedding model is not the one it should be")
    return path


def _unreadable(name: str) -> EmbeddingFailed:
    return EmbeddingFailed(f"{name} of the embedding model cannot be read")
