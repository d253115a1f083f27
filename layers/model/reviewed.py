"""What was reviewed of the models: their files' names and their SHA-256."""

from __future__ import annotations

import hashlib
from pathlib import Path

WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
VOCABULARY_SHA256 = "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"
MODEL_SHA256 = "a6bf8ef60f95802b05ad535389d82da33f18333b993b1493f6c6363bb34a6684"
TUNED_SHA256 = "1836f2dc9b9fb8f768e4f662956bdc4e1476ec72eb4f831ad4ea3f1909a35946"
READER_SHA256 = "b5ec46ee89290fedef6f1afabee5b738d469ad400ec7c0e38727d5b3b483d83d"
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
