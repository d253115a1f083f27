"""List all that a tenant has in a SQLite table and a directory of blobs."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from cairn.embedded.blobs import directory_name, file_errors
from cairn.embedded.files import make_directory
from cairn.embedded.holds import holding
from cairn.embedded.table import SqliteTable, TableSnapshot
from cairn.ground import ids
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
        with file_errors():
            make_directory(self._blobs)
        with holding(self._blobs), self._table.snapshot() as table:
            yield EmbeddedSnapshot(table)

    def blobs(self, tenant: Tenant) -> Iterator[Digest]:
        """Yield the digest of every blob."""
        yield from (digest for digest, _ in self.dated_blobs(tenant))

    def dated_blobs(self, tenant: Tenant) -> Iterator[tuple[Digest, datetime]]:
        """Yield the digest of every blob, and when it was stored."""
        with file_errors():
            paths = (self._blobs / directory_name(tenant)).glob("??/*")
            found = sorted((path.name, path.stat().st_mtime) for path in paths)
        yield from ((Digest(name), datetime.fromtimestamp(at, UTC)) for name, at in found if ids.is_digest(name))

    def scrub(self) -> None:
        """Overwrite what deleted items leave in the database's files; Unavailable while another process uses them."""
        self._table.database.scrub()


class EmbeddedSnapshot:
    """Reads one state of the table."""

    def __init__(self, table: TableSnapshot) -> None:
        """Read this state."""
        self._table = table
        self.get = table.get
        self.query = table.query

    def items(self, tenant: Tenant) -> Iterator[Attributes]:
        """Yield every item whose partition begins with the tenant and `#`, by key."""
        return _items(self._table, tenant)


def _items(table: SqliteTable | TableSnapshot, tenant: Tenant) -> Iterator[Attributes]:
    prefix = f"{ids.tenant(tenant)}#"
    page = table.owned(prefix)
    while page:
        yield from page
        page = table.owned(prefix, Key.of(page[-1]))
