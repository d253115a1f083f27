"""What an operator finds of a tenant: everything, whatever family it is of, and nothing of another's."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from cairn.aws.blobs import S3Blobs
from cairn.aws.clients import Clients
from cairn.aws.inventory import AwsInventory
from cairn.embedded.blobs import DirectoryBlobs
from cairn.embedded.inventory import EmbeddedInventory
from cairn.ground.ids import Tenant
from cairn.ground.ports import Blobs, Inventory, Table
from cairn.ground.table import Key, Put

ACME = Tenant("acme")
OTHERS = ("acm", "acme-", "acme2", "ACME", "b", "~credentials")
Stock: TypeAlias = tuple[Table, Blobs, Inventory]


@pytest.fixture(params=["embedded", "moto"])
def stock(request: pytest.FixtureRequest, tmp_path: Path) -> Stock:
    if request.param == "embedded":
        table = request.getfixturevalue("make_sqlite_table")()
        return table, DirectoryBlobs(tmp_path / "blobs"), EmbeddedInventory(table, tmp_path / "blobs")
    cloud: Clients = request.getfixturevalue("cloud")
    make: Callable[[], Any] = request.getfixturevalue("make_dynamo_table")
    table = make()
    bucket = "stock-" + "".join(filter(str.isalnum, tmp_path.name.lower()))
    cloud.s3.create_bucket(Bucket=bucket)
    inventory = AwsInventory(lambda: cloud.dynamodb, lambda: cloud.s3, table._table_name, bucket)
    return table, S3Blobs(lambda: cloud.s3, bucket), inventory


def test_every_item_of_every_family_is_found_and_no_other_tenant_s(stock: Stock) -> None:
    table, _, inventory = stock
    partitions = (
        "acme#a",
        "acme#k#x",
        "acme#keys",
        "acme#m#p",
        "acme#m#p#u:\U0010ffff",
        "acme#s#p#s",
        "acme#~",
        "acme#",
    )
    wanted = {Key(pk, sk) for pk in partitions for sk in ("1", "2")}
    for key in [*wanted, *(Key(f"{other}#s", "1") for other in OTHERS)]:
        table.put(Put({"pk": key.pk, "sk": key.sk, "data": b"\x00"}))

    found = [Key(str(item["pk"]), str(item["sk"])) for item in inventory.items(ACME)]

    assert sorted(map(str, found)) == sorted(map(str, wanted))
    assert [key.sk for key in found if key.pk == "acme#a"] == ["1", "2"]
    assert all(item["data"] == b"\x00" for item in inventory.items(ACME))


def test_items_of_many_pages_are_found_once_each(stock: Stock) -> None:
    table, _, inventory = stock
    for number in range(130):
        table.put(Put({"pk": f"acme#s#p#{number % 7}", "sk": f"{number:03}", "data": bytes(20_000)}))

    assert sorted(str(item["sk"]) for item in inventory.items(ACME)) == [f"{number:03}" for number in range(130)]


def test_blobs_of_many_pages_are_found_and_no_other_tenant_s(stock: Stock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOTO_S3_DEFAULT_MAX_KEYS", "10")  # of S3 it is 1,000
    _, blobs, inventory = stock
    digests = {blobs.put(ACME, str(number).encode()) for number in range(31)}
    for other in ("acm", "acme2"):
        blobs.put(Tenant(other), b"theirs")

    assert set(inventory.blobs(ACME)) == digests
    assert list(inventory.blobs(Tenant("nobody"))) == []


@pytest.mark.parametrize("name", ["", "a#b", "../acme", "acme/x", "~credentials"])
def test_what_is_no_tenant_s_name_is_refused(stock: Stock, name: str) -> None:
    _, _, inventory = stock
    for walk in (inventory.items, inventory.blobs):
        with pytest.raises(ValueError, match="a tenant is"):
            list(walk(Tenant(name)))


def test_a_scrubbed_database_holds_nothing_of_what_was_deleted(tmp_path: Path, make_sqlite_table: Any) -> None:
    table = make_sqlite_table()
    directory = table.database._path.parent
    for number in range(50):
        table.put(Put({"pk": "acme#keys", "sk": str(number), "said": "canary" * 200}))
        table.put(Put({"pk": "acme#rest", "sk": str(number), "said": "kept"}))
    with table.database.writing() as connection:
        connection.execute("DELETE FROM items WHERE pk = 'acme#keys'")
    raw = lambda: b"".join(path.read_bytes() for path in directory.iterdir())  # noqa: E731
    assert b"canary" in raw()

    EmbeddedInventory(table, tmp_path).scrub()

    assert b"canary" not in raw()
    assert b"kept" in raw()
