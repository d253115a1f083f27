"""A check and a repair on DynamoDB and S3 as on the embedded store: the same findings, and a clean store afterwards."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from cairn.archive.archive import Archive
from cairn.aws.blobs import S3Blobs
from cairn.aws.clients import Clients
from cairn.aws.inventory import AwsInventory
from cairn.custody.check import Check
from cairn.embedded.blobs import DirectoryBlobs
from cairn.embedded.inventory import EmbeddedInventory
from cairn.ground.adapters import Adapters
from cairn.ground.errors import CorruptData
from cairn.ground.ids import Digest
from cairn.ground.ports import Blobs, Inventory, Table
from cairn.ground.table import Attributes, Delete, Key, Put
from cairn.log.layout import MANIFEST, log_pk
from cairn.sessions.layout import HEAD, event_sk, session_pk
from support.custody import ACME, ADA, ALONE, LARGE, Household

LOG = log_pk(ACME, ALONE.project, f"u:{ADA}")
SESSION = session_pk(ALONE)


@dataclass(frozen=True)
class Stock:
    """A store with a session and an archived one in it."""

    house: Household
    table: Table
    blobs: Blobs

    @property
    def check(self) -> Check:
        services = self.house.services()
        return Check(services, self.house.inventory, services.audit)

    def item(self, pk: str, sk: str) -> Attributes:
        item = self.table.get(Key(pk, sk))
        assert item is not None
        return item

    def put(self, pk: str, sk: str, **changes: Any) -> None:
        self.table.put(Put({**self.item(pk, sk), **changes}))

    def first(self, pk: str, prefix: str) -> str:
        items = self.house.inventory.items(ACME)
        return next(str(item["sk"]) for item in items if item["pk"] == pk and str(item["sk"]).startswith(prefix))


@pytest.fixture(params=["embedded", "moto"])
def stock(request: pytest.FixtureRequest, tmp_path: Path, adapters: Adapters) -> Stock:
    inventory: Inventory
    if request.param == "embedded":
        table: Table = request.getfixturevalue("make_sqlite_table")()
        blobs: Blobs = DirectoryBlobs(tmp_path / "blobs")
        made: Any = table
        inventory = EmbeddedInventory(made, tmp_path / "blobs")
    else:
        cloud: Clients = request.getfixturevalue("cloud")
        make: Callable[[], Any] = request.getfixturevalue("make_dynamo_table")
        made = table = make()
        bucket = "check-" + "".join(filter(str.isalnum, tmp_path.name.lower()))
        cloud.s3.create_bucket(Bucket=bucket)
        blobs = S3Blobs(lambda: cloud.s3, bucket)
        inventory = AwsInventory(lambda: cloud.dynamodb, lambda: cloud.s3, made._table_name, bucket)
    there: Any = inventory
    house = Household(replace(adapters, table=table, blobs=blobs), there, tmp_path)
    house.say(ALONE, ADA, "I live in Oslo.", "I like beans.")
    house.say(ALONE, ADA, "Keep this.", reply=LARGE)
    house.remember(ALONE, ADA, "Beans climb.", "user")
    house.services().indexer.rebuild(ACME, ALONE.project, f"u:{ADA}")
    house.archive("monday", "beans")
    return Stock(house, table, blobs)


def _lose(stock: Stock, digest: str) -> None:
    stock.blobs.delete(ACME, Digest(digest))


HARMS: dict[str, Callable[[Stock], object]] = {
    "turn": lambda stock: stock.put(SESSION, event_sk(2), data=bytes(60)),
    "turn that is gone": lambda stock: stock.table.delete(Delete(Key(SESSION, event_sk(2)))),
    "head": lambda stock: stock.put(SESSION, HEAD, seq="seven", fence="eight"),
    "head that is gone": lambda stock: stock.table.delete(Delete(Key(SESSION, HEAD))),
    "entry": lambda stock: stock.put(LOG, stock.first(LOG, "m#"), data=bytes(60)),
    "manifest": lambda stock: stock.put(LOG, MANIFEST, segments="none", version="one"),
    "segment": lambda stock: _lose(stock, str(stock.item(LOG, MANIFEST)["segments"]).split(" ")[0]),
    "blob of a turn": lambda stock: _lose(stock, str(stock.item(SESSION, event_sk(3))["blob"])),
    "archived session": lambda stock: _lose(stock, stock.first("acme#a", "ptr#").removeprefix("ptr#")),
    "place of an archived session": lambda stock: stock.table.delete(
        Delete(Key("acme#a", stock.first("acme#a", "tag#")))
    ),
}


@pytest.mark.req("R302")
@pytest.mark.parametrize("harm", HARMS)
def test_damage_of_any_kind_is_found_and_mended_on_each_store(stock: Stock, harm: str) -> None:
    assert stock.check.run(ACME).findings == []
    HARMS[harm](stock)

    found = stock.check.run(ACME).findings
    assert found
    list(stock.check.repair(ACME))

    assert stock.check.run(ACME).findings == []
    stock.house.say(ALONE, ADA, "And peas.")
    assert "And peas." in stock.house.history(ALONE)
    assert any("Oslo" in each for each in stock.house.history(ALONE))
    assert stock.house.recalled(ALONE, ADA) == ["Beans climb."]


@pytest.mark.req("R302")
def test_an_archived_session_that_is_damaged_is_no_unknown_pointer(stock: Stock) -> None:
    digest = Digest(stock.first("acme#a", "ptr#").removeprefix("ptr#"))
    stock.blobs.delete(ACME, digest)

    with pytest.raises(CorruptData) as refused:
        Archive(stock.house.services()).retrieve(ACME, digest)

    assert not refused.value.retryable
