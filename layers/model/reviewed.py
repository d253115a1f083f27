"""What was reviewed of the models: their files' names and their SHA-256."""

from __future__ import annotations

import hashlib
from pathlib import Path

WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
VOCABULARY_SHA256 = "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"
MODEL_SHA256 = "a6bf8ef60f95802b05ad535389d82da33f18333b993b1493f6c6363bb34a6684"
TUNED_SHA256 = "246b77eb75b1c2a01675c8fe7040e9d473d31207e61ac9ac73fa7fbcdb921de8"
READER_SHA256 = "8d62e9fd61187b4e3bfc3d4a0cd2351e5879b42857d126e4709cc7b71783873c"
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
