"""The default embedder: all-MiniLM-L6-v2 with 8-bit weights, in this process."""

from __future__ import annotations

from math import sqrt
from pathlib import Path
from typing import TYPE_CHECKING

from cairn.ground.calibration import Calibration
from cairn.ground.ports import Embedded
from cairn.ground.text_cache import TextCache
from cairn.models.lazy_model import MODEL, LazyModel

if TYPE_CHECKING:
    from cairn.recall.corpus import Vector

NAME = "minilm-l6-int8-tokens"
_MOST_PIECES = 256
"""What the model was trained on; what follows of a longer text does not count."""
_MOST_NEWEST = 16


class MiniLm:
    """Embeds texts; the model is loaded with the first one, and where that fails every text fails at once."""

    name = NAME
    calibration = Calibration(english_only=True)

    def __init__(self, directory: Path, *, threads: int = 1) -> None:
        """Take the directory that layers/model/build_model.py wrote, and how many threads compute a text."""
        self._model = LazyModel(directory, MODEL, without="embedding", threads=threads)
        self._newest = TextCache(self._run, entries=_MOST_NEWEST)

    @property
    def is_loaded(self) -> bool:
        """Return whether the model is loaded."""
        return self._model.is_loaded

    def embed(self, text: str) -> Vector:
        """Return the text's unit vector; EmbeddingFailed where the model is not there or does not run."""
        return self.embed_with_tokens(text).vector

    def embed_with_tokens(self, text: str) -> Embedded:
        """Return the mean of the text's pieces as a unit vector, and those of words; EmbeddingFailed as `embed`.

        What a turn asks is stored when it ends: of the newest texts the vectors are kept.
        """
        return self._newest.get(text)

    def _run(self, text: str) -> Embedded:
        pieces, graph = self._model.ready()
        numbers = pieces.encode(text, _MOST_PIECES)
        tokens = graph.run(input_ids=numbers)
        mean = tokens.mean(axis=0)
        of_words = [place for place, number in enumerate(numbers) if pieces.is_of_word(number)]
        return Embedded(mean / sqrt(mean @ mean), tokens[of_words])
