"""The parts that the use cases share, so that a process has one cache of keys and one of views."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from cairn.domain.ids import Tenant
from cairn.domain.settings import MemorySettings
from cairn.service.guards import Guards
from cairn.service.indexing import Indexer
from cairn.service.memory_log import MemoryLog
from cairn.service.recall import Recall
from cairn.service.sessions import Sessions
from cairn.service.vault import Vault
from cairn.service.world import World

SettingsFor: TypeAlias = Callable[[Tenant], MemorySettings]


@dataclass(frozen=True, slots=True)
class Parts:
    """What every use case is made of."""

    world: World
    vault: Vault
    sessions: Sessions
    guards: Guards
    log: MemoryLog
    recall: Recall
    indexer: Indexer
    settings_for: SettingsFor

    @classmethod
    def of(cls, world: World, settings_for: SettingsFor) -> Parts:
        """Put the parts together over the adapters of one process."""
        vault = Vault(world)
        log = MemoryLog(world, vault)
        return cls(
            world=world,
            vault=vault,
            sessions=Sessions(world, vault),
            guards=Guards(world, vault),
            log=log,
            recall=Recall(world, log),
            indexer=Indexer(world, vault),
            settings_for=settings_for,
        )
