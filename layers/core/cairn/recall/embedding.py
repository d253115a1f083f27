"""Embed logs and questions; without an embedder, or if it fails, recall goes by words.

Segments hold vectors, and so do the entries behind them, from right after they were appended. What has none yet, since
it is that new or could not be embedded, gets its vectors when it is searched, the newest first and for a while, so that
nobody is kept waiting; the answer says how much had none.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from datetime import timedelta

import numpy as np
from numpy.typing import NDArray

from cairn.ground.adapters import Adapters
from cairn.ground.errors import EmbeddingFailed
from cairn.ground.ports import Embedder, TokenEmbedder
from cairn.log.documents import KINDS, GrowingDocuments, Kind, Vectors
from cairn.log.stretch import Stretch
from cairn.log.view import MemoryView
from cairn.recall import token_vectors
from cairn.recall.corpus import QueryVectors, Vector, stored_bytes
from cairn.recall.sketch import sketched, unsigned
from cairn.recall.token_vectors import Tokens, projected

LONGEST = timedelta(milliseconds=200)
"""How long a call gives vectors to what no segment holds; a document takes a few milliseconds of it."""


def growing(views: Iterable[MemoryView], kinds: Iterable[Kind] = KINDS) -> list[GrowingDocuments]:
    """Return what views have of these kinds that no segment holds."""
    return [view.tail.documents(kind) for view in views for kind in kinds]


class Embedding:
    """Makes vectors, or none if there is no embedder or it fails."""

    def __init__(self, adapters: Adapters, embedder: Embedder | None) -> None:
        """Hold no state of its own."""
        self._adapters = adapters
        self._embedder = embedder

    @property
    def english_only(self) -> bool:
        """Tell whether vectors say little of other languages."""
        return self._embedder is not None and self._embedder.calibration.english_only

    def query_vectors(self, growing: Iterable[GrowingDocuments], asked: str, as_put: str) -> QueryVectors | None:
        """Return a question as vectors, with what is new among these made comparable; None to go by words.

        The question comes first, since a new process loads the model for it: that takes no time from the texts.
        """
        embedder = self._embedder
        if embedder is None:
            return None
        try:
            first_person, tokens = _embedded(embedder, asked)
            # Mostly they are the same, and a vector costs milliseconds.
            vector = first_person if as_put == asked else embedder.embed(as_put)
            self._fill(growing, embedder)
        except EmbeddingFailed:
            self._adapters.tally.unembedded()
            return None
        of_words = None if tokens is None or not len(tokens) else projected(tokens)
        return QueryVectors(first_person, vector, embedder.name, embedder.calibration, of_words)

    def _fill(self, growing: Iterable[GrowingDocuments], embedder: Embedder) -> None:
        """Give vectors to what has none yet: at least one, as many as there is time for."""
        late = self._adapters.clock.now() + LONGEST
        for documents in growing:
            for doc, text in documents.without_vector(embedder.name):
                documents.place(doc, stored_bytes(*_embedded(embedder, text)))
                if self._adapters.clock.now() >= late:
                    return

    def of(self, view: MemoryView, with_sketch: Collection[Kind] = ()) -> Mapping[Kind, Vectors]:
        """Return the vectors of all documents of a view, each kind's where there are any and all could be made.

        Those of the kinds `with_sketch` come with one.
        """
        embedder = self._embedder
        if embedder is None:
            return {}
        found: dict[Kind, Vectors] = {}
        try:
            for kind in KINDS:
                data = b"".join(vectors_of(stretch, kind, embedder) for stretch in view.stretches)
                if data:
                    made = Vectors(embedder.name, data)
                    found[kind] = _sketched(made, view, kind, embedder) if kind in with_sketch else made
        except EmbeddingFailed:
            return {}
        return found


def vectors_of(stretch: Stretch, kind: Kind, embedder: Embedder) -> bytes:
    """Return the vectors of a stretch's documents end to end: those it has, and new ones of the others.

    EmbeddingFailed where one cannot be made.
    """
    held = stretch.documents(kind).vectors
    if held is None or held.embedder != embedder.name:
        held = Vectors(embedder.name, b"", ())
    if held.docs is None:
        return bytes(held.data)
    size = len(held.data) // max(1, len(held.docs))
    known = {doc: bytes(held.data[place * size : (place + 1) * size]) for place, doc in enumerate(held.docs)}
    return b"".join(
        known.get(doc) or stored_bytes(*_embedded(embedder, text)) for doc, text in enumerate(stretch.texts(kind))
    )


def _sketched(vectors: Vectors, view: MemoryView, kind: Kind, embedder: Embedder) -> Vectors:
    """Return the vectors of all of a view's documents with their signs apart."""
    count = sum(len(stretch.documents(kind)) for stretch in view.stretches)
    stored = np.frombuffer(vectors.data, np.int8).reshape(count, -1)
    # Behind a vector are its tokens' codes, where the embedder tells tokens apart.
    codes = token_vectors.BYTES if isinstance(embedder, TokenEmbedder) else 0
    return apart(vectors.embedder, stored, stored.shape[1] - codes)


def apart(embedder: str, stored: NDArray[np.int8], dimensions: int) -> Vectors:
    """Return stored vectors, of which the first so many numbers have their signs in a sketch."""
    sketch = sketched(stored[:, :dimensions]).tobytes()
    return Vectors(embedder, unsigned(stored, dimensions).tobytes(), sketch=sketch, dimensions=dimensions)


def _embedded(embedder: Embedder, text: str) -> tuple[Vector, Tokens | None]:
    return embedder.embed_with_tokens(text) if isinstance(embedder, TokenEmbedder) else (embedder.embed(text), None)
