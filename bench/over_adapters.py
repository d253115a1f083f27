"""The services of a process over given adapters, which count, pace or keep in memory what a bench measures."""

from __future__ import annotations

from pathlib import Path

from cairn.embedded.wiring import EmbeddedWiring
from cairn.ground.adapters import Adapters
from cairn.ground.ports import Embedder, Reader
from cairn.ground.settings import MemorySettings
from cairn.services import Services
from cairn.settings.settings import EmbeddedStore, Settings


def services_over(
    adapters: Adapters,
    settings: Settings | MemorySettings | None = None,
    embedder: Embedder | None = None,
    reader: Reader | None = None,
) -> Services:
    """Return services without a language model and, unless they are given, without embedder and reader."""
    if not isinstance(settings, Settings):
        settings = Settings(memory_enabled=True, memory=settings or MemorySettings())
    services = Services(settings, EmbeddedWiring(EmbeddedStore(directory=Path("nowhere")), settings), adapters)
    vars(services).update(embedder=embedder, reader=reader, fact_model=None)
    return services
