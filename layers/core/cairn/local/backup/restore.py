"""Put a snapshot of a store back as a data directory, without those who were erased since."""

from __future__ import annotations

import io
import os
import shutil
from collections.abc import Generator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from hashlib import file_digest, sha256
from pathlib import Path
from tempfile import TemporaryDirectory

from cairn.calls.record import ERASE
from cairn.custody.erase_tenant import EraseTenant
from cairn.custody.erase_user import EraseUser
from cairn.custody.erasures import Keys, digests_of, erasures, tenants_erased, tenants_of
from cairn.custody.scope import DataScope
from cairn.embedded.database import Database
from cairn.embedded.files import create_once, fsync_directory, make_directory
from cairn.embedded.inventory import EmbeddedInventory
from cairn.embedded.keyring import LocalKeyRing, master_key, opens, wrapped_keys
from cairn.embedded.table import SqliteTable
from cairn.embedded.wiring import EmbeddedWiring
from cairn.ground.codec import rfc3339
from cairn.ground.errors import CairnError, CorruptData, InvalidArgument, NotFound, SettingsError
from cairn.ground.ids import Tenant
from cairn.ground.ports import Clock, Inventory, Reads, Storage
from cairn.local.backup.manifest import BLOBS, Manifest, chosen, damaged, in_use
from cairn.local.store import recorded
from cairn.services import Services
from cairn.settings.settings import EmbeddedStore, Settings

_NO_KEY = (
    "The master key is neither in the backup, nor in {file}, nor in LUMERA_MEMORY_KEY, and without it nothing in the"
    " backup can be read: set LUMERA_MEMORY_KEY to your copy of it. Nothing was restored"
)
_BY_BACKUP = (
    "the newest backup, of {at}, since the store that it is of is not in {directory}: erase again whom you erased later"
)
_OTHER_KEY = "LUMERA_MEMORY_KEY or {file} is another key than the backup was made with. Nothing was restored"


@dataclass(frozen=True, slots=True)
class Restored:
    """What was restored, and whom it is without: tenants, and users of others. `known_by` says where that stood."""

    manifest: Manifest
    tenants: Sequence[Tenant]
    users: Sequence[DataScope]
    known_by: str


