"""Documents are found by words, meaning and filters, as they are at that moment, in whatever process."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any
from unittest.mock import patch

import pytest

from cairn.custody.data_keys import DataKeys
from cairn.documents import searching, shelf
from cairn.documents.changes import REMEMBERED
from cairn.documents.layout import changes_since, document_sk
from cairn.documents.searching import LATE
from cairn.documents.store import Documents
from cairn.embedded.keyring import LocalKeyRing
from cairn.ground.adapters import Adapters
from cairn.ground.errors import Unavailable
from cairn.ground.paging import every
from cairn.ground.table import Delete, Key, Put, Query
from support.custody import Household
from support.documents import ADA, documents, found, page, put, value_of, wanted
from support.doubles import Counted
from support.recall import ToyEmbedder
from unit.documents.test_writing_documents import NOISE

NOTES, LETTERS = ("notes",), ("letters",)


@pytest.fixture
def store(adapters: Adapters) -> Documents:
    return documents(adapters)


@pytest.fixture
def garden(store: Documents) -> Documents:
    changes = [
        wanted(NOTES, "beans", {"text": "The beans climb the north fence.", "rows": 4}),
        wanted((*NOTES, "old"), "shed", {"text": "The shed was painted red.", "rows": 1}),
        wanted(("letters",), "ben", {"text": "Ben asks about beans and the shed.", "rows": 2}),
        wanted(NOTES, "hidden", {"text": "The beans are secret.", "rows": 9}, index=False),
        wanted(NOTES, "title", {"text": "A zebra is in it.", "title": "Roses"}, index=("title",)),
    ]
    store.put(ADA, changes)
    return store


def test_the_best_answer_comes_first_and_what_is_not_searched_last(garden: Documents) -> None:
    hits = page(garden, "Where do the beans climb?").hits
    assert [hit.document.place.key for hit in hits][:2] == ["beans", "ben"]
    assert [hit.document.place.key for hit in hits][-1] == "hidden"
    scores = [hit.score for hit in hits]
    assert scores[-1] is None
    assert scores[:-1] == sorted((score for score in scores if score is not None), reverse=True)
    assert sum(score for score in scores if score is not None) == pytest.approx(1)


def test_a_search_stays_in_its_collection_and_below(garden: Documents) -> None:
    assert found(garden, "Which colour has the shed?", NOTES)[0] == "shed"
    assert set(found(garden, "Which colour has the shed?", NOTES)) == {"shed", "beans", "title", "hidden"}
    assert found(garden, "Which colour has the shed?", ("letters",)) == ["ben"]
    assert found(garden, "beans", ("letter",)) == []
    assert found(garden, "beans", ("letters", "ben")) == []


def test_only_the_fields_of_the_index_are_searched(garden: Documents) -> None:
    assert found(garden, "roses")[0] == "title"
    assert page(garden, "zebra").hits[0].score == 0


def test_without_a_question_documents_come_in_the_order_of_their_keys(garden: Documents) -> None:
    assert found(garden) == ["ben", "beans", "hidden", "title", "shed"]
    assert found(garden, collection=NOTES, limit=2) == ["beans", "hidden"]
    assert found(garden, collection=NOTES, limit=2, offset=2) == ["title", "shed"]
    assert [page(garden, limit=limit).more for limit in (4, 5, 6)] == [True, False, False]
    assert {hit.score for hit in page(garden).hits} == {None}


@pytest.mark.parametrize("query", ["", "beans"])
def test_a_filter_holds_of_all_that_is_found_and_pages_are_of_what_it_leaves(garden: Documents, query: str) -> None:
    assert set(found(garden, query, filter={"rows": {"$gte": 2}})) == {"beans", "ben", "hidden"}
    pages = [found(garden, query, filter={"rows": {"$gte": 2}}, limit=1, offset=number) for number in range(4)]
    assert sorted(key for keys in pages for key in keys) == ["beans", "ben", "hidden"]
    assert [page(garden, query, filter={"rows": {"$gte": 2}}, limit=limit).more for limit in (2, 3)] == [True, False]


def test_an_answer_that_would_be_too_large_ends_before_that(store: Documents) -> None:
    with patch("cairn.documents.store.MOST_BYTES", 1000):
        store.put(ADA, [wanted(NOTES, str(number), "beans " * 70) for number in range(5)])
        for query in ("", "beans"):
            first = page(store, query)
            assert (len(first.hits), first.more) == (2, True)
            assert len(page(store, query, offset=2).hits) == 2
        put(store, NOTES, "0", "beans " * 700)
        assert found(store, limit=1) == ["0"]


class TestFreshness:
    """Every process finds what is stored at that moment."""

    def test_what_another_process_wrote_is_found_at_once(self, garden: Documents, adapters: Adapters) -> None:
        reader = documents(adapters)
        assert found(reader, "roses")[0] == "title"
        put(garden, NOTES, "bed", "Roses, roses and roses.")
        assert found(reader, "roses")[0] == "bed"
        put(garden, NOTES, "bed", "Tulips.")
        put(garden, NOTES, "title", None)
        assert "roses" not in str([hit.document.value for hit in page(reader, "roses").hits if hit.score])
        put(garden, NOTES, "beans", {"text": "Roses."}, index=False)
        assert page(reader, "roses").hits[0].score == 0
        put(garden, NOTES, "hidden", {"text": "Roses."})
        assert found(reader, "roses")[0] == "hidden"

    def test_what_has_expired_or_expires_meanwhile_is_not_found(self, garden: Documents, clock: Any) -> None:
        put(garden, NOTES, "bed", "Roses, roses and roses.", ttl_seconds=60)
        assert found(garden, "roses")[0] == "bed"
        clock.advance(seconds=60)
        assert "bed" not in found(garden, "roses")
        garden.collector.collect_all(ADA.tenant)
        assert "bed" not in found(garden, "roses")

    def test_a_change_whose_writer_s_clock_was_far_behind_is_found(self, garden: Documents, adapters: Adapters) -> None:
        assert found(garden, "roses")[0] == "title"
        behind: Any = _Clock(adapters, -10 * LATE)
        put(documents(replace(adapters, clock=behind)), NOTES, "bed", "Roses, roses and roses.")
        assert found(garden, "roses")[0] == "bed"
        assert found(garden, "roses")[0] == "bed"

    def test_more_changes_than_are_read_one_by_one_are_all_found(self, garden: Documents, adapters: Adapters) -> None:
        assert found(garden, "roses")[0] == "title"
        with patch.object(searching, "MOST_NEWS", 6):
            for number in range(9):
                put(documents(adapters), NOTES, f"r{number}", "Roses, roses and roses.")
            assert set(found(garden, "roses")[:9]) == {f"r{number}" for number in range(9)}
            for number in range(9):
                put(garden, NOTES, f"r{number}", None)
                assert f"r{number}" not in found(garden, "roses", limit=100)

    def test_a_process_that_looks_once_a_day_misses_nothing(
        self, garden: Documents, adapters: Adapters, clock: Any
    ) -> None:
        writer = documents(adapters)
        for number in range(4):
            found(garden, "roses")
            put(writer, NOTES, f"r{number}", "Roses, roses and roses.")
            clock.advance(seconds=REMEMBERED.total_seconds())
            for item in list(_told(adapters)):  # as the store does when their time is over
                adapters.table.delete(Delete(Key.of(item)))
            assert f"r{number}" in found(garden, "roses")[: number + 1]

    def test_what_was_sealed_anew_under_another_key_is_found(self, new_adapters: Any) -> None:
        disk, adapters = new_adapters()
        house = Household.over(replace(adapters, keys=LocalKeyRing(bytes(range(32)))), disk.directory)
        store = documents(house.adapters)
        store.put(ADA, [wanted(NOTES, "small", "Roses."), wanted(NOTES, "large", f"Roses. {NOISE}")])
        assert set(found(store, "roses")) == {"small", "large"}
        keys = DataKeys(house.adapters, house.inventory)
        keys.rotate(ADA.tenant)
        house.adapters.clock.sleep(3600)
        assert keys.rewrap(ADA.tenant).deleted
        assert set(found(store, "roses")) == {"small", "large"}

    def test_what_was_erased_is_found_by_no_process(self, garden: Documents, adapters: Adapters) -> None:
        assert found(garden, "roses")[0] == "title"
        for item in list(every(adapters.table, Query(ADA.pk, "!", "~"))):
            adapters.table.delete(Delete(Key.of(item)))
        assert found(garden, "roses") == []
        put(documents(adapters), NOTES, "bed", "Roses.")
        assert found(garden, "roses") == ["bed"]

    def test_a_collection_that_could_be_read_in_part_only_is_read_again(
        self, garden: Documents, adapters: Adapters
    ) -> None:
        failing = _Failing(adapters.table)
        reader = documents(replace(adapters, table=failing))
        failing.ranges = 1
        with pytest.raises(Unavailable):
            found(reader, "roses")
        assert found(reader, "roses") == found(garden, "roses")

    def test_what_is_gone_is_cleared_away_after_a_while(self, store: Documents) -> None:
        with patch.object(shelf, "_FEW", 2):
            for number in range(20):
                put(store, NOTES, "bed", f"Roses of {number}.")
                assert page(store, "roses").hits[0].document.value == f"Roses of {number}."
        held: Any = store
        (kept,) = [slot for slot, _ in held._searching._shelves._entries.values()]
        assert len(kept.rows) <= 6


def test_a_damaged_document_hides_no_other(garden: Documents, adapters: Adapters) -> None:
    where = Key(ADA.pk, document_sk(NOTES, "beans"))
    item = adapters.table.get(where)
    assert item is not None
    adapters.table.put(Put({**item, "data": b"damaged"}))
    for process in (garden, documents(adapters)):
        assert set(found(process, "beans and roses")) >= {"ben", "title", "shed", "hidden"}
        assert "beans" not in found(process)


def test_large_documents_are_found_by_their_texts(store: Documents, adapters: Adapters) -> None:
    put(store, NOTES, "long", {"text": "The roses are red.", "noise": NOISE}, index=("text",))
    put(store, NOTES, "short", {"text": "The shed is red."}, index=("text",))
    assert found(documents(adapters), "roses")[0] == "long"
    assert value_of(store, NOTES, "long")["noise"] == NOISE


def test_with_an_embedder_documents_are_found_by_meaning_and_without_one_by_words(adapters: Adapters) -> None:
    embedder = ToyEmbedder(alike={"automobile": "car"})
    store = documents(adapters, embedder=lambda: embedder)
    store.put(ADA, [wanted(NOTES, "car", "car"), wanted(NOTES, "shed", "shed")])
    assert [hit.score for hit in page(store, "automobile").hits] == [1, 0]
    assert found(store, "automobile") == ["car", "shed"]
    embedder.fails = True
    assert found(store, "shed") == ["shed", "car"]


def test_a_warm_search_asks_only_what_has_changed(garden: Documents, adapters: Adapters) -> None:
    counted = Counted(adapters.table, [])
    reader = documents(replace(adapters, table=counted))
    found(reader, "beans", LETTERS)
    put(garden, NOTES, "hidden", None)
    found(reader, "beans", LETTERS)
    counted.calls.clear()
    found(reader, "beans", LETTERS)
    assert sorted(counted.calls) == ["get", "query"]


def _told(adapters: Adapters) -> Iterator[Any]:
    return every(adapters.table, Query(ADA.pk, *changes_since("")))


class _Failing:
    """A table that fails so many queries of documents."""

    def __init__(self, table: Any) -> None:
        self._table = table
        self.ranges = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._table, name)

    def query(self, query: Query) -> Any:
        if query.low.startswith("d#") and self.ranges:
            self.ranges -= 1
            raise Unavailable("the store does not answer")
        return self._table.query(query)


class _Clock:
    """Another machine's clock, which is off."""

    def __init__(self, adapters: Adapters, off: timedelta) -> None:
        self._adapters = adapters
        self._off = off

    def now(self) -> Any:
        return self._adapters.clock.now() + self._off

    def sleep(self, seconds: float) -> None:
        self._adapters.clock.sleep(seconds)
