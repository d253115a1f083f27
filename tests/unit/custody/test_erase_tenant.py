"""Erasing a tenant: nothing is left, and nothing that a copy holds opens."""

from __future__ import annotations

import base64
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from cairn.access.api_keys import Grant
from cairn.access.key_store import Credentials
from cairn.custody.erase_tenant import ErasedTenant, EraseTenant
from cairn.embedded.blobs import DirectoryBlobs
from cairn.embedded.inventory import EmbeddedInventory
from cairn.embedded.table import SqliteTable
from cairn.ground.errors import CorruptData
from cairn.ground.ids import Tenant
from cairn.ground.table import Key
from cairn.log.layout import MANIFEST
from cairn.vault.layout import key_sk, keys_pk
from cairn.vault.vault import Vault
from support.custody import ACME, ADA, Household, session

OTHER = Tenant("acme2")


@pytest.fixture
def another(house: Household) -> Household:
    """A tenant beside the first, whose name begins with the other's."""
    house.say(session("alone", tenant=OTHER), ADA, "I am of another tenant.")
    return house


def sealed_items(house: Household) -> int:
    return sum("kid" in item for item in house.inventory.items(ACME))


@pytest.mark.req("R252")
def test_an_erased_tenant_has_no_item_no_blob_and_no_key_that_opens_and_another_keeps_all(another: Household) -> None:
    another.move_in().index()
    credentials = Credentials(another.adapters)
    ours, theirs = credentials.create(ACME, Grant()), credentials.create(OTHER, Grant())

    done = EraseTenant(another.adapters, another.inventory).run(ACME)

    assert (done.api_keys, done.data_keys, done.left) == (1, 1, 0)
    assert done.items > 30
    assert done.blobs >= 3
    assert list(another.inventory.items(ACME)) == list(another.inventory.blobs(ACME)) == []
    assert credentials.check(ours.text) is None
    assert credentials.check(theirs.text) is not None
    assert another.history(session("alone", tenant=OTHER)) == ["I am of another tenant.", "Noted."]


@pytest.mark.slow
@pytest.mark.req("R252")
def test_of_a_copy_made_once_the_keys_are_gone_nothing_opens_though_all_of_the_data_is_in_it(
    house: Household, tmp_path: Path
) -> None:
    house.move_in().index()
    before, copy = sealed_items(house), tmp_path / "copy"

    EraseTenant(house.adapters, house.inventory).run(ACME, lambda: shutil.copytree(house.directory, copy) and None)

    table = SqliteTable(copy / "table.sqlite3")
    stolen = replace(house.adapters, table=table, blobs=DirectoryBlobs(copy / "blobs"))
    inventory = EmbeddedInventory(table, copy / "blobs")
    sealed = [item for item in inventory.items(ACME) if "kid" in item]
    assert len(sealed) == before
    for item in sealed:
        with pytest.raises(CorruptData):
            Vault(stolen).unseal(ACME, item)
    for digest in list(inventory.blobs(ACME)):
        with pytest.raises(CorruptData):
            Vault(stolen).unseal_blob(ACME, Key("acme#m#garden#u:ada", MANIFEST), stolen.blobs.get(ACME, digest))
    table.close()


@pytest.mark.req("R252")
def test_the_keys_of_an_erased_tenant_are_in_no_file_of_the_store(house: Household) -> None:
    house.say(session("alone"), ADA, "Hello.")
    item = house.adapters.table.get(Key(keys_pk(ACME), key_sk(1)))
    assert item is not None
    assert isinstance(item["wrapped"], bytes)
    wrapped, found = base64.b64encode(item["wrapped"]), list[bool]()

    def look() -> None:
        found.append(wrapped in house.raw())

    look()
    EraseTenant(house.adapters, house.inventory).run(ACME, look)

    assert found == [True, False]


@pytest.mark.req("R252")
def test_a_tenant_can_be_erased_twice_and_begin_anew(house: Household) -> None:
    house.say(session("alone"), ADA, "Hello.")
    erasure = EraseTenant(house.adapters, house.inventory)
    erasure.run(ACME)

    assert erasure.run(ACME) == ErasedTenant()
    house.say(session("alone"), ADA, "A new beginning.")
    assert house.history(session("alone")) == ["A new beginning.", "Noted."]
