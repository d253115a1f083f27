"""What is loaded with its first use: a graph and its vocabulary from where layers/model/build_model.py wrote them."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from hashlib import file_digest
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Final, Generic, TypeVar

from cairn.ground.errors import EmbeddingFailed
from cairn.language.wordpiece import WordPiece

if TYPE_CHECKING:
    from cairn.models.onnx_graph import OnnxGraph

MODEL: Final = "minilm-l6-int8.onnx"
READER: Final = "reader-int8.onnx"
VOCABULARY: Final = "vocabulary.txt"
PIECES: Final = "sp.model"
WEIGHTS: Final = "weights.npz"
_SHA256 = {
    MODEL: "a6bf8ef60f95802b05ad535389d82da33f18333b993b1493f6c6363bb34a6684",
    READER: "489ad41ed9033edb2fe039d205d8c6691aff2c93fb3ae5ac9c2f38b151565e70",
    VOCABULARY: "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
    PIECES: "994fcc2e8ad0fe2c802b68fa0de9f058403f2b1656c2d33b6a94146b0c5925e9",
    WEIGHTS: "0db566fd0af82cbf9f3a7eac3920ede5fb784a6882398563ca9b1bbd66fb37c9",
}
_T = TypeVar("_T")

_logger = logging.getLogger("cairn")


class LoadedOnce(Generic[_T]):
    """Loads something with its first use, so that a process without one pays nothing. Threads may share it.

    What cannot be loaded is not tried again: the log says once why, and every use then fails at once.
    """

    def __init__(self, load: Callable[[], _T], without: str) -> None:
        """Take what loads it, which raises EmbeddingFailed where it cannot, and what is lost without it."""
        self._load = load
        self._without = without
        self._lock = Lock()
        self._loaded: _T | None = None
        self._failure: str | None = None

    @property
    def is_loaded(self) -> bool:
        """Return whether it is loaded."""
        return self._loaded is not None

    def ready(self) -> _T:
        """Return what was loaded; EmbeddingFailed where it is not there or does not load."""
        with self._lock:
            if self._failure is not None:
                raise EmbeddingFailed(self._failure)
            if self._loaded is None:
                try:
                    self._loaded = self._load()
                except EmbeddingFailed as failed:
                    self._failure = str(failed)
                    _logger.warning("no %s: %s", self._without, failed)
                    raise
            return self._loaded


class LazyModel:
    """A graph with its vocabulary, loaded with its first use."""

    def __init__(self, directory: Path, graph: str, *others: str, without: str, threads: int) -> None:
        """Take the directory, the graph's file, others that it reads from, what is lost without it, and its threads."""
        self._directory = directory
        self._threads = threads
        self._names = (VOCABULARY, *others, graph)
        self._once = LoadedOnce(self._load, without)

    @property
    def is_loaded(self) -> bool:
        """Return whether it is loaded."""
        return self._once.is_loaded

    def ready(self) -> tuple[WordPiece, OnnxGraph]:
        """Return what cuts texts and what runs; EmbeddingFailed where the model is not there or does not load."""
        return self._once.ready()

    def _load(self) -> tuple[WordPiece, OnnxGraph]:
        # From 1.31 on its wheels keep an id of the machine under ~/.cache as they are loaded, and report what they run.
        os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
        try:
            from cairn.models.onnx_graph import OnnxGraph  # noqa: PLC0415 - 100 ms, only where a model is used
        except ImportError:
            raise EmbeddingFailed("onnxruntime cannot be loaded") from None
        vocabulary, *_, graph = [checked(self._directory, name) for name in self._names]
        try:
            pieces = vocabulary.read_text(encoding="utf-8").splitlines()
        except OSError:
            raise _unreadable(VOCABULARY) from None
        return WordPiece(pieces), OnnxGraph(graph, self._threads)


def checked(directory: Path, name: str) -> Path:
    """Return where a file of the models is; EmbeddingFailed where it is not the one that was reviewed."""
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
