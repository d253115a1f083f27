"""Processes for tests: services over given adapters, with whatever a test puts in the place of a capability."""

from __future__ import annotations

from copy import copy
from pathlib import Path
from typing import Any

from cairn.embedded.blobs import DirectoryBlobs
from cairn.embedded.inventory import EmbeddedInventory
from cairn.embedded.table import SqliteTable
from cairn.embedded.wiring import EmbeddedWiring
from cairn.ground.adapters import Adapters
from cairn.ground.settings import MemorySettings
from cairn.services import Services
from cairn.settings.settings import EmbeddedStore, Settings
from support.doubles import InProcessSandbox


def services_over(adapters: Adapters, settings: Settings | MemorySettings | None = None, **given: Any) -> Services:
    """Return the services of a process that has nothing in memory yet; `given` are capabilities that it does not make.

    Texts are found by their words, facts by rule, and standard tools run in this process, unless told.
    """
    if not isinstance(settings, Settings):
        settings = Settings(memory_enabled=True, memory=settings or MemorySettings())
    services = Services(settings, EmbeddedWiring(EmbeddedStore(directory=Path("nowhere")), settings), adapters)
    doubles = {
        "embedder": None,
        "reader": None,
        "fact_model": None,
        "http_get": None,
        "http_post": None,
        "sandbox": InProcessSandbox(),
    }
    return changed(services, **{**doubles, **_walking(adapters), **given})


def _walking(adapters: Adapters) -> dict[str, EmbeddedInventory]:
    """Return the way to all that the adapters' own directory holds, where they have one."""
    blobs: Any = adapters.blobs
    if not isinstance(adapters.table, SqliteTable) or not isinstance(blobs, DirectoryBlobs):
        return {}
    return {"inventory": EmbeddedInventory(adapters.table, vars(blobs)["_root"])}


def changed(services: Services, **given: Any) -> Services:
    """Return services that share all that these have made, but for what is given: settings, capabilities."""
    other = copy(services)
    for name, value in given.items():
        setattr(other, name, value)
    return other