def restore(  # noqa: PLR0913 - one parameter for each choice
    storage: Storage, to: Path, live: EmbeddedStore, settings: Settings, clock: Clock, *, at: datetime | None = None
) -> Restored:
    """Restore the newest snapshot, or the newest not after a time, into a directory that is empty or not there.

    The directory is there only when all is checked. Who was erased since is read from the live store, or where it is
    gone or another one from the newest snapshot. CorruptData names what is damaged in the backup, NotFound a snapshot
    that a backup removed meanwhile.
    """
    if to.exists() and (not to.is_dir() or any(to.iterdir())):
        raise InvalidArgument("--to", "is not an empty directory")
    manifest = chosen(storage, at)
    partial = to.with_name(f"{to.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    make_directory(partial)
    try:
        place = EmbeddedStore(directory=partial, master_key=live.master_key)
        with in_use(storage, manifest.name):
            _fetch_table(storage, manifest, place.table_file)
            _fetch_key(storage, manifest, place, live)
            for blob in manifest.blob_files(storage):
                _fetch_blob(storage, blob, place.blobs_directory)
        restored = _without_erased(storage, manifest, replace(settings, store=place), live, clock)
        if to.exists():
            to.rmdir()
        partial.rename(to)
        fsync_directory(to.parent)
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return restored


def _fetch_table(storage: Storage, manifest: Manifest, file: Path) -> None:
    try:
        with open(os.open(file, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600), "w+b") as stream:  # noqa: PTH123 - a descriptor, not a path
            storage.fetch(manifest.table_file, stream)
            stream.seek(0)
            found = file_digest(stream, "sha256").hexdigest()
            os.fsync(stream.fileno())
        if found == manifest.table:
            Database.check(file)
            return
    except (NotFound, CorruptData):
        pass
    raise damaged(storage, manifest.table_file) from None


def _fetch_key(storage: Storage, manifest: Manifest, place: EmbeddedStore, live: EmbeddedStore) -> None:
    """Put the master key there, unless the environment has it; SettingsError where it is nowhere, or another one."""
    text = live.master_key
    if text is None:
        read = io.BytesIO()
        if manifest.has_master_key:
            storage.fetch(manifest.key_file, read)
        elif live.key_file.exists():
            read.write(live.key_file.read_bytes())
        else:
            raise SettingsError(_NO_KEY.format(file=live.key_file))
        create_once(place.key_file, read.getvalue())
        text = read.getvalue().decode("ascii", "replace")
    with closing(SqliteTable(place.table_file)) as table:
        if manifest.keys and not opens(LocalKeyRing(master_key(text)), table):
            raise SettingsError(_OTHER_KEY.format(file=live.key_file))


def _fetch_blob(storage: Storage, name: str, root: Path) -> None:
    read = io.BytesIO()
    try:
        storage.fetch(BLOBS + name, read)
    except NotFound:
        raise damaged(storage, BLOBS + name) from None
    if sha256(read.getvalue()).hexdigest() != name.rpartition("/")[2]:
        raise damaged(storage, BLOBS + name)
    make_directory((root / name).parent)
    create_once(root / name, read.getvalue())


def _without_erased(
    storage: Storage, manifest: Manifest, settings: Settings, live: EmbeddedStore, clock: Clock
) -> Restored:
    """Erase in what was restored whom the store as it is now, or was at its newest snapshot, is without."""
    place = settings.store
    assert isinstance(place, EmbeddedStore)  # noqa: S101 - told the type checker alone
    wired = EmbeddedWiring(place, settings)
    with closing(SqliteTable(place.table_file)) as table, _newest_state(storage, manifest, live) as (state, known_by):
        services = Services(settings, wired, replace(wired.adapters(), table=table, clock=clock))
        inventory = EmbeddedInventory(table, place.blobs_directory)
        now = digests_of(wrapped_keys(state))
        gone, users = erase_again(services, inventory, state, (manifest.keys, now), manifest.at)
    oldest = clock.now() - timedelta(days=settings.audit.retention_days)
    if manifest.at < oldest:
        known_by += f"; who was erased before {rfc3339(oldest)} is no longer on record"
    return Restored(manifest, gone, users, known_by)


def erase_again(
    services: Services, inventory: Inventory, state: Reads, keys: tuple[Keys, Keys], since: datetime
) -> tuple[list[Tenant], list[DataScope]]:
    """Erase in what was restored whom the store is without since then, and return them: tenants, users of others.

    `state` is the store as it is now, `keys` are those of `since` and of now.
    """
    gone = tenants_erased(*keys)
    for tenant in gone:
        EraseTenant(services.adapters, inventory).run(tenant)
    left = [tenant for tenant in tenants_of(keys[0]) if tenant not in gone]
    users = [scope for tenant in left for scope in erasures(state, tenant, since, services.adapters.table)]
    for scope in users:
        with recorded(services, scope.tenant, ERASE, scope.project, scope.user):
            EraseUser(services, inventory, pause=_at_once).run(scope)
    return gone, users


@contextmanager
def _newest_state(storage: Storage, manifest: Manifest, live: EmbeddedStore) -> Generator[tuple[SqliteTable, str]]:
    """Lend the table of the live store, or of the newest snapshot, and say which."""
    found = _live_table(manifest, live)
    if found is not None:
        with closing(found):
            yield found, f"the store in {live.directory}"
        return
    newest = chosen(storage)
    with TemporaryDirectory(prefix="cairn-restore-") as staging:
        file = Path(staging) / "table.sqlite3"
        with in_use(storage, newest.name):
            _fetch_table(storage, newest, file)
        with closing(SqliteTable(file)) as table:
            yield table, _BY_BACKUP.format(at=rfc3339(newest.at), directory=live.directory)


def _live_table(manifest: Manifest, live: EmbeddedStore) -> SqliteTable | None:
    """Return the table of the store that a snapshot is of, None where it is not there or cannot be read."""
    if not live.table_file.exists():
        return None
    try:
        table = SqliteTable(live.table_file)
        keys = digests_of(wrapped_keys(table, whole=True))  # a key that is damaged is not one that was destroyed
    except CairnError:
        return None
    return table if keys and manifest.is_of_one_store_with(keys) else None


def _at_once(_length: timedelta) -> None:
    """Wait for nobody: nobody uses what is being restored."""
