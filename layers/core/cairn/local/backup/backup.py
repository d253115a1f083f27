"""Copy a whole store of this machine into storage, while others write to it."""

from __future__ import annotations

import fcntl
import io
import os
from collections.abc import Generator, Iterable, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass, replace
from hashlib import file_digest, sha256
from pathlib import Path
from tempfile import TemporaryDirectory

from cairn.custody.erasures import Keys, digests_of
from cairn.embedded.blobs import file_errors
from cairn.embedded.database import Database
from cairn.embedded.inventory import EmbeddedInventory, HeldBlobs
from cairn.embedded.keyring import wrapped_keys
from cairn.embedded.table import SqliteTable, TableSnapshot
from cairn.ground.errors import CorruptData, InvalidArgument, NotFound, ResourceBusy
from cairn.ground.ports import Clock, Storage
from cairn.local.backup.manifest import BLOBS, SNAPSHOTS, Manifest, chosen, snapshots
from cairn.settings.settings import EmbeddedStore


@dataclass(frozen=True, slots=True)
class Done:
    """What a backup did: its manifest, how many blobs it copied, how many snapshots are kept and were removed."""

    manifest: Manifest
    copied: int
    kept: int
    removed: int


def back_up(
    store: EmbeddedStore, storage: Storage, clock: Clock, *, keep: int | None = None, with_key: bool = False
) -> Done:
    """Copy the store as it is now; blobs that are there are not copied again, nor counted.

    Of the snapshots only the newest `keep` stay. NotFound for a store without anything, InvalidArgument where the
    storage has backups of another store, ResourceBusy while another backup of this one runs.
    """
    with (
        file_errors("a file of the store, or for temporary use,"),
        _alone(store),
        closing(SqliteTable(store.table_file)) as table,
        EmbeddedInventory(table, store.blobs_directory).held() as blobs,
    ):
        return back_up_of(table.snapshot(), blobs, store, storage, clock, keep=keep, with_key=with_key)


def back_up_of(  # noqa: PLR0913 - one parameter for each choice
    state: AbstractContextManager[TableSnapshot],
    held: HeldBlobs,
    store: EmbeddedStore,
    storage: Storage,
    clock: Clock,
    *,
    keep: int | None = None,
    with_key: bool = False,
) -> Done:
    """Copy a state of the database, which is read as briefly as it can be, and the blobs that are held for it."""
    with TemporaryDirectory(prefix="cairn-backup-") as staging:
        file, name = Path(staging) / "table.sqlite3", Manifest.named(clock.now())
        with state as table:
            keys = digests_of(wrapped_keys(table))
            table.copy(file)
        if not keys:
            raise NotFound(f"Nothing is stored in {store.directory}")
        Database.check(file)
        _discard(storage, keeping=snapshots(storage), keys=keys)
        draft = Manifest(name=name, table=_digest(file), table_bytes=file.stat().st_size, keys=keys)
        with file.open("rb") as opened:
            storage.put(draft.table_file, opened)
    blobs, copied, damaged = _keep_blobs(held, storage)
    listed = "\n".join(blobs).encode()
    storage.put(draft.list_file, io.BytesIO(listed))
    if with_key:
        _keep_key(store, storage, draft.key_file)
    count, digest = len(blobs), sha256(listed).hexdigest()
    made = replace(draft, blobs=digest, blob_count=count, damaged=damaged, has_master_key=with_key)
    made.keep(storage)
    names = snapshots(storage)
    kept = names if keep is None else names[-keep:]
    if len(kept) < len(names):
        _prune(storage, kept)
    return Done(made, copied, len(kept), len(names) - len(kept))


@contextmanager
def _alone(store: EmbeddedStore) -> Generator[None]:
    lock = store.directory / "backup.lock"
    with file_errors(f"the lock {lock}"):
        descriptor = os.open(lock, os.O_CREAT | os.O_RDWR, 0o600)
    try:
        with file_errors(f"the lock {lock}"):
            _take(descriptor)
        yield
    finally:
        os.close(descriptor)


def _take(lock: int) -> None:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise ResourceBusy("Another backup of this store is running") from None


def _digest(file: Path) -> str:
    with file.open("rb") as opened:
        return file_digest(opened, "sha256").hexdigest()


def _keep_blobs(held: HeldBlobs, storage: Storage) -> tuple[list[str], int, list[str]]:
    """Copy the blobs that are not there, and return those that are now, how many are new, and which are damaged."""
    known, there, damaged, copied = set(storage.names(BLOBS)), list[str](), list[str](), 0
    for name in held.names():
        if BLOBS + name not in known:
            try:
                data = held.read(name)
            except CorruptData:
                damaged.append(name)
                continue
            storage.put(BLOBS + name, io.BytesIO(data))
            copied += 1
        there.append(name)
    return there, copied, damaged


def _keep_key(store: EmbeddedStore, storage: Storage, name: str) -> None:
    if store.master_key is not None:
        storage.put(name, io.BytesIO(store.master_key.encode()))
        return
    with store.key_file.open("rb") as file:
        storage.put(name, file)


def _discard(storage: Storage, keeping: Sequence[str], keys: Keys) -> None:
    """Remove what backups that were cut off left; InvalidArgument where the newest whole one is another store's."""
    if keeping and not chosen(storage).is_of_one_store_with(keys):
        raise InvalidArgument("DIR", "has backups of another store")
    _remove_snapshots(storage, keeping)


def _prune(storage: Storage, kept: Sequence[str]) -> None:
    """Remove all snapshots but these, and the blobs that none of these has."""
    _remove_snapshots(storage, kept)
    named = {BLOBS + blob for name in kept for blob in Manifest.read(storage, name).blob_files(storage)}
    _remove(storage, [name for name in storage.names(BLOBS) if name not in named])


def _remove_snapshots(storage: Storage, keeping: Sequence[str]) -> None:
    """Remove all snapshots but these; of each its list of blobs is the first by name: what has none is no snapshot."""
    _remove(storage, [name for name in storage.names(SNAPSHOTS) if name.split("/")[1] not in keeping])


def _remove(storage: Storage, names: Iterable[str]) -> None:
    for name in names:
        storage.delete(name)
