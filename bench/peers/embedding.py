"""What the library peers embed texts with: a model that is given, or words hashed to numbers where there is none.

A hashed word costs next to nothing and means nothing: figures with it leave out what a model takes and finds.
"""
# pyright: basic, reportMissingImports=false
# runs in the peers' own environments

from __future__ import annotations

import re
from pathlib import Path
from zlib import crc32

import numpy as np

DIMENSIONS = 384
_WORD = re.compile(r"\w+")
_SIGNS = 1 << 16


class HashedWords:
    """Adds up one signed dimension for each word."""

    def embed(self, text: str) -> list[float]:
        """Return a vector of length 1."""
        vector = np.zeros(DIMENSIONS, np.float32)
        for word in _WORD.findall(text.lower()):
            number = crc32(word.encode())
            vector[number % DIMENSIONS] += 1.0 if number & _SIGNS else -1.0
        return (vector / (np.linalg.norm(vector) or 1.0)).tolist()


class Model:
    """A sentence model in ONNX, from token numbers to a vector of each, on one thread."""

    def __init__(self, directory: Path) -> None:
        """Load the one *.onnx and vocabulary.txt of a directory."""
        import onnxruntime  # noqa: PLC0415 - no cost where words are hashed
        from tokenizers import BertWordPieceTokenizer  # noqa: PLC0415

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        (path,) = directory.glob("*.onnx")
        self._session = onnxruntime.InferenceSession(str(path), options)
        self._tokenizer = BertWordPieceTokenizer(str(directory / "vocabulary.txt"), lowercase=True)

    def embed(self, text: str) -> list[float]:
        """Return a vector of length 1."""
        tokens = np.array(self._tokenizer.encode(text).ids[:256], np.int64)
        (answer,) = self._session.run(None, {self._session.get_inputs()[0].name: tokens})
        vector = np.asarray(answer, np.float32).mean(axis=0)
        return (vector / np.linalg.norm(vector)).tolist()


def embedder(directory: str) -> HashedWords | Model:
    """Return the model in a directory; without one, hashed words."""
    return Model(Path(directory)) if directory else HashedWords()
