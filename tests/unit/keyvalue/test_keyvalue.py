"""Key-value memory keeps any JSON under namespace and key, lists what is there, and forgets what has expired."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cairn.ground.adapters import Adapters
from cairn.ground.errors import Conflict, InvalidArgument, NotFound
from cairn.ground.ids import Namespace, Tenant
from cairn.ground.settings import Quotas
from cairn.ground.table import Query
from cairn.keyvalue import model
from cairn.keyvalue.changes import GRACE
from cairn.keyvalue.model import KeyName, Place, Usage
from cairn.keyvalue.store import KeyValue
from cairn.keyvalue.writing import COLLECT_AT
from conftest import Store
from support.doubles import Counted, LateBlobs
from support.keyvalue import confirm, key_value

ACME = Tenant("acme")
MONDAY = Namespace("session.monday")
NOISE = "".join(sha256(bytes([number % 256, number // 256])).hexdigest() for number in range(1250))
"""80 KB that compress to more than an item holds."""


def at(key: str, namespace: str = MONDAY, tenant: str = ACME) -> Place:
    return Place(Tenant(tenant), Namespace(namespace), KeyName(key))


@pytest.fixture
def memory(adapters: Adapters) -> KeyValue:
    return key_value(adapters)


def keys(memory: KeyValue, prefix: str = "", limit: int = 50) -> list[str]:
    """Return every key of the namespace, page by page."""
    found: list[str] = []
    cursor: str | None = None
    while True:
        page = memory.list(ACME, MONDAY, prefix, limit, cursor)
        assert len(page.keys) <= limit
        found += page.keys
        cursor = page.cursor
        if cursor is None:
            return found


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@pytest.mark.req("R150")
@pytest.mark.req("R148")
def test_any_json_value_comes_back_as_it_was(new_adapters: Any) -> None:
    _, adapters = new_adapters()
    memory = key_value(adapters)

    @given(value=JSON.filter(lambda value: "\\ud8" not in ascii(value)))
    def comes_back(value: Any) -> None:
        memory.put(at("k"), value)
        assert repr(memory.get(at("k")).value) == repr(value)

    comes_back()


@pytest.mark.req("R280")
def test_a_key_that_is_not_there_is_an_error(memory: KeyValue) -> None:
    with pytest.raises(NotFound):
        memory.get(at("k"))
    with pytest.raises(NotFound):
        memory.delete(at("k"))
    memory.put(at("k"), 1)
    memory.delete(at("k"))
    with pytest.raises(NotFound):
        memory.get(at("k"))
    with pytest.raises(NotFound):
        memory.delete(at("k"))


@pytest.mark.req("R151")
def test_a_value_is_there_until_its_time_is_up(memory: KeyValue, clock: Any) -> None:
    memory.put(at("k"), "v", ttl_seconds=60)
    assert memory.get(at("k")).ttl_seconds == 60
    clock.advance(seconds=59.5)
    assert memory.get(at("k")).ttl_seconds == 1
    assert memory.list(ACME, MONDAY).total == 1

    clock.advance(seconds=0.5)

    with pytest.raises(NotFound):
        memory.get(at("k"))
    listed = memory.list(ACME, MONDAY)
    assert (listed.keys, listed.total) == ((), 0)
    with pytest.raises(NotFound):
        memory.delete(at("k"))


def test_a_ttl_of_nothing_removes_what_is_there(memory: KeyValue) -> None:
    memory.put(at("k"), "v")
    assert memory.put(at("k"), "w", ttl_seconds=0) == 0
    with pytest.raises(NotFound):
        memory.get(at("k"))
    assert memory.list(ACME, MONDAY).total == 0
    assert memory.put(at("never"), "w", ttl_seconds=0) == 0


def test_a_value_stored_again_without_a_ttl_stays(memory: KeyValue, clock: Any) -> None:
    memory.put(at("k"), "v", ttl_seconds=60)
    memory.put(at("k"), "w")
    clock.advance(days=1000)
    assert memory.get(at("k")).value == "w"
    assert memory.get(at("k")).ttl_seconds is None
    assert memory.list(ACME, MONDAY).total == 1


@pytest.mark.req("R141")
@pytest.mark.req("R142")
@pytest.mark.req("R139")
@pytest.mark.parametrize("limit", [1, 2, 7, 100])
def test_all_pages_together_name_every_key_once_in_order(memory: KeyValue, clock: Any, limit: int) -> None:
    for number in range(23):
        memory.put(at(f"a/{number}"), number, ttl_seconds=10 if number % 3 == 0 else None)
        memory.put(at(f"b/{number}"), number)
    memory.put(at("a"), 0)
    clock.advance(seconds=10)

    there = [f"a/{number}" for number in range(23) if number % 3]
    assert keys(memory, "a/", limit) == sorted(there)
    assert keys(memory, "", limit) == sorted([*there, "a", *(f"b/{number}" for number in range(23))])
    assert keys(memory, "c", limit) == []
    assert {memory.list(ACME, MONDAY, prefix, limit).total for prefix in ("", "a/", "c")} == {len(there) + 24}


@pytest.mark.req("R141")
def test_a_page_goes_past_many_expired_keys(memory: KeyValue, clock: Any) -> None:
    for number in range(130):
        memory.put(at(f"a{number:03}"), number, ttl_seconds=10 + number)
    memory.put(at("z"), 1)
    clock.advance(seconds=139)
    page = memory.list(ACME, MONDAY, limit=1)
    assert (page.keys, page.cursor, page.total) == (("z",), None, 1)


@pytest.mark.req("R141")
def test_a_key_is_never_taken_for_a_pattern(memory: KeyValue) -> None:
    for key in ("a_b", "axb", "a-b", "a.b", "ab", "a"):
        memory.put(at(key), key)
    assert keys(memory, "a_") == ["a_b"]
    assert keys(memory, "a.") == ["a.b"]
    assert keys(memory, "a", 1) == sorted(("a_b", "axb", "a-b", "a.b", "ab", "a"))


@pytest.mark.req("R143")
def test_a_cursor_serves_only_the_listing_that_gave_it(memory: KeyValue, adapters: Adapters) -> None:
    for namespace, tenant in ((MONDAY, ACME), ("session.tuesday", ACME), (MONDAY, "rival")):
        for number in range(3):
            memory.put(at(f"k{number}", namespace, tenant), number)
    cursor = memory.list(ACME, MONDAY, "k", 1).cursor
    assert cursor is not None
    other = key_value(adapters)
    assert other.list(ACME, MONDAY, "k", 1, cursor).keys == ("k1",)
    changed = [cursor[:at] + ("A" if cursor[at] != "A" else "B") + cursor[at + 1 :] for at in range(len(cursor) - 1)]
    for wrong in (*changed, "", "k0", "é", cursor[:-4], cursor + "AAAA"):
        with pytest.raises(InvalidArgument) as refused:
            memory.list(ACME, MONDAY, "k", 1, wrong)
        assert list(refused.value.details) == ["fields"]
    for tenant, namespace, prefix in (
        (Tenant("rival"), MONDAY, "k"),
        (ACME, Namespace("session.tuesday"), "k"),
        (ACME, MONDAY, ""),
    ):
        with pytest.raises(InvalidArgument):
            memory.list(tenant, namespace, prefix, 1, cursor)


@pytest.mark.req("R161")
def test_a_cursor_does_not_tell_the_key_it_stands_for(memory: KeyValue) -> None:
    from base64 import urlsafe_b64decode  # noqa: PLC0415 - of this test alone

    for number in range(3):
        memory.put(at(f"tell-tale-{number}"), number)
    cursor = memory.list(ACME, MONDAY, limit=1).cursor or ""
    assert b"tell" not in urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))


def test_a_version_rises_with_each_write_even_within_one_moment(memory: KeyValue) -> None:
    versions = [memory.put(at("k"), number) for number in range(3)]
    memory.delete(at("k"))
    versions.append(memory.put(at("k"), 3))
    assert versions == sorted(set(versions))
    assert memory.get(at("k")).version == versions[-1]


def test_a_write_on_condition_of_a_version_is_refused_for_another(
    memory: KeyValue, clock: Any, adapters: Adapters
) -> None:
    first = memory.put(at("k"), "v", if_version=0)
    for process in (memory, key_value(adapters)):
        for wrong in (0, first - 1, first + 1):
            with pytest.raises(Conflict) as refused:
                process.put(at("k"), "other", if_version=wrong)
            assert refused.value.details == {"version": first}
            with pytest.raises(Conflict):
                process.delete(at("k"), if_version=wrong)
    second = key_value(adapters).put(at("k"), "w", if_version=first, ttl_seconds=5)
    assert memory.get(at("k")).value == "w"
    clock.advance(seconds=5)
    with pytest.raises(Conflict):
        memory.put(at("k"), "late", if_version=second)
    third = memory.put(at("k"), "anew", if_version=0)
    memory.delete(at("k"), if_version=third)
    with pytest.raises(Conflict):
        memory.put(at("k"), "late", if_version=third)
    with pytest.raises(NotFound):
        memory.get(at("k"))


def test_a_write_repeated_after_its_answer_was_lost_is_the_same_write(adapters: Adapters) -> None:
    first = key_value(adapters).put(at("k"), {"a": True}, 60)
    second = key_value(adapters).put(at("k"), {"a": 1}, 60, if_version=first)
    assert key_value(adapters).put(at("k"), {"a": 1}, 60, if_version=first) == second
    for value, ttl in (({"a": True}, 60), ({"a": 1}, 61), ({"a": 1}, None)):
        with pytest.raises(Conflict):
            key_value(adapters).put(at("k"), value, ttl, if_version=first)


@pytest.mark.req("R153")
def test_a_large_value_is_kept_as_a_blob(memory: KeyValue, adapters: Adapters) -> None:
    memory.put(at("k"), {"noise": NOISE})
    assert memory.get(at("k")).value == {"noise": NOISE}
    assert key_value(adapters).get(at("k")).value == {"noise": NOISE}


def blobs(store: Store) -> int:
    return sum(path.is_file() for path in (store.directory / "blobs").rglob("*"))


def test_a_large_value_stays_when_all_that_is_of_no_use_is_collected(
    memory: KeyValue, store: Store, clock: Any
) -> None:
    memory.put(at("k"), {"noise": NOISE})
    memory.put(at("k"), {"noise": NOISE[1:]})
    clock.advance(days=2)
    memory.collection.collect_all(ACME)
    assert memory.get(at("k")).value == {"noise": NOISE[1:]}
    assert blobs(store) == 1


def test_the_blob_of_a_value_that_was_refused_is_collected_once_no_writer_can_want_it(
    memory: KeyValue, store: Store, clock: Any
) -> None:
    with pytest.raises(Conflict):
        memory.put(at("k"), {"noise": NOISE}, if_version=7)
    memory.collection.collect_all(ACME)
    assert blobs(store) == 1
    clock.advance(days=2)
    memory.collection.collect_all(ACME)
    assert blobs(store) == 0


def replace_it(memory: KeyValue, clock: Any) -> None:
    del clock
    memory.put(at("k"), "short")


def delete_it(memory: KeyValue, clock: Any) -> None:
    del clock
    memory.delete(at("k"))


def let_it_expire(memory: KeyValue, clock: Any) -> None:
    clock.advance(seconds=60)
    assert memory.collection.collect_all(ACME) == 1


@pytest.mark.parametrize("end", [replace_it, delete_it, let_it_expire])
def test_the_blob_of_a_value_that_is_gone_is_collected_once_nobody_can_be_reading_it(
    memory: KeyValue, clock: Any, store: Store, end: Callable[[KeyValue, Any], None]
) -> None:
    memory.put(at("k"), NOISE, ttl_seconds=60)
    end(memory, clock)
    clock.advance(seconds=GRACE.total_seconds() - 1)
    assert (memory.collection.collect_all(ACME), blobs(store)) == (0, 1)

    clock.advance(seconds=1)

    assert (memory.collection.collect_all(ACME), blobs(store)) == (1, 0)


def test_what_was_stored_again_or_removed_since_it_was_found_expired_is_left_alone(
    memory: KeyValue, clock: Any
) -> None:
    for key in ("again", "gone", "old"):
        memory.put(at(key), "v", ttl_seconds=60)
    clock.advance(seconds=61)
    found = memory.collection.due(ACME)
    memory.put(at("again"), "w")
    with pytest.raises(NotFound):
        memory.delete(at("gone"))

    assert memory.collection.collect(ACME, found) == len(found) - 1
    assert memory.collection.collect(ACME, found) == 0

    assert memory.get(at("again")).value == "w"
    confirm(memory, ACME)


def test_what_is_stored_again_just_as_it_is_collected_stays_and_is_not_counted_as_collected(
    memory: KeyValue, adapters: Adapters, clock: Any
) -> None:
    memory.put(at("k"), "v", ttl_seconds=60)
    clock.advance(seconds=61)
    table: Any = adapters.table

    class Overtaken:
        def transact(self, writes: Any) -> None:
            memory.put(at("k"), "w")
            table.transact(writes)

        def __getattr__(self, name: str) -> Any:
            return getattr(table, name)

    late: Any = Overtaken()

    assert key_value(replace(adapters, table=late)).collection.collect_all(ACME) == 0

    assert memory.get(at("k")).value == "w"
    confirm(memory, ACME)


def test_a_key_finds_room_where_others_have_expired(adapters: Adapters, clock: Any) -> None:
    memory = key_value(adapters, Quotas(namespace_items=2))
    for key in ("a", "b"):
        memory.put(at(key), "v", ttl_seconds=60)
    clock.advance(seconds=61)

    memory.put(at("c"), "v")

    assert keys(memory) == ["c"]
    confirm(memory, ACME)


def test_who_writes_collects_what_has_expired_once_it_is_much(memory: KeyValue, store: Store, clock: Any) -> None:
    for number in range(COLLECT_AT - 1):
        memory.put(at(f"k{number}"), number, 60)
    memory.put(at("later"), 1, 90)
    before = store.rows()
    clock.advance(seconds=60)
    memory.put(at("later"), 2, 30)
    assert store.rows() == before
    clock.advance(seconds=30)
    memory.put(at("last"), 3)
    assert keys(memory) == ["last"]
    assert store.rows() == before - 2 * COLLECT_AT + 2


def test_what_is_stored_is_where_earlier_programs_look_for_it(memory: KeyValue, adapters: Adapters) -> None:
    memory.put(at("k"), 1, 60)
    found = adapters.table.query(Query("acme#k#session.monday", "\x01", "~")).items
    assert [item["sk"] for item in found] == ["e!usage", "e#2026-03-01T12:01:00.000000Z#k", "n#k", "v#k"]
    assert [item["sk"] for item in adapters.table.query(Query("acme#k", "\x01", "~")).items] == [
        "e!usage",
        "ns#session.monday",
    ]


def test_what_no_counter_counts_is_nothing() -> None:
    assert Usage.of(None) == Usage.of({}) == Usage(0, 0)


@pytest.mark.parametrize("name", ["", ".", "a..b", "a.b.", "a/b", "ä", "a\n", "a" * 101])
def test_no_namespace_has_another_s_name_in_it(name: str) -> None:
    with pytest.raises(InvalidArgument, match="namespace"):
        model.namespace(name)


@pytest.mark.req("R153")
def test_who_has_just_found_a_large_value_still_gets_it_when_it_is_replaced_before_its_blob_is_read(
    memory: KeyValue, adapters: Adapters, clock: Any
) -> None:
    memory.put(at("k"), {"noise": NOISE})

    def replaced() -> None:
        memory.put(at("k"), "another")
        assert memory.collection.collect_all(ACME) == 0

    reader = key_value(replace(adapters, blobs=LateBlobs(adapters.blobs, replaced)))
    assert reader.get(at("k")).value == {"noise": NOISE}
    clock.advance(seconds=GRACE.total_seconds())
    assert memory.collection.collect_all(ACME) == 1


@pytest.mark.req("R166")
def test_another_process_sees_a_put_at_once(memory: KeyValue, adapters: Adapters) -> None:
    other = key_value(adapters)
    for number in range(3):
        memory.put(at("k"), number)
        assert other.get(at("k")).value == number
        other.put(at(f"k{number}"), number)
        assert memory.list(ACME, MONDAY).total == number + 2


class Processes:
    """Processes over one store, and the calls of each."""

    def __init__(self, adapters: Adapters) -> None:
        self.calls: list[str] = []
        self.adapters = replace(
            adapters, table=Counted(adapters.table, self.calls), blobs=Counted(adapters.blobs, self.calls)
        )
        self.memory = key_value(self.adapters)

    def of(self, call: Any) -> list[str]:
        self.calls.clear()
        call()
        return sorted(self.calls)


def test_a_warm_call_is_one_round_trip(adapters: Adapters) -> None:
    process = Processes(adapters)
    memory = process.memory
    memory.put(at("first"), 1)
    look = ["query", "transact"]
    assert process.of(lambda: memory.put(at("new"), "v", 60)) == look
    assert process.of(lambda: memory.put(at("new"), "w", 30)) == look
    assert process.of(lambda: memory.put(at("new"), "w", 30, if_version=memory.get(at("new")).version)) == [
        "get",
        *look,
    ]
    assert process.of(lambda: memory.get(at("new"))) == ["get"]
    assert process.of(lambda: memory.list(ACME, MONDAY)) == ["query", "query"]
    assert process.of(lambda: memory.delete(at("new"))) == look
    assert process.of(lambda: memory.put(at("new"), "again")) == look
    stranger = Processes(adapters)
    stranger.memory.put(at("second"), 1)
    assert stranger.of(lambda: stranger.memory.put(at("new"), "mine")) == [*look[:1], *look, *look[1:]]
