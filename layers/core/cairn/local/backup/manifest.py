"""What a backup says of itself: `snapshots/{time}/manifest.json`, written last, so that only a whole one has it.

The list of blobs is removed first: a manifest that arrives after the next backup has cleared up stands for nothing.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any, Final

from cairn.custody.erasures import Keys
from cairn.ground.codec import canonical
from cairn.ground.errors import CorruptData, NotFound
from cairn.ground.ports import Storage

FORMAT: Final = "cairn backup 1"
SNAPSHOTS: Final = "snapshots/"
BLOBS: Final = "blobs/"
_MANIFEST, _TABLE, _LIST, _KEY = "manifest.json", "table.sqlite3", "blobs.txt", "master.key"
_TIME = "%Y%m%dT%H%M%S.%fZ"
# Letters of a tenant's directory are all small; no part can lead out of where it is put.
_BLOB = re.compile(r"[a-z0-9+_~-][a-z0-9+_.~-]*/[0-9a-f]{2}/[0-9a-f]{64}")
_OLDER = "Restore an older one with --at, and make a new one"


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """A snapshot: what was stored before `name`, which is its time, is in it.

    `keys` has the digests of wrapped data keys by owner and number, `damaged` the blobs that were so in the store.
    """

    name: str
    table: str
    table_bytes: int
    keys: Keys
    blobs: str = ""
    blob_count: int = 0
    damaged: Sequence[str] = ()
    has_master_key: bool = False
    format: str = FORMAT

    @staticmethod
    def named(at: datetime) -> str:
        """Return the name of a snapshot of this time."""
        return at.astimezone(UTC).strftime(_TIME)

    @classmethod
    def read(cls, storage: Storage, name: str) -> Manifest:
        """Return what is kept under a name; CorruptData where it is damaged or of a version unknown here."""
        file, read = f"{SNAPSHOTS}{name}/{_MANIFEST}", io.BytesIO()
        storage.fetch(file, read)
        try:
            found: dict[str, Any] = json.loads(read.getvalue())
            if found.pop("sha256") != sha256(canonical(found)).hexdigest() or found["format"] != FORMAT:
                raise damaged(storage, file)
            return cls(**found)
        except (ValueError, TypeError, KeyError, AttributeError):
            raise damaged(storage, file) from None

    def keep(self, storage: Storage) -> None:
        """Write it down, with which the snapshot is there."""
        told = asdict(self)
        text = json.dumps({**told, "sha256": sha256(canonical(told)).hexdigest()}, indent=1)
        storage.put(f"{SNAPSHOTS}{self.name}/{_MANIFEST}", io.BytesIO(text.encode()))

    @property
    def at(self) -> datetime:
        """Return the time of which it is."""
        return datetime.strptime(self.name, _TIME).replace(tzinfo=UTC)

    @property
    def table_file(self) -> str:
        """Return the name of the database."""
        return f"{SNAPSHOTS}{self.name}/{_TABLE}"

    @property
    def list_file(self) -> str:
        """Return the name of the list of blobs."""
        return f"{SNAPSHOTS}{self.name}/{_LIST}"

    @property
    def key_file(self) -> str:
        """Return the name of the master key, where it is in the backup."""
        return f"{SNAPSHOTS}{self.name}/{_KEY}"

    def blob_files(self, storage: Storage) -> list[str]:
        """Return the blobs that are in the snapshot; CorruptData where the list is damaged."""
        read = io.BytesIO()
        try:
            storage.fetch(self.list_file, read)
        except NotFound:
            raise damaged(storage, self.list_file) from None
        names = read.getvalue().decode("ascii", "replace").split()
        if sha256(read.getvalue()).hexdigest() != self.blobs or not all(map(_BLOB.fullmatch, names)):
            raise damaged(storage, self.list_file)
        return names

    def is_of_one_store_with(self, keys: Keys) -> bool:
        """Tell whether a store that has these keys is the one that this is of; one without keys may be."""
        ours, theirs = ({each for own in of.values() for each in own.values()} for of in (self.keys, keys))
        return not ours or not theirs or bool(ours & theirs)


def snapshots(storage: Storage) -> list[str]:
    """Return the names of the snapshots that are there whole, the oldest first."""
    files = list(storage.names(SNAPSHOTS))
    listed = set(_named(files, _LIST))
    return [name for name in _named(files, _MANIFEST) if name in listed]


def chosen(storage: Storage, at: datetime | None = None) -> Manifest:
    """Return the newest snapshot, or the newest that is not after a time; NotFound where there is none."""
    names = snapshots(storage)
    found = [name for name in names if at is None or name <= Manifest.named(at)]
    if not found:
        rest = f"; the first is of {names[0]}" if names else _without_list(storage)
        raise NotFound(f"There is no backup{'' if at is None else ' of that time'} in {storage}{rest}")
    with in_use(storage, found[-1]):
        return Manifest.read(storage, found[-1])


@contextmanager
def in_use(storage: Storage, name: str) -> Generator[None]:
    """Say so where a snapshot that is read in the block was removed meanwhile: what is missing is not damaged then."""
    try:
        yield
    except (NotFound, CorruptData):
        if name in snapshots(storage):
            raise
        why = "a backup that keeps fewer has removed it meanwhile. Take a newer one"
        raise NotFound(f"The snapshot {name} is no longer in {storage}: {why}") from None


def _named(files: Iterable[str], last: str) -> list[str]:
    return [file.split("/")[1] for file in files if file.endswith(f"/{last}")]


def _without_list(storage: Storage) -> str:
    names = _named(storage.names(SNAPSHOTS), _MANIFEST)
    return "".join(f"; {SNAPSHOTS}{name}/{_LIST} is missing" for name in names[-1:])


def damaged(storage: Storage, file: str) -> CorruptData:
    """Return the error that names a file of a backup."""
    return CorruptData(f"{file} in {storage} is not what was written", _OLDER)
