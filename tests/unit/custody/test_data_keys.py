"""Data keys change while everything stays readable, and the old ones go once nothing needs them."""

from __future__ import annotations

import base64
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from cairn.custody.data_keys import STRAGGLERS, DataKeys
from cairn.ground.adapters import Adapters
from cairn.ground.errors import CorruptData, NotFound
from cairn.ground.ids import Digest, Tenant
from cairn.ground.table import Attributes, Delete, Key, Put, Update
from cairn.turns.after_turn import commit
from cairn.vault.layout import key_sk, keys_pk
from cairn.vault.vault import KEY_LIFETIME, Vault
from support.custody import ACME, ADA, Household, session
from support.turns import SESSION, turn

SETTLING = KEY_LIFETIME + STRAGGLERS
GUARDS_LAST = 31
"""Days after which no guard of a turn is left."""


@pytest.fixture
def house(adapters: Adapters, store: Any) -> Household:
    return Household.over(adapters, store.directory)


@pytest.fixture
def keys(house: Household) -> DataKeys:
    return DataKeys(house.adapters, house.inventory)


def numbers(house: Household) -> set[object]:
    """Return the keys that items are sealed under."""
    return {item["kid"] for item in house.inventory.items(ACME) if "kid" in item}


def stored(house: Household, number: int) -> Attributes | None:
    return house.adapters.table.get(Key(keys_pk(ACME), key_sk(number)))


@pytest.mark.req("R252")
def test_after_a_rotation_new_content_is_sealed_under_the_new_key_and_old_content_still_opens(
    house: Household, keys: DataKeys
) -> None:
    house.say(session("alone"), ADA, "Before.")

    assert keys.rotate(ACME) == 2
    house.say(session("alone"), ADA, "After.")

    assert numbers(house) == {1, 2}
    assert house.history(session("alone")) == ["Before.", "Noted.", "After.", "Noted."]


def test_a_tenant_that_stored_nothing_yet_can_rotate_and_has_nothing_to_rewrap(keys: DataKeys) -> None:
    with pytest.raises(NotFound, match="no data key"):
        keys.rewrap(ACME)

    assert [keys.rotate(ACME), keys.rotate(ACME)] == [1, 2]
    assert [(key.number, key.needed_by) for key in keys.list(ACME)] == [(1, 0), (2, 0)]


def test_two_rotations_at_once_are_one(adapters: Adapters) -> None:
    rotated: list[int] = []

    class Overtaken:
        def __getattr__(self, name: str) -> Any:
            return getattr(adapters.keys, name)

        def generate(self, tenant: Tenant) -> object:
            rotated.append(Vault(adapters).rotate(tenant))
            return adapters.keys.generate(tenant)

    Vault(adapters).seal(ACME, Key("acme#a", "1"), "mine")
    overtaken: Any = Overtaken()
    vault = Vault(replace(adapters, keys=overtaken))

    assert [vault.rotate(ACME), *rotated] == [2, 2]
    sealed = {"pk": "acme#a", "sk": "2", **vault.seal(ACME, Key("acme#a", "2"), "mine")}
    assert Vault(adapters).unseal(ACME, sealed) == "mine"


@pytest.mark.req("R252")
def test_another_process_seals_under_a_new_key_once_its_own_is_five_minutes_old(
    house: Household, keys: DataKeys, clock: Any
) -> None:
    warm = Vault(house.adapters)
    assert warm.seal(ACME, Key("acme#a", "1"), "x")["kid"] == 1
    keys.rotate(ACME)

    clock.advance(seconds=KEY_LIFETIME.total_seconds() - 1)
    assert warm.seal(ACME, Key("acme#a", "1"), "x")["kid"] == 1
    clock.advance(seconds=1)
    assert warm.seal(ACME, Key("acme#a", "1"), "x")["kid"] == 2


