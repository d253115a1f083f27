"""Whatever is stored, expires, is removed, raced or interrupted: totals are exact, and a recount confirms them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from hashlib import sha256
from itertools import count
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cairn.ground.adapters import Adapters
from cairn.ground.codec import canonical
from cairn.ground.errors import NotFound, Unavailable
from cairn.ground.ids import Namespace, Tenant
from cairn.ground.paging import every
from cairn.ground.table import Attributes, Query
from cairn.keyvalue import layout
from cairn.keyvalue.changes import GRACE
from cairn.keyvalue.model import Entry, KeyName, Place, Usage
from cairn.keyvalue.store import KeyValue
from support.faults import FAULTS, FaultyBlobs, FaultyStore, Stopped
from support.keyvalue import confirm, key_value, removed
from support.memory_store import MemoryTable

ACME = Tenant("acme")
RIVAL = Tenant("acme-2")
SPACES = ("session.a", "session.a.b", "session.ab")
KEYS = ("a", "a/b", "ab", "n", "e", "v:1")
NOISE = "".join(sha256(bytes([number % 256, number // 256])).hexdigest() for number in range(1250))
"""80 KB that compress to more than an item holds."""
PLACES = st.builds(
    Place,
    st.sampled_from([ACME, RIVAL]),
    st.sampled_from([Namespace(each) for each in SPACES]),
    st.sampled_from([KeyName(each) for each in KEYS]),
)
STEPS = st.one_of(
    st.tuples(st.just("put"), PLACES, st.sampled_from([0, 1, 5, 60, None]), st.sampled_from(["", "x" * 9, NOISE])),
    st.tuples(st.just("delete"), PLACES, st.none(), st.just("")),
    st.tuples(st.just("wait"), st.none(), st.sampled_from([0, 1, 4, 60, 4000]), st.just("")),
    st.tuples(st.just("collect"), st.none(), st.none(), st.just("")),
)
Model = dict[Place, tuple[str, datetime | None]]
NewAdapters = Callable[[], Adapters]


def size_of(place: Place, value: str) -> int:
    return len(place.key) + len(canonical(value))


def alive(model: Model, now: datetime) -> dict[Place, str]:
    return {place: value for place, (value, until) in model.items() if until is None or now < until}


def check(memory: KeyValue, model: Model, now: datetime) -> None:
    """Hold every namespace and the recount to the model."""
    there = alive(model, now)
    for tenant in (ACME, RIVAL):
        for namespace in map(Namespace, SPACES):
            wanted = sorted(place.key for place in there if (place.tenant, place.namespace) == (tenant, namespace))
            page = memory.list(tenant, namespace, limit=100)
            assert (list(page.keys), page.total, page.cursor) == (wanted, len(wanted), None)
        confirm(memory, tenant)
    for place, value in there.items():
        assert memory.get(place).value == value


def blobs_of(adapters: Adapters) -> set[str]:
    """Return every blob there is."""
    return {digest for _, digest in vars(adapters.blobs)["blobs"]}


def items_of(adapters: Adapters) -> list[Attributes]:
    return list(cast("MemoryTable", adapters.table).items())


def referenced(adapters: Adapters) -> tuple[set[str], set[str]]:
    """Return the blobs that values name, and those that are noted as garbage."""
    items = items_of(adapters)
    named = {str(item["blob"]) for item in items if "blob" in item}
    noted = {str(item["sk"])[2:] for item in items if str(item["sk"]).startswith("g#")}
    return named, noted


@pytest.mark.slow
@pytest.mark.req("R142")
@pytest.mark.req("R151")
@pytest.mark.req("R141")
def test_totals_and_counters_are_exact_at_any_moment(adapters_in_memory: NewAdapters, clock: Any) -> None:
    @settings(max_examples=60)
    @given(steps=st.lists(STEPS, min_size=1, max_size=25))
    def holds(steps: list[tuple[str, Place | None, int | None, str]]) -> None:
        adapters, model = adapters_in_memory(), Model()
        processes = [key_value(adapters) for _ in range(2)]
        for number, (step, place, seconds, value) in enumerate(steps):
            memory = processes[number % 2]
            if place is None:
                clock.advance(seconds=seconds or 0)
                if step == "collect":
                    memory.collection.collect_all(ACME)
            elif step == "put":
                memory.put(place, value, seconds)
                until = None if seconds is None else clock.now() + timedelta(seconds=seconds)
                model[place] = (value, until)
            else:
                assert removed(memory, place) == (place in alive(model, clock.now()))
                model.pop(place, None)
            check(memory, model, clock.now())
        named, noted = referenced(adapters)
        assert named <= blobs_of(adapters) <= named | noted
        cleaned(processes[0], adapters, model, clock)

    holds()


def cleaned(memory: KeyValue, adapters: Adapters, model: Model, clock: Any) -> None:
    """After the grace, collection leaves nothing but what is there, in the counters and in the blobs."""
    for _ in range(2):
        clock.advance(seconds=GRACE.total_seconds())
        for tenant in (ACME, RIVAL):
            memory.collection.collect_all(tenant)
    there = alive(model, clock.now())
    assert blobs_of(adapters) == {str(item["blob"]) for item in items_of(adapters) if "blob" in item}
    assert len(blobs_of(adapters)) == sum(value == NOISE for value in there.values())
    for tenant in (ACME, RIVAL):
        mine = {place: value for place, value in there.items() if place.tenant == tenant}
        total = memory.collection.recount(tenant)[-1]
        assert total.kept == Usage(len(mine), sum(size_of(place, value) for place, value in mine.items()))


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("before", [None, "small", NOISE], ids=["new", "over small", "over large"])
@pytest.mark.parametrize("expired", [False, True], ids=["live", "expired"])
@pytest.mark.parametrize("value", ["w", NOISE, None], ids=["small", "large", "delete"])
def test_an_interrupted_change_happened_or_did_not(  # noqa: PLR0913, PLR0917 - one parameter for each circumstance
    adapters_in_memory: NewAdapters, clock: Any, fault: Any, before: str | None, value: str | None, expired: Any
) -> None:
    place = Place(ACME, Namespace("session.a"), KeyName("k"))
    for at in count(1):
        adapters = adapters_in_memory()
        healthy = key_value(adapters)
        healthy.put(replace(place, key=KeyName("other")), "stays")
        if before is not None:
            healthy.put(place, before, ttl_seconds=60)
        clock.advance(seconds=60 if expired else 1)
        was = None if expired else before
        store = FaultyStore(adapters, at, fault)
        hurt = key_value(replace(adapters, table=store, blobs=FaultyBlobs(adapters, store)))
        acknowledged = attempt(hurt, place, value)
        if store.calls < at:
            return
        now = read(key_value(adapters), place)
        assert now in ({value} if acknowledged else {was, value}), f"after call {at}"
        confirm(healthy, ACME)
        named, noted = referenced(adapters)
        assert named <= blobs_of(adapters) <= named | noted
        assert attempt(healthy, place, value) or value is None
        confirm(healthy, ACME)
        for _ in range(2):
            clock.advance(seconds=GRACE.total_seconds())
            healthy.collection.collect_all(ACME)
        assert blobs_of(adapters) == referenced(adapters)[0]


def attempt(memory: KeyValue, place: Place, value: str | None) -> bool:
    """Change the key; return whether that was acknowledged."""
    try:
        memory.delete(place) if value is None else memory.put(place, value)
    except (Unavailable, NotFound, Stopped):
        return False
    return True


def read(memory: KeyValue, place: Place) -> Any:
    try:
        return memory.get(place).value
    except NotFound:
        return None


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS)
def test_an_interrupted_collection_is_finished_by_the_next(
    adapters_in_memory: NewAdapters, clock: Any, fault: Any
) -> None:
    for at in count(1):
        adapters = adapters_in_memory()
        memory = key_value(adapters)
        for number in range(5):
            place = Place(ACME, Namespace(f"session.{number % 2}"), KeyName(f"k{number}"))
            memory.put(place, NOISE if number == 0 else "v", ttl_seconds=None if number == 4 else 10)
        clock.advance(seconds=10)
        store = FaultyStore(adapters, at, fault)
        hurt = key_value(replace(adapters, table=store, blobs=FaultyBlobs(adapters, store))).collection
        for _ in range(2):
            with suppress(Unavailable, Stopped):
                hurt.collect_all(ACME)
            confirm(memory, ACME)
            clock.advance(seconds=GRACE.total_seconds())
        for _ in range(2):
            memory.collection.collect_all(ACME)
            clock.advance(seconds=GRACE.total_seconds())
        assert memory.collection.recount(ACME)[-1].kept.items == 1
        assert blobs_of(adapters) == set()
        if store.calls < at:
            return


def test_a_tenant_that_writes_cleans_up_after_itself(adapters_in_memory: NewAdapters, clock: Any) -> None:
    adapters = adapters_in_memory()
    memory = key_value(adapters)
    for number in range(200):
        place = Place(ACME, Namespace(f"session.{number % 7}"), KeyName(f"k{number}"))
        memory.put(place, number, ttl_seconds=1)
        clock.advance(seconds=1)
    waiting = [item for item in items_of(adapters) if str(item["sk"]).startswith("e#")]
    assert len(waiting) <= 17
    confirm(memory, ACME)


@pytest.mark.req("R010")
@pytest.mark.slow
def test_no_name_reaches_into_another_tenant_s_or_namespace_s_keys(adapters_in_memory: NewAdapters) -> None:
    """Known fault 10: key-value data was keyed by namespace without tenant."""
    tenants = st.from_regex(r"[A-Za-z0-9_-]{1,12}", fullmatch=True)
    namespaces = st.from_regex(r"[A-Za-z0-9_-]{1,4}(\.[A-Za-z0-9_-]{1,4}){0,2}", fullmatch=True)
    keys = st.from_regex(r"[A-Za-z0-9_.:/-]{1,6}", fullmatch=True)
    places = st.builds(Place, tenants.map(Tenant), namespaces.map(Namespace), keys.map(KeyName))

    @given(mine=places, theirs=places)
    def apart(mine: Place, theirs: Place) -> None:
        adapters = adapters_in_memory()
        memory = key_value(adapters)
        memory.put(mine, "mine")
        if mine != theirs:
            assert read(memory, theirs) is None
            memory.put(theirs, "theirs")
        assert read(memory, mine) == "mine"
        same_space = (mine.tenant, mine.namespace) == (theirs.tenant, theirs.namespace)
        assert memory.list(mine.tenant, mine.namespace).total == 1 + (same_space and mine.key != theirs.key)
        pk = layout.namespace_pk(mine.tenant, mine.namespace)
        assert pk.startswith(f"{mine.tenant}#k#")
        assert layout.namespace_of(pk) == mine.namespace
        kinds = {str(item["sk"])[:2] for item in every(adapters.table, Query(pk, "", "\U0010ffff"))}
        assert kinds == {"v#", "n#", "e!"}

    apart()


def test_a_removed_key_leaves_nothing_that_does_not_expire(adapters_in_memory: NewAdapters) -> None:
    adapters = adapters_in_memory()
    memory, place = key_value(adapters), Place(ACME, Namespace("session.a"), KeyName("k"))
    memory.put(place, "v", ttl_seconds=60)
    memory.delete(place)
    pk = layout.namespace_pk(ACME, place.namespace)
    left = {str(item["sk"]): item for item in items_of(adapters) if item["pk"] == pk}
    assert set(left) == {"v#k", layout.USAGE}
    assert "expires_at" in left["v#k"]
    assert "data" not in left["v#k"]
    assert Entry.of(left["v#k"]).removed
    assert Usage.of(left[layout.USAGE]) == Usage()
