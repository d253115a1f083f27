"""List all that a tenant has in a SQLite table and a directory of blobs."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

from cairn.embedded.blobs import directory_name, file_errors
from cairn.embedded.files import files_below, make_directory
from cairn.embedded.holds import held, held_names, holding
from cairn.embedded.table import SqliteTable, TableSnapshot
from cairn.ground import ids
from cairn.ground.errors import CorruptData
from cairn.ground.ids import Digest, Tenant
from cairn.ground.table import Attributes, Key


class EmbeddedInventory:
    """Walks the store of one machine."""

    def __init__(self, table: SqliteTable, blobs_directory: Path) -> None:
        """Walk this table and this directory of DirectoryBlobs."""
        self._table = table
        self._blobs = blobs_directory

    def items(self, tenant: Tenant) -> Iterator[Attributes]:
        """Yield every item whose partition begins with the tenant and `#`, by key."""
        return _items(self._table, tenant)

    @contextmanager
    def snapshot(self) -> Generator[EmbeddedSnapshot]:
        """Lend reads of the table as it is now, whatever is written meanwhile; its blobs stay readable."""
        with self.held() as blobs, self._table.snapshot() as table:
            yield EmbeddedSnapshot(table, blobs)

    @contextmanager
    def held(self) -> Generator[HeldBlobs]:
        """Lend all blobs that a state of the table may name which is first read in the block."""
        with file_errors():
            make_directory(self._blobs)
        with holding(self._blobs) as hold:
            yield HeldBlobs(self._blobs, hold)

    def blobs(self, tenant: Tenant) -> Iterator[Digest]:
        """Yield the digest of every blob."""
        yield from (digest for digest, _ in self.dated_blobs(tenant))

    def dated_blobs(self, tenant: Tenant) -> Iterator[tuple[Digest, datetime]]:
        """Yield the digest of every blob, and when it was stored."""
        with file_errors():
            found = sorted(_dated(self._blobs / directory_name(tenant)))
        yield from ((Digest(name), datetime.fromtimestamp(at, UTC)) for name, at in found)

    def scrub(self) -> None:
        """Overwrite what deleted items leave in the database's files; Unavailable while another process uses them."""
        self._table.database.scrub()


class EmbeddedSnapshot:
    """Reads one state of the table."""

    def __init__(self, table: TableSnapshot, blobs: HeldBlobs) -> None:
        """Read this state, whose blobs are held."""
        self.table = table
        self.blobs = blobs
        self.get = table.get
        self.query = table.query

    def items(self, tenant: Tenant) -> Iterator[Attributes]:
        """Yield every item whose partition begins with the tenant and `#`, by key."""
        return _items(self.table, tenant)


class HeldBlobs:
    """All tenants' blobs as files, with those that were deleted since they are held."""

    def __init__(self, root: Path, hold: Path) -> None:
        """Read them from a directory, and what is deleted meanwhile from that of the hold."""
        self._root = root
        self._hold = hold

    def names(self) -> list[str]:
        """Return the name of each, as it is below the directory."""
        with file_errors():
            stored = {(path.parent.parent.name, path.name) for path in self._root.glob("[!.]*/??/*")}
            # Afterwards: what is deleted meanwhile was in the one or is in the other.
            found = stored.union(held_names(self._hold))
        return sorted(f"{owner}/{name[:2]}/{name}" for owner, name in found if ids.is_digest(name))

    def read(self, name: str) -> bytes:
        """Return what is in one of them; CorruptData where that is not its digest's."""
        path = self._root / name
        with file_errors():
            try:
                data = path.read_bytes()
            except FileNotFoundError:
                data = held(self._root, path) or b""
        if sha256(data).hexdigest() != path.name:
            raise CorruptData(f"the blob {name}")
        return data


def _items(table: SqliteTable | TableSnapshot, tenant: Tenant) -> Iterator[Attributes]:
    prefix = f"{ids.tenant(tenant)}#"
    page = table.owned(prefix)
    while page:
        yield from page
        page = table.owned(prefix, Key.of(page[-1]))


def _dated(root: Path) -> Iterator[tuple[str, float]]:
    """Yield the name of each blob's file and when it was written, but for those that go meanwhile."""
    for path in files_below(root):
        if ids.is_digest(path.name):
            with suppress(FileNotFoundError):
                yield path.name, path.stat().st_mtime
