"""Choose the embedder of a process by its settings."""

from __future__ import annotations

import logging
import sys
from pathlib import Path

from cairn.ground.ports import Embedder
from cairn.ground.settings import EmbeddingSettings
from cairn.models.minilm import MODEL, MiniLm

BUILT = Path(sys.prefix) / "share" / "cairn" / "model"
"""Where set-up builds the model, in the virtual environment."""

_logger = logging.getLogger("cairn")


def embedder(settings: EmbeddingSettings) -> Embedder | None:
    """Return what turns texts into vectors; None, with a line in the log, where MiniLM's files are not there."""
    match settings.embedder:
        case "none":
            return None
        case "titan":
            from cairn.aws.clients import Clients  # noqa: PLC0415 - one machine does without the AWS SDK
            from cairn.aws.titan import Titan  # noqa: PLC0415

            return Titan(Clients(), settings)
        case "minilm":
            return _minilm(Path(settings.directory) if settings.directory else BUILT)


def _minilm(directory: Path) -> Embedder | None:
    if not (directory / MODEL).is_file():
        _logger.info("no embedding model in %s: texts are found by their words alone", directory)
        return None
    return MiniLm(directory)
