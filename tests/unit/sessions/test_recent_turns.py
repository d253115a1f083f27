"""A process keeps the newest turns that it read, and tells what one that kept nothing would tell."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from cairn.custody.bundles import DataScope
from cairn.custody.data_keys import DataKeys
from cairn.custody.erase_tenant import EraseTenant
from cairn.custody.erase_user import EraseUser
from cairn.embedded.keyring import LocalKeyRing
from cairn.ground.adapters import Adapters
from cairn.ground.errors import CorruptData
from cairn.ground.table import Delete, Key, Put, Query, Update, item_bytes
from cairn.services import Services
from cairn.sessions import recent_turns
from cairn.sessions.layout import FIRST_EVENT, HEAD, LAST_EVENT, event_sk, session_pk
from cairn.sessions.recent_turns import Recent
from cairn.vault.vault import KEY_LIFETIME
from metering import Meter, metered
from support.custody import ACME, ADA, BOB, LARGE, SETTINGS, Household, session
from support.services import services_over

HERE = session("shared")
ITEMS = 4


@pytest.fixture
def house(adapters: Adapters, store: Any) -> Household:
    return Household.over(replace(adapters, keys=LocalKeyRing(bytes(range(32)))), store.directory)


def process(house: Household, adapters: Adapters | None = None) -> Services:
    return services_over(adapters or house.adapters, SETTINGS)


def said(recent: Recent) -> list[int]:
    return [seq for seq, _ in recent.turns]


def erase(house: Household, user: Any) -> None:
    EraseUser(process(house), house.inventory).run(DataScope(ACME, user=user))


def retain(house: Household) -> None:
    """Have the session erased, since nobody spoke in it for a month."""
    house.later(days=40)
    services = services_over(house.adapters, replace(SETTINGS, session_retention_days=30))
    services.maintenance.run(HERE)


def rekey(house: Household) -> None:
    """Move all to a new data key; only audit records, whose tags cannot be moved, still need the old one."""
    keys = DataKeys(house.adapters, house.inventory)
    keys.rotate(ACME)
    house.later(days=31)  # guards need the old key until they lapse
    now = house.adapters.clock.now().timestamp()
    records = [item for item in house.inventory.items(ACME) if "#audit#" in str(item["pk"])]
    assert sum(keys.rewrap(ACME).kept.values()) == sum(int(item["expires_at"]) > now for item in records)


def archive(house: Household) -> None:
    house.later(days=2)
    house.maintain(HERE)


DEEDS: dict[str, Callable[[Household], None]] = {
    "ada": lambda house: house.say(HERE, ADA, "Ada waters the beans."),
    "bob": lambda house: house.say(HERE, BOB, "Bob cuts the lilies.", "Bob rests."),
    "large": lambda house: house.say(HERE, BOB, "A long one.", reply=LARGE),
    "archive": archive,
    "erase ada": lambda house: erase(house, ADA),
    "erase bob": lambda house: erase(house, BOB),
    "retain": retain,
    "rekey": lambda house: None if house.history(HERE) == [] else rekey(house),
}


@pytest.mark.slow
@pytest.mark.req("R267")
@example(steps=["ada", "retain", "ada", "rekey"])
@example(steps=["ada", "retain", "ada", "rekey", *["retain", "ada"] * 9, "rekey"])
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    steps=st.lists(
        st.one_of(st.sampled_from(["ada", "bob"]), st.sampled_from(sorted(DEEDS)), st.sampled_from([0, 1, 4, 4, 9])),
        max_size=12,
    )
)
def test_whatever_others_do_a_process_that_keeps_turns_tells_what_one_without_does(
    steps: list[str | int], new_adapters: Callable[[], tuple[Any, Adapters]], clock: Any, entropy: Any
) -> None:
    store, adapters = new_adapters()
    with_keys = replace(adapters, keys=LocalKeyRing(bytes(range(32))), clock=clock, entropy=entropy)
    house = Household.over(with_keys, store.directory)
    keeping = process(house)
    for step in [*steps, 4]:
        if isinstance(step, str):
            DEEDS[step](house)
        else:
            assert keeping.sessions.recent(HERE, step) == process(house).sessions.recent(HERE, step)


@pytest.mark.req("R267")
def test_a_process_reads_only_the_turns_that_came_since(house: Household) -> None:
    house.say(HERE, ADA, *(f"Row {number}." for number in range(5)))
    house.say(HERE, BOB, "A long one.", reply=LARGE)
    meter = Meter()
    keeping = process(house, metered(house.adapters, meter))
    keeping.sessions.recent(HERE, 12)
    house.say(HERE, ADA, "Row 6.")
    meter.reset()

    recent = keeping.sessions.recent(HERE, 12)

    assert said(recent) == [2, 3, 4, 5, 6, 7]
    assert (meter.rounds, meter.counts["blob_get"]) == (1, 0)
    assert meter.sizes["read"] < 2 * 700


@pytest.mark.parametrize("wanted", [[1, 9, 2, 9], [9, 4, 1], [0, 3]])
def test_what_is_kept_is_added_to_where_more_is_wanted(wanted: list[int], house: Household) -> None:
    house.say(HERE, ADA, *(f"Row {number}." for number in range(6)))
    keeping = process(house)

    for items in wanted:
        assert keeping.sessions.recent(HERE, items) == process(house).sessions.recent(HERE, items)


def test_a_turn_that_was_archived_is_recent_no_more(house: Household) -> None:
    house.say(HERE, ADA, *(f"Row {number}." for number in range(6)))
    keeping = process(house)
    assert said(keeping.sessions.recent(HERE, 12)) == [1, 2, 3, 4, 5, 6]

    archive(house)

    assert said(keeping.sessions.recent(HERE, 12)) == [5, 6]


def test_a_turn_erased_by_another_process_is_told_no_more(house: Household) -> None:
    house.say(HERE, ADA, "Ada's secret.")
    house.say(HERE, BOB, "Bob waters the beans.")
    keeping = process(house)
    assert said(keeping.sessions.recent(HERE, ITEMS)) == [1, 2]

    erase(house, ADA)

    assert said(keeping.sessions.recent(HERE, ITEMS)) == [2]


def test_a_turn_met_while_it_was_being_erased_is_told_no_more_once_that_is_done(house: Household) -> None:
    """A query may meet an item that a transaction is just deleting, behind a head that it has changed already."""
    house.say(HERE, ADA, "Ada's secret.")
    house.say(HERE, BOB, "Bob waters the beans.")
    where = Key(session_pk(HERE), event_sk(1))
    met = house.adapters.table.get(where)
    assert met is not None
    keeping = process(house)
    table: Any = house.adapters.table

    class Late:
        """The table, whose first look behind an erased turn's head still meets the turn."""

        def __init__(self) -> None:
            self.looked = False

        def __getattr__(self, name: str) -> Any:
            return getattr(table, name)

        def transact(self, writes: Any) -> None:
            table.transact(writes)
            head = table.get(Key(session_pk(HERE), HEAD))
            if "erased" in head and not self.looked:
                self.looked = True
                table.put(Put(met))
                assert said(keeping.sessions.recent(HERE, ITEMS)) == [1, 2]
                table.delete(Delete(where))

    late: Any = Late()
    EraseUser(process(house, replace(house.adapters, table=late)), house.inventory).run(DataScope(ACME, user=ADA))

    assert late.looked
    assert said(keeping.sessions.recent(HERE, ITEMS)) == [2]


