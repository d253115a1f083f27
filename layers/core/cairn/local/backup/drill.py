"""Prove a backup: restore it into an empty place that is gone afterwards, and compare that with the store."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import closing, contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import cast

from cairn.custody.erasures import tenants_of
from cairn.embedded.inventory import EmbeddedInventory
from cairn.embedded.storage import DirectoryStorage
from cairn.embedded.table import SqliteTable
from cairn.embedded.wiring import EmbeddedWiring
from cairn.ground.codec import rfc3339
from cairn.ground.ports import Storage
from cairn.local.backup.backup import back_up_of
from cairn.local.backup.comparison import Say, Side, compare
from cairn.local.backup.restore import Restored, restore
from cairn.local.tables import counted
from cairn.services import Services
from cairn.settings.settings import EmbeddedStore


def drill(services: Services, store: EmbeddedStore, storage: Storage | None, say: Say) -> bool:
    """Restore the newest backup, or without a storage one that is made for this, and return whether it is good.

    The latter is of the same moment that it is compared with, so that nothing may differ.
    """
    clock = services.adapters.clock
    say(f"Drill of {rfc3339(clock.now())}, of the store in {store.directory}")
    with (
        TemporaryDirectory(prefix="cairn-drill-") as staging,
        closing(SqliteTable(store.table_file)) as table,
        EmbeddedInventory(table, store.blobs_directory).snapshot() as state,
    ):
        place = storage or DirectoryStorage(Path(staging) / "backup")
        if storage is None:
            back_up_of(nullcontext(state.table), state.blobs, store, place, clock)
        at = Path(staging) / "restored"
        restored = restore(place, at, store, services.settings, clock)
        _tell(restored, storage, say)
        with _opened(services, replace(store, directory=at)) as there:
            same = [
                compare(Side.of(services, state), there, tenant, say, strict=storage is None)
                for tenant in tenants_of(restored.manifest.keys)
                if tenant not in restored.tenants
            ]
    say("The backup is good." if all(same) else "The backup is NOT what the store holds.")
    return all(same)


@contextmanager
def _opened(services: Services, place: EmbeddedStore) -> Generator[Side]:
    """Open what was restored, under the settings and the clock of the store that it is of."""
    settings = replace(services.settings, store=place)
    wired = EmbeddedWiring(place, settings)
    adapters = replace(wired.adapters(), clock=services.adapters.clock)
    table = cast("SqliteTable", adapters.table)
    with closing(table), EmbeddedInventory(table, place.blobs_directory).snapshot() as state:
        yield Side.of(Services(settings, wired, adapters), state)


def _tell(restored: Restored, storage: Storage | None, say: Say) -> None:
    found = restored.manifest
    say(f"Backup of {rfc3339(found.at)}, {'made for this drill' if storage is None else f'in {storage}'}")
    say(f"Database: {found.table_bytes} bytes, sha256 {found.table}, as it was written; SQLite finds nothing wrong")
    say(f"Blobs: {found.blob_count}, each the bytes of its name; damaged in the store: {len(found.damaged)}")
    for each in found.damaged:
        say(f"  damaged: {each}")
    erased = f"{counted(len(restored.tenants), 'tenant')}, {counted(len(restored.users), 'user')}"
    say(f"Erased since: {erased}, by {restored.known_by}")
