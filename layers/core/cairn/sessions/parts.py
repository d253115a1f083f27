"""The parts that the use cases share, so that a process has one cache of keys and one of views."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

from cairn.ground.adapters import Adapters
from cairn.ground.ids import Tenant
from cairn.ground.settings import MemorySettings
from cairn.log.log import MemoryLog
from cairn.recall.searching import Searcher
from cairn.vault.vault import Vault

if TYPE_CHECKING:
    from cairn.recall.indexing import Indexer
    from cairn.sessions.guards import Guards
    from cairn.sessions.sessions import Sessions

SettingsFor: TypeAlias = Callable[[Tenant], MemorySettings]


@dataclass(frozen=True)
class Parts:
    """What every use case is made of; what not every use case needs is made, and loaded, when it is asked for."""

    adapters: Adapters
    vault: Vault
    log: MemoryLog
    recall: Searcher
    settings_for: SettingsFor

    @classmethod
    def of(cls, adapters: Adapters, settings_for: SettingsFor) -> Parts:
        """Put the parts together over the adapters of one process."""
        vault = Vault(adapters)
        log = MemoryLog(adapters, vault)
        return cls(
            adapters=adapters,
            vault=vault,
            log=log,
            recall=Searcher(adapters, log),
            settings_for=settings_for,
        )

    @cached_property
    def sessions(self) -> Sessions:
        """Return what reads and leases sessions, and keeps their newest turns."""
        from cairn.sessions.sessions import Sessions  # noqa: PLC0415 - memories are found and kept without turns

        return Sessions(self.adapters, self.vault)

    @property
    def guards(self) -> Guards:
        """Return what claims turns."""
        from cairn.sessions.guards import Guards  # noqa: PLC0415

        return Guards(self.adapters, self.vault)

    @property
    def indexer(self) -> Indexer:
        """Return what makes segments of logs."""
        from cairn.recall.indexing import Indexer  # noqa: PLC0415 - only workers and operators index

        return Indexer(self.adapters, self.vault)
