"""Read statements: MiniLM that was trained on to tell what a sentence says."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from cairn.models.lazy_model import MODEL, READER, LazyModel

QUESTIONS: Final = 13
"""How many numbers `read` gives; what the graph gives after them is of a pair."""
# As it was trained: what follows in longer texts does not count.
_MOST_PIECES, _MOST_OF_PAIR = 48, 56


class StatementReader:
    """Tells what sentences say; the model is loaded with the first, and where that fails every one fails at once."""

    def __init__(self, directory: Path, *, threads: int = 1) -> None:
        """Take the directory that layers/model/build_model.py wrote, and how many threads compute a text."""
        self._model = LazyModel(directory, READER, MODEL, without="reading of statements", threads=threads)

    def read(self, text: str) -> Sequence[float]:
        """Return log-odds: it lasts, changes what was said before, is of a project, and is of each of heads.KINDS.

        EmbeddingFailed where the model is not there or does not run.
        """
        pieces, graph = self._model.ready()
        alone = pieces.encode(text, _MOST_PIECES)
        return graph.run(input_ids=alone, type_ids=[0] * len(alone))[:QUESTIONS].tolist()

    def judge(self, newer: str, older: str) -> float:
        """Return the log-odds that what the newer text says changes what the older one does.

        EmbeddingFailed as `read`.
        """
        pieces, graph = self._model.ready()
        first, second = pieces.encode(newer, _MOST_OF_PAIR), pieces.encode(older, _MOST_OF_PAIR)[1:]
        types = [0] * len(first) + [1] * len(second)
        return float(graph.run(input_ids=[*first, *second], type_ids=types)[QUESTIONS])
