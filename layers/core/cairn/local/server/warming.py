"""Load what the first question needs while a server starts: whoever asks it need not wait for the model."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager, suppress
from threading import Thread

from cairn.ground.errors import EmbeddingFailed
from cairn.ground.ports import LoadedEmbedder
from cairn.local.server.doors import load
from cairn.services import Services


@contextmanager
def warming(services: Services) -> Generator[None]:
    """Load beside the block, on a thread of its own: most of it is reads of files and native code."""
    thread = Thread(target=_load, args=(services,), name="warming", daemon=True)
    thread.start()
    try:
        yield
    finally:
        thread.join()


def _load(services: Services) -> None:
    embedder = services.embedder
    if isinstance(embedder, LoadedEmbedder):
        with suppress(EmbeddingFailed):  # which the log tells of; texts are found by their words then
            embedder.embed("what is asked first")
    load("cairn.recall.answer.answer")