def test_a_session_begun_anew_under_its_name_is_another(house: Household) -> None:
    house.say(HERE, ADA, "Old one.", "Old two.")
    keeping = process(house)
    keeping.sessions.recent(HERE, ITEMS)

    retain(house)
    house.say(HERE, ADA, "New one.", "New two.", "New three.")

    assert keeping.sessions.recent(HERE, 6) == process(house).sessions.recent(HERE, 6)


def test_between_the_steps_of_an_erasure_nothing_is_told_that_is_gone(
    house: Household, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cairn.upkeep.erase_session._AT_ONCE", 1)
    house.say(HERE, ADA, "One.", "Two.", "Three.")
    keeping = process(house)
    keeping.sessions.recent(HERE, 6)
    table: Any = house.adapters.table
    seen: list[tuple[list[int], list[int]]] = []

    class Watched:
        def __getattr__(self, name: str) -> Any:
            return getattr(table, name)

        def transact(self, writes: Any) -> None:
            table.transact(writes)
            seen.append((said(keeping.sessions.recent(HERE, 6)), said(process(house).sessions.recent(HERE, 6))))

    watched: Any = Watched()
    house.later(days=40)
    settings = replace(SETTINGS, session_retention_days=30)
    services_over(replace(house.adapters, table=watched), settings).maintenance.run(HERE)

    assert [2, 3] in [with_it for with_it, _ in seen]
    assert all(with_it == without for with_it, without in seen)


def test_turns_sealed_under_another_key_since_are_read_anew(house: Household) -> None:
    house.say(HERE, ADA, "One.", "Two.")
    keeping = process(house)
    before = keeping.sessions.recent(HERE, ITEMS)

    rekey(house)

    assert keeping.sessions.recent(HERE, ITEMS).turns == before.turns


def test_without_the_tenant_s_key_nothing_is_told(house: Household) -> None:
    house.say(HERE, ADA, "One.", "Two.")
    keeping = process(house)
    keeping.sessions.recent(HERE, ITEMS)

    def interrupt() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        EraseTenant(house.adapters, house.inventory).run(ACME, interrupt)
    house.later(seconds=KEY_LIFETIME.total_seconds())

    with pytest.raises(CorruptData):
        keeping.sessions.recent(HERE, ITEMS)


def test_a_store_put_back_to_an_earlier_moment_is_told_as_it_is(house: Household) -> None:
    house.say(HERE, ADA, "One.", "Two.", "Three.")
    keeping = process(house)
    keeping.sessions.recent(HERE, ITEMS)
    pk = session_pk(HERE)
    house.adapters.table.delete(Delete(Key(pk, event_sk(3))))
    house.adapters.table.update(Update(Key(pk, HEAD), set={"seq": 2}))

    assert said(keeping.sessions.recent(HERE, ITEMS)) == [1, 2]


def test_what_a_process_keeps_is_bounded_by_bytes(house: Household, monkeypatch: pytest.MonkeyPatch) -> None:
    names = [session(f"s{number}") for number in range(4)]
    for each in names:
        house.say(each, ADA, "One.", "Two.")
    [item, *_] = house.adapters.table.query(Query(session_pk(names[0]), FIRST_EVENT, LAST_EVENT)).items
    monkeypatch.setattr(recent_turns, "MAX_BYTES", 5 * item_bytes(item))
    meter = Meter()
    keeping = process(house, metered(house.adapters, meter))
    for each in names:
        keeping.sessions.recent(each, ITEMS)

    def reads(which: int) -> int:
        meter.reset()
        keeping.sessions.recent(names[which], ITEMS)
        return meter.sizes["read"]

    first, last = reads(0), reads(3)
    assert last < first


def test_whatever_becomes_of_a_session_s_memories_what_counts_them_is_another(house: Household) -> None:
    def counted() -> str:
        return house.services().sessions.recent(HERE, ITEMS).memories

    seen = [counted()]
    names = list[str]()
    for colour in ("green", "red"):
        names.append(house.remember(HERE, ADA, f"The gate is {colour}.", "session"))
        seen.append(counted())
    for name in names:
        house.forget(HERE, name, "It was painted.")
        seen.append(counted())

    assert len(set(seen)) == 5
