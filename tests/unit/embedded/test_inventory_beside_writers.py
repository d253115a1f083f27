"""A walk over blobs passes over what goes, or is not whole yet, while it looks."""

from __future__ import annotations

from pathlib import Path

from cairn.embedded.blobs import DirectoryBlobs
from cairn.embedded.inventory import EmbeddedInventory
from cairn.embedded.table import SqliteTable
from cairn.ground.ids import Tenant

ACME = Tenant("acme")


def test_a_blob_that_goes_while_blobs_are_listed_is_passed_over(tmp_path: Path) -> None:
    digest = DirectoryBlobs(tmp_path / "blobs").put(ACME, b"what stays")
    [stays] = (path for path in tmp_path.rglob("*") if path.name == digest)
    # A name whose file is not there, as when it was removed after its directory was read.
    stays.with_name("0" * 64).symlink_to(tmp_path / "gone")
    stays.with_name(".tmp-half").symlink_to(tmp_path / "gone")

    inventory = EmbeddedInventory(SqliteTable(tmp_path / "table.sqlite3"), tmp_path / "blobs")

    assert [name for name, _ in inventory.dated_blobs(ACME)] == [digest]
