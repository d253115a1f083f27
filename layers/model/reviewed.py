"""What was reviewed of the models: their files' names and their SHA-256."""

from __future__ import annotations

import hashlib
from pathlib import Path

WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
VOCABULARY_SHA256 = "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"
MODEL_SHA256 = "a6bf8ef60f95802b05ad535389d82da33f18333b993b1493f6c6363bb34a6684"
TUNED_SHA256 = "063241339c0e5ddf1ac340fcab470e12266657bba3606882307f1e0d55c3e26a"
READER_SHA256 = "489ad41ed9033edb2fe039d205d8c6691aff2c93fb3ae5ac9c2f38b151565e70"
MODEL, VOCABULARY, READER = "minilm-l6-int8.onnx", "vocabulary.txt", "reader-int8.onnx"


def checked(path: Path, digest: str) -> bytes:
    """Return what the file holds; ValueError where it is not what it should be."""
    data = path.read_bytes()
    if hashlib.sha256(data).hexdigest() != digest:
        raise ValueError(f"{path.name} is not the one that was reviewed")
    return data


def is_whole(directory: Path) -> bool:
    """Tell whether a directory holds the models that were reviewed."""
    try:
        checked(directory / VOCABULARY, VOCABULARY_SHA256)
        checked(directory / READER, READER_SHA256)
        checked(directory / MODEL, MODEL_SHA256)
    except (OSError, ValueError):
        return False
    return True
