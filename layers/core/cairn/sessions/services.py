"""What the use cases of sessions share, so that a process has one cache of keys and one of each log."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from cairn.ground.adapters import Adapters
    from cairn.ground.ports import FactModel, Reader
    from cairn.log.log import MemoryLog
    from cairn.log.registry import Registry
    from cairn.recall.indexing import Indexer
    from cairn.recall.searching import Searcher
    from cairn.recall.tail_vectors import TailVectors
    from cairn.sessions.guards import Guards
    from cairn.sessions.open_turns import OpenTurns
    from cairn.sessions.sessions import Sessions
    from cairn.settings.settings import Settings
    from cairn.vault.vault import Vault


class SessionServices(Protocol):
    """The services that a use case may ask for; those of a process, `cairn.services.Services`, have them all."""

    @property
    def settings(self) -> Settings:
        """Return what the process was told."""
        ...

    @property
    def adapters(self) -> Adapters:
        """Return the adapters behind the ports."""
        ...

    @property
    def vault(self) -> Vault:
        """Return what seals and opens contents."""
        ...

    @property
    def log(self) -> MemoryLog:
        """Return the memory logs."""
        ...

    @property
    def registry(self) -> Registry:
        """Return what makes logs known to their projects, and projects to their tenants."""
        ...

    @property
    def reader(self) -> Reader | None:
        """Return what tells what sentences say, None where they are read by their words alone."""
        ...

    @property
    def searcher(self) -> Searcher:
        """Return what searches memory logs."""
        ...

    @property
    def indexer(self) -> Indexer:
        """Return what makes segments of logs."""
        ...

    @property
    def tail_vectors(self) -> TailVectors:
        """Return what stores vectors with the newest entries of logs."""
        ...

    @property
    def sessions(self) -> Sessions:
        """Return what reads and leases sessions, and keeps their newest turns."""
        ...

    @property
    def open_turns(self) -> OpenTurns:
        """Return what keeps turns that wait for their end."""
        ...

    @property
    def guards(self) -> Guards:
        """Return what claims turns."""
        ...

    @property
    def fact_model(self) -> FactModel | None:
        """Return the language model that is asked for facts, None where none is set up."""
        ...
