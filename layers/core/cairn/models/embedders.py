"""Choose the embedder of a process by its settings."""

from __future__ import annotations

import logging
import os
import sys
from pathlib import Path

from cairn.ground.ports import Embedder, Reader
from cairn.ground.settings import EmbeddingSettings
from cairn.models.cores import cores
from cairn.models.lazy_model import MODEL, READER
from cairn.models.minilm import MiniLm
from cairn.models.multilingual import Multilingual, is_installed
from cairn.models.statement_reader import StatementReader

BUILT = Path(sys.prefix) / "share" / "cairn" / "model"
"""Where a checkout's set-up builds the model, in the virtual environment."""
LAYERED = "cairn_model"
"""The model's directory beside the modules, in its Lambda layer and in an install: on the path, wherever that is."""

_logger = logging.getLogger("cairn")


def embedder(settings: EmbeddingSettings) -> Embedder | None:
    """Return what turns texts into vectors; None, with a line in the log, where its model is not there."""
    match settings.embedder:
        case "none":
            return None
        case "titan":
            from cairn.aws.clients import Clients  # noqa: PLC0415 - one machine does without the AWS SDK
            from cairn.aws.titan import Titan  # noqa: PLC0415

            return Titan(Clients(), settings)
        case "multilingual":
            return _multilingual()
        case "minilm":
            return _minilm(settings)


def reader(settings: EmbeddingSettings) -> Reader | None:
    """Return what tells what sentences say; None where they are read by their words alone, without MiniLM's files."""
    place = directory(settings)
    is_there = settings.embedder == "minilm" and (place / READER).is_file()
    return StatementReader(place, threads=_threads(settings)) if is_there else None


def directory(settings: EmbeddingSettings) -> Path:
    """Return where MiniLM's files are, or where set-up would build them if they are nowhere."""
    if settings.directory:
        return Path(settings.directory)
    layered = (Path(each) / LAYERED for each in sys.path)
    return next((each for each in (of_this_person(), *layered, BUILT) if (each / MODEL).is_file()), BUILT)


def of_this_person() -> Path:
    """Return where a model is built for an install that came without one: `cairn/model` under XDG_CACHE_HOME.

    That is ~/.cache unless it is set to an absolute path.
    """
    chosen = Path(os.environ.get("XDG_CACHE_HOME", ""))
    home = Path(os.path.expanduser("~"))  # noqa: PTH111 - Path's own raises where nobody's home is known
    return (chosen if chosen.is_absolute() else home / ".cache") / "cairn" / "model"


def _threads(settings: EmbeddingSettings) -> int:
    return min(settings.threads, cores())


def _minilm(settings: EmbeddingSettings) -> Embedder | None:
    place = directory(settings)
    if not (place / MODEL).is_file():
        _logger.info("no embedding model in %s: texts are found by their words alone", place)
        return None
    return MiniLm(place, threads=_threads(settings))


def _multilingual() -> Embedder | None:
    if not is_installed():
        _logger.info("cairn-aws[multilingual] is not installed: texts are found by their words alone")
        return None
    return Multilingual()
