"""Backups of a household's store, for tests."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any, BinaryIO

from cairn.embedded.blobs import DirectoryBlobs
from cairn.embedded.keyring import LocalKeyRing
from cairn.embedded.storage import DirectoryStorage
from cairn.embedded.table import SqliteTable
from cairn.ground.adapters import Adapters
from cairn.ground.ports import Storage
from cairn.local.backup.backup import Done, back_up
from cairn.local.backup.drill import drill
from cairn.local.backup.restore import Restored, restore
from cairn.settings.settings import EmbeddedStore, Settings
from support.custody import SETTINGS, Household
from support.services import services_over

KEY = bytes(range(32)).hex()
OF_TESTS = Settings(memory_enabled=True, memory=SETTINGS)


@dataclass(frozen=True, slots=True)
class Cellar:
    """A household, and where its backups are."""

    house: Household
    root: Path

    @classmethod
    def under(cls, root: Path, adapters: Adapters, directory: Path) -> Cellar:
        """Return one over these adapters, whose master key is the tests'."""
        return cls(Household.over(replace(adapters, keys=LocalKeyRing(bytes.fromhex(KEY))), directory), root)

    @property
    def storage(self) -> DirectoryStorage:
        return DirectoryStorage(self.root / "backups")

    @property
    def store(self) -> EmbeddedStore:
        return EmbeddedStore(directory=self.house.directory, master_key=KEY)

    def back_up(self, storage: Storage | None = None, **choices: Any) -> Done:
        """Back up, a minute after what was before and a minute before what follows."""
        self.house.later(minutes=1)
        done = back_up(self.store, storage or self.storage, self.house.adapters.clock, **choices)
        self.house.later(minutes=1)
        return done

    def restore(
        self,
        at: datetime | None = None,
        live: EmbeddedStore | None = None,
        to: str = "restored",
        storage: Storage | None = None,
    ) -> tuple[Household, Restored]:
        """Restore, and return the household as it is there, and what was told."""
        target = self.root / to
        done = restore(storage or self.storage, target, live or self.store, OF_TESTS, self.house.adapters.clock, at=at)
        return self.opened(target), done

    def opened(self, directory: Path) -> Household:
        table, blobs = SqliteTable(directory / "table.sqlite3"), DirectoryBlobs(directory / "blobs")
        return Household.over(replace(self.house.adapters, table=table, blobs=blobs), directory)

    def drill(self, storage: Storage | None = None, store: EmbeddedStore | None = None) -> tuple[bool, list[str]]:
        """Hold a drill, and return whether the backup is good, and the transcript."""
        told: list[str] = []
        services = services_over(self.house.adapters, OF_TESTS)
        return drill(services, store or self.store, storage, told.append), told

    def file(self, pattern: str) -> Path:
        """Return the one file of the backups that matches."""
        (found,) = (self.root / "backups").glob(pattern)
        return found


@dataclass(slots=True)
class Watched:
    """A storage that tells of each call before it is made."""

    storage: Storage
    told: Callable[[str, str], None]

    def names(self, prefix: str = "") -> Any:
        return self.storage.names(prefix)

    def fetch(self, name: str, into: BinaryIO) -> None:
        self.told("fetch", name)
        self.storage.fetch(name, into)

    def put(self, name: str, file: BinaryIO) -> None:
        self.told("put", name)
        self.storage.put(name, file)

    def delete(self, name: str) -> None:
        self.told("delete", name)
        self.storage.delete(name)
