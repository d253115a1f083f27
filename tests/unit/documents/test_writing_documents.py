"""Documents are kept until deleted, changed all or none, on conditions that can be told again."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from hashlib import sha256
from typing import Any

import pytest

from cairn.documents.changes import GRACE
from cairn.documents.model import Owner, Place
from cairn.documents.store import Documents
from cairn.documents.writing import COLLECT_AT
from cairn.ground.adapters import Adapters
from cairn.ground.errors import Conflict, QuotaExceeded, Refusal, TransactionRefused, Unavailable
from cairn.ground.ids import Project, Tenant, UserId
from cairn.ground.settings import Quotas
from cairn.ground.table import Write
from support.documents import ADA, counted, documents, found, put, value_of, wanted
from support.doubles import LateBlobs

NOISE = "".join(sha256(bytes([number % 256, number // 256])).hexdigest() for number in range(1250))
"""80 KB that compress to more than an item holds."""
BEDS = ("notes", "beds")


@pytest.fixture
def store(adapters: Adapters) -> Documents:
    return documents(adapters)


@pytest.mark.parametrize("value", [{"rows": 4}, [], "", 0, False, {"z": 1, "a": {"b": [None]}}, NOISE])
def test_any_json_comes_back_as_it_was(store: Documents, value: Any) -> None:
    put(store, BEDS, "north", value)
    assert repr(value_of(store, BEDS, "north")) == repr(value)


def test_a_document_keeps_the_time_of_its_making_and_tells_that_of_its_value(store: Documents, clock: Any) -> None:
    made = clock.now()
    first = put(store, BEDS, "north", 1)
    clock.advance(days=400)
    assert put(store, BEDS, "north", 2) > first
    (document,) = store.get(ADA, [Place(BEDS, "north")])
    assert document is not None
    assert (document.created_at, document.updated_at, document.expires_at) == (made, clock.now(), None)
    put(store, BEDS, "north", None)
    clock.advance(days=1)
    put(store, BEDS, "north", 3)
    (document,) = store.get(ADA, [Place(BEDS, "north")])
    assert document is not None
    assert document.created_at == clock.now()


def test_documents_are_found_in_the_order_asked_for_with_gaps(store: Documents) -> None:
    store.put(ADA, [wanted(BEDS, "north", 1), wanted((), "north", 2), wanted(("notes",), "north", 3)])
    places = [Place(("notes",), "north"), Place(BEDS, "south"), Place((), "north"), Place(BEDS, "north")]
    assert [each and each.value for each in store.get(ADA, places)] == [3, None, 2, 1]


def test_owners_have_documents_of_their_own(store: Documents) -> None:
    others = [
        Owner(ADA.tenant, ADA.project),
        Owner(ADA.tenant, ADA.project, UserId("bob")),
        Owner(ADA.tenant, Project("shed"), ADA.user),
        Owner(Tenant("globex"), ADA.project, ADA.user),
    ]
    put(store, BEDS, "north", 1)
    for other in others:
        assert store.get(other, [Place(BEDS, "north")]) == [None]
        store.put(other, [wanted(BEDS, "north", None)])
    assert value_of(store, BEDS, "north") == 1


def test_with_a_ttl_a_document_is_kept_so_long(store: Documents, clock: Any, adapters: Adapters) -> None:
    put(store, BEDS, "north", NOISE, ttl_seconds=60)
    put(store, BEDS, "south", 1, ttl_seconds=60)
    put(store, BEDS, "south", 2)
    (document,) = store.get(ADA, [Place(BEDS, "north")])
    assert document is not None
    assert document.expires_at == clock.now() + timedelta(seconds=60)
    clock.advance(seconds=60)
    assert (value_of(store, BEDS, "north"), value_of(store, BEDS, "south")) == (None, 2)
    assert found(store) == ["south"]
    store.collector.collect_all(ADA.tenant)
    assert counted(adapters)[0].documents == 1
    clock.advance(seconds=GRACE.total_seconds())
    store.collector.collect_all(ADA.tenant)
    assert not store.collector.due(ADA.tenant)


class TestConditions:
    """A change on a condition is made once."""

    def test_a_document_is_changed_only_at_the_version_that_was_named(
        self, store: Documents, adapters: Adapters
    ) -> None:
        first = put(store, BEDS, "north", 1, if_version=0)
        second = put(store, BEDS, "north", 2, if_version=first)
        for stranger in (store, documents(adapters)):
            for version in (0, first, second + 1):
                with pytest.raises(Conflict) as refused:
                    put(stranger, BEDS, "north", 3, if_version=version)
                told = {"collection": ["notes", "beds"], "key": "north", "version": second}
                assert refused.value.details == {"documents": [told]}
        assert value_of(store, BEDS, "north") == 2

    def test_nothing_is_stored_where_one_of_several_conditions_does_not_hold(self, store: Documents) -> None:
        put(store, BEDS, "north", 1)
        changes = [wanted(BEDS, "north", 2), wanted(BEDS, "south", 2, if_version=7), wanted((), "x", 1, if_version=0)]
        with pytest.raises(Conflict) as refused:
            store.put(ADA, changes)
        told = {"collection": ["notes", "beds"], "key": "south", "version": 0}
        assert refused.value.details == {"documents": [told]}
        assert (value_of(store, BEDS, "north"), value_of(store, (), "x")) == (1, None)

    @pytest.mark.parametrize("value", [{"a": 1}, NOISE])
    def test_what_is_told_again_is_answered_as_before_and_changes_nothing(
        self, store: Documents, adapters: Adapters, clock: Any, value: Any
    ) -> None:
        changes = [wanted(BEDS, "north", value, if_version=0), wanted(BEDS, "south", 1)]
        versions = store.put(ADA, changes)
        clock.advance(seconds=5)
        for process in (store, documents(adapters)):
            assert process.put(ADA, changes) == versions
        (document,) = store.get(ADA, [Place(BEDS, "north")])
        assert document is not None
        assert document.updated_at < clock.now()

    @pytest.mark.parametrize("index", [None, False, ("text", "title")])
    def test_a_document_is_told_again_with_whatever_index(self, store: Documents, index: Any) -> None:
        first = put(store, BEDS, "north", {"text": "Beans."}, index=index, if_version=0)
        assert put(store, BEDS, "north", {"text": "Beans."}, index=index, if_version=0) == first

    def test_another_value_another_index_or_another_condition_is_no_repeat(self, store: Documents) -> None:
        version = put(store, BEDS, "north", 1, if_version=0)
        others: list[dict[str, Any]] = [
            {"value": 2},
            {"value": 1, "index": False},
            {"value": 1, "ttl_seconds": 9},
            {"value": None},
            {"value": 1, "if_version": version - 1},
        ]
        for other in others:
            with pytest.raises(Conflict):
                put(store, BEDS, "north", **{"if_version": 0, **other})

    def test_a_deletion_on_a_condition_can_be_told_again(self, store: Documents, adapters: Adapters) -> None:
        version = put(store, BEDS, "north", 1)
        with pytest.raises(Conflict):
            put(store, BEDS, "north", None, if_version=version + 1)
        for process in (store, store, documents(adapters)):
            assert put(process, BEDS, "north", None, if_version=version) == 0
        with pytest.raises(Conflict):
            put(store, BEDS, "north", None, if_version=version - 1)

    def test_a_lost_answer_is_no_lost_race(self, store: Documents, adapters: Adapters) -> None:
        losing = documents(replace(adapters, table=_Losing(adapters.table)))
        change = [wanted(BEDS, "north", 1, if_version=0)]
        with pytest.raises(Unavailable):
            losing.put(ADA, change)
        (version,) = losing.put(ADA, change)
        (document,) = store.get(ADA, [Place(BEDS, "north")])
        assert document is not None
        assert document.version == version

    def test_no_two_states_of_a_document_have_one_version(self, store: Documents, adapters: Adapters) -> None:
        versions = [put(store, BEDS, "north", 1)]
        put(store, BEDS, "north", None)
        versions.append(put(documents(adapters), BEDS, "north", 1))
        versions.append(put(store, BEDS, "north", 1))
        put(documents(adapters), BEDS, "north", None)
        versions.append(put(store, BEDS, "north", 1))
        assert versions == sorted(set(versions))


class _Losing:
    """A table whose first transaction is done and not answered."""

    def __init__(self, table: Any) -> None:
        self._table = table
        self._lost = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._table, name)

    def transact(self, writes: list[Write]) -> None:
        self._table.transact(writes)
        if not self._lost:
            self._lost = True
            raise Unavailable("the answer is lost")


class TestCounts:
    """An owner's documents are counted in the transactions that change them."""

    def test_what_is_counted_is_what_is_stored(self, store: Documents, adapters: Adapters) -> None:
        stranger = documents(adapters)
        store.put(ADA, [wanted(BEDS, str(number), "x" * number) for number in range(40)])
        stranger.put(ADA, [wanted(BEDS, "3", NOISE, index=False), wanted(BEDS, "4", None), wanted((), "n", None)])
        store.put(ADA, [wanted(BEDS, "3", 1), wanted(BEDS, "4", 1), wanted((), "p", 1, index=False)])
        kept, recounted = counted(adapters)
        assert kept == recounted
        assert (kept.documents, kept.plain) == (41, 1)

    def test_over_the_quota_nothing_is_stored(self, adapters: Adapters, clock: Any) -> None:
        store = documents(adapters, Quotas(documents=2, document_bytes=1000))
        put(store, BEDS, "north", 1, ttl_seconds=5)
        with pytest.raises(QuotaExceeded):
            store.put(ADA, [wanted(BEDS, "south", 1), wanted(BEDS, "west", 1)])
        with pytest.raises(QuotaExceeded):
            put(store, BEDS, "south", "x" * 1000)
        put(store, BEDS, "south", 1)
        with pytest.raises(QuotaExceeded):
            put(store, BEDS, "west", 1)
        put(store, BEDS, "south", 2)
        clock.advance(seconds=5)
        put(store, BEDS, "west", 1)
        kept, recounted = counted(adapters)
        assert kept == recounted

    def test_who_writes_collects_what_has_expired_once_it_is_much(
        self, store: Documents, adapters: Adapters, clock: Any
    ) -> None:
        for number in range(COLLECT_AT):
            put(store, BEDS, f"d{number}", 1, ttl_seconds=60 if number else 90)
        clock.advance(seconds=60)
        put(store, BEDS, "north", 1)
        assert counted(adapters)[0].documents == COLLECT_AT + 1

        clock.advance(seconds=30)
        put(store, BEDS, "north", 2)

        assert counted(adapters)[0].documents == 1

    def test_who_is_refused_since_the_store_is_busy_tries_again(self, adapters: Adapters, clock: Any) -> None:
        table: Any = adapters.table
        refusals = [TransactionRefused([Refusal("conflict")]) for _ in range(2)]

        class Busy:
            def transact(self, writes: Any) -> None:
                if refusals:
                    raise refusals.pop()
                table.transact(writes)

            def __getattr__(self, name: str) -> Any:
                return getattr(table, name)

        busy: Any = Busy()
        began = clock.now()
        put(documents(replace(adapters, table=busy)), BEDS, "north", 1)
        assert value_of(documents(adapters), BEDS, "north") == 1
        assert clock.now() > began

    def test_no_blob_is_left_that_no_document_has(self, new_adapters: Any) -> None:
        disk, adapters = new_adapters()
        store = documents(adapters)
        put(store, BEDS, "north", NOISE)
        put(documents(adapters), BEDS, "north", NOISE + "x")
        put(store, BEDS, "south", NOISE)
        put(store, BEDS, "south", None)
        with pytest.raises(Conflict):
            put(store, BEDS, "south", NOISE, if_version=7)
        adapters.clock.advance(seconds=GRACE.total_seconds() + 1)
        store.collector.collect_all(ADA.tenant)
        assert value_of(store, BEDS, "north") == NOISE + "x"
        assert sum(path.is_file() for path in (disk.directory / "blobs").rglob("*")) == 1

    def test_who_has_just_found_a_large_one_still_gets_it_when_it_is_replaced_meanwhile(
        self, adapters: Adapters, clock: Any
    ) -> None:
        store = documents(adapters)
        put(store, BEDS, "north", NOISE)

        def replaced() -> None:
            put(store, BEDS, "north", "another")
            assert store.collector.collect_all(ADA.tenant) == 0

        reader = documents(replace(adapters, blobs=LateBlobs(adapters.blobs, replaced)))
        assert value_of(reader, BEDS, "north") == NOISE
        clock.advance(seconds=GRACE.total_seconds())
        assert store.collector.collect_all(ADA.tenant) == 1
