"""List all that a tenant has in a SQLite table and a directory of blobs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from cairn.embedded.blobs import directory_name, file_errors
from cairn.embedded.table import SqliteTable
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
        prefix = f"{ids.tenant(tenant)}#"
        page = self._table.owned(prefix)
        while page:
            yield from page
            page = self._table.owned(prefix, Key(str(page[-1]["pk"]), str(page[-1]["sk"])))

    def blobs(self, tenant: Tenant) -> Iterator[Digest]:
        """Yield the digest of every blob."""
        with file_errors():
            names = sorted(path.name for path in (self._blobs / directory_name(tenant)).glob("??/*"))
        yield from (Digest(name) for name in names if ids.is_digest(name))

    def scrub(self) -> None:
        """Overwrite what deleted items leave in the database's files; Unavailable while another process uses them."""
        self._table.database.scrub()