@pytest.mark.req("R191")
def test_a_process_asks_for_the_newest_key_after_so_many_seals(
    house: Household, keys: DataKeys, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cairn.vault.vault.MAX_SEALS", 3)
    warm = Vault(house.adapters)
    used = [warm.seal(ACME, Key("acme#a", "1"), "x")["kid"]]
    keys.rotate(ACME)

    used += [warm.seal(ACME, Key("acme#a", "1"), "x")["kid"] for _ in range(3)]

    assert used == [1, 1, 1, 2]


@pytest.mark.slow
@pytest.mark.req("R252")
def test_a_rewrap_moves_items_blobs_and_segments_to_the_newest_key_and_changes_no_answer(
    house: Household, keys: DataKeys
) -> None:
    house.move_in().index()
    before, history = house.answers(), house.history(session("alone"))
    keys.rotate(ACME)

    done = keys.rewrap(ACME)

    assert numbers(house) == {2}
    assert done.items == sum("kid" in item for item in house.inventory.items(ACME))
    assert done.logs == 1
    assert house.answers() == before
    assert house.history(session("alone")) == history
    assert (keys.rewrap(ACME).items, keys.rewrap(ACME).logs) == (0, 0)


@pytest.mark.req("R252")
def test_an_old_key_goes_when_no_process_can_be_sealing_under_it_and_nothing_needs_it(
    house: Household, keys: DataKeys, clock: Any
) -> None:
    house.say(session("alone"), ADA, "Before.")
    keys.rotate(ACME)
    clock.advance(days=GUARDS_LAST)
    keys.rotate(ACME)

    early = keys.rewrap(ACME)
    clock.advance(seconds=SETTLING.total_seconds() - 1)
    still_early = keys.rewrap(ACME)
    clock.advance(seconds=1)
    late = keys.rewrap(ACME)

    assert (early.items, early.deleted, early.kept) == (2, (), {1: 0, 2: 0})
    assert early.settles_at is not None
    assert (still_early.deleted, late.deleted, late.settles_at) == ((), (1, 2), None)
    assert [key.number for key in keys.list(ACME)] == [3]
    assert house.history(session("alone")) == ["Before.", "Noted."]


@pytest.mark.req("R252")
def test_a_key_stays_for_as_long_as_a_turn_s_guard_is_signed_with_it(
    house: Household, keys: DataKeys, clock: Any
) -> None:
    committed = turn("t1", "Before.")
    commit(house.services(), SESSION, committed)
    keys.rotate(ACME)
    clock.advance(days=GUARDS_LAST - 2)

    done = keys.rewrap(ACME)

    assert (done.deleted, done.kept, done.settles_at) == ((), {1: 1}, None)
    assert commit(house.services(), SESSION, committed).replayed
    clock.advance(days=2)
    assert keys.rewrap(ACME).deleted == (1,)


@pytest.mark.req("R252")
@pytest.mark.parametrize("name", ["kid", "archive_kid"])
def test_a_key_stays_for_what_cannot_be_moved(house: Household, keys: DataKeys, clock: Any, name: str) -> None:
    keys.rotate(ACME)
    house.adapters.table.put(Put({"pk": "acme#a", "sk": "1", name: 1}))
    keys.rotate(ACME)
    clock.advance(seconds=SETTLING.total_seconds())

    assert keys.rewrap(ACME).kept == {1: 1}
    assert stored(house, 1) is not None


@pytest.mark.req("R192")
def test_a_damaged_item_keeps_its_key_and_stops_nothing(house: Household, keys: DataKeys, clock: Any) -> None:
    vault = Vault(house.adapters)
    for sk in "abc":
        house.adapters.table.put(Put({"pk": "acme#a", "sk": sk, **vault.seal(ACME, Key("acme#a", sk), sk)}))
    house.adapters.table.update(Update(Key("acme#a", "b"), set={"data": b"damaged, and longer than a nonce and a tag"}))
    keys.rotate(ACME)
    clock.advance(seconds=SETTLING.total_seconds())

    done = keys.rewrap(ACME)

    assert (done.items, done.kept) == (2, {1: 1})


@pytest.mark.req("R252")
def test_what_is_written_while_it_is_moved_stays_and_is_moved_as_it_is_then(
    house: Household, start_watching: Callable[[Household, Callable[[Update], None]], DataKeys]
) -> None:
    vault, where = Vault(house.adapters), Key("acme#a", "1")

    def put(value: object) -> None:
        house.adapters.table.put(Put({"pk": where.pk, "sk": where.sk, "seen": 1, **vault.seal(ACME, where, value)}))

    put("old")
    values = iter(["newer", "newest"])

    def overtake(_: Update) -> None:
        value = next(values, None)
        if value is not None:
            put(value)

    keys = start_watching(house, overtake)
    keys.rotate(ACME)

    assert keys.rewrap(ACME).items == 1
    item = house.adapters.table.get(where)
    assert item is not None
    assert (item["kid"], item["seen"], Vault(house.adapters).unseal(ACME, item)) == (2, 1, "newest")


@pytest.mark.req("R251")
def test_a_moved_blob_leaves_none_behind(house: Household, keys: DataKeys, adapters: Adapters) -> None:
    where, value = Key("acme#a", "1"), adapters.entropy.token(40_000).hex()
    house.adapters.table.put(Put({"pk": where.pk, "sk": where.sk, **Vault(adapters).seal(ACME, where, value)}))
    keys.rotate(ACME)

    keys.rewrap(ACME)

    item = adapters.table.get(where)
    assert item is not None
    assert [Digest(str(item["blob"]))] == list(house.inventory.blobs(ACME))
    assert Vault(adapters).unseal(ACME, item) == value


@pytest.mark.req("R252")
def test_a_blob_sealed_for_its_item_is_moved_and_one_bound_elsewhere_keeps_its_key(
    house: Household, keys: DataKeys, clock: Any
) -> None:
    here, there = Key("acme#k#public", "v#large"), Key("acme#audit", "digest#1")
    house.keep(here, b"a large value")
    house.keep(there, b"a digest", bound_to=Key("acme#audit", "digest"))
    keys.rotate(ACME)
    clock.advance(seconds=SETTLING.total_seconds())

    done = keys.rewrap(ACME)

    assert (done.items, done.deleted, done.kept) == (1, (), {1: 1})
    assert house.kept(here) == b"a large value"
    assert len(list(house.inventory.blobs(ACME))) == 2
    house.adapters.table.delete(Delete(there))
    assert keys.rewrap(ACME).deleted == (1,)
    assert house.kept(here) == b"a large value"


@pytest.mark.req("R252")
def test_a_deleted_key_is_in_no_file_of_the_store(house: Household, keys: DataKeys, clock: Any) -> None:
    keys.rotate(ACME)
    first = stored(house, 1)
    assert first is not None
    assert isinstance(first["wrapped"], bytes)
    keys.rotate(ACME)
    clock.advance(seconds=SETTLING.total_seconds())
    wrapped = base64.b64encode(first["wrapped"])
    assert wrapped in house.raw()

    assert keys.rewrap(ACME).deleted == (1,)

    assert wrapped not in house.raw()
    with pytest.raises(CorruptData):
        Vault(house.adapters).unseal(ACME, {"pk": "acme#a", "sk": "1", "kid": 1, "data": bytes(50)})


@pytest.fixture
def start_watching() -> Callable[[Household, Callable[[Update], None]], DataKeys]:
    """Return a function that starts a process which lets a test step in before each update of the table."""

    class Watched:
        def __init__(self, table: Any, step: Callable[[Update], None]) -> None:
            self._table = table
            self._step = step

        def __getattr__(self, name: str) -> Any:
            return getattr(self._table, name)

        def update(self, write: Update) -> Attributes:
            self._step(write)
            return self._table.update(write)

        def transact(self, writes: Sequence[Any]) -> None:
            self._table.transact(writes)

    def start(house: Household, step: Callable[[Update], None]) -> DataKeys:
        return DataKeys(replace(house.adapters, table=Watched(house.adapters.table, step)), house.inventory)

    return start
