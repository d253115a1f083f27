from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from cairn.ground.ports import Table
from cairn.ground.table import MAX_PAGE_BYTES, Attributes, Delete, Key, Put, Query, Update

ALL = Query("p", "\x00", "\U0010ffff")


def walk(table: Table, query: Query) -> Iterator[tuple[Attributes, ...]]:
    """Yield the pages from the first to the last, of which no test here has more than a hundred."""
    for _ in range(100):
        page = table.query(query)
        yield page.items
        if page.next is None:
            return
        query = replace(query, start=page.next)
    pytest.fail("the pages do not end")


def names(table: Table, query: Query) -> list[str]:
    return [str(item["sk"]) for page in walk(table, query) for item in page]


def fill(table: Table, *sort_keys: str, partition: str = "p") -> None:
    for sort_key in sort_keys:
        table.put(Put({"pk": partition, "sk": sort_key}))


UNORDERED = ["z", "a", "Z", "é", "𝄞", "\uffee", "~", "a!", "aa", "10", "9", "#", "A", "\U0010fffe", "\ue000"]


@pytest.mark.parametrize("descending", [False, True])
def test_a_range_is_in_the_order_of_utf8_bytes(table: Table, *, descending: bool) -> None:
    fill(table, *UNORDERED)
    expected = sorted(UNORDERED, key=str.encode, reverse=descending)
    assert names(table, replace(ALL, descending=descending)) == expected
    assert names(table, replace(ALL, descending=descending, limit=2)) == expected


@pytest.mark.parametrize("descending", [False, True])
def test_both_ends_of_a_range_belong_to_it(table: Table, *, descending: bool) -> None:
    fill(table, "a", "b", "bb", "c", "d")
    found = names(table, Query("p", "b", "c", descending=descending))
    assert sorted(found) == ["b", "bb", "c"]
    assert found == sorted(found, reverse=descending)


@pytest.mark.parametrize(
    "query", [Query("p", "c", "b"), Query("p", "x", "y"), Query("p", "", ""), Query("q", "a", "z")]
)
def test_an_empty_range_is_an_empty_last_page(table: Table, query: Query) -> None:
    fill(table, "a", "b", "c")
    page = table.query(query)
    assert (page.items, page.next) == ((), None)


def test_an_empty_low_end_is_the_start_of_the_partition(table: Table) -> None:
    fill(table, "\x01", "a", "b")
    assert names(table, Query("p", "", "a")) == ["\x01", "a"]


@pytest.mark.req("R010")
@pytest.mark.req("R261")
def test_a_partition_shows_nothing_of_another_whose_name_begins_alike(table: Table) -> None:
    for partition in ("t#s1", "t#s10", "t#s_", "t#s%", "t#s"):
        fill(table, "x", partition=partition)
    for partition in ("t#s1", "t#s_", "t#s%", "t#s"):
        assert [item["pk"] for item in table.query(replace(ALL, pk=partition)).items] == [partition]


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("limit", [1, 3, 7, 100])
def test_pages_of_any_limit_join_to_the_whole_range(table: Table, limit: int, *, descending: bool) -> None:
    fill(table, *"abcdefghij")
    pages = list(walk(table, Query("p", "b", "i", descending=descending, limit=limit)))
    assert all(len(page) <= limit for page in pages)
    assert [item["sk"] for page in pages for item in page] == sorted("bcdefghi", reverse=descending)


def test_a_limit_below_one_is_refused(table: Table) -> None:
    with pytest.raises(ValueError, match="limit"):
        table.query(replace(ALL, limit=0))


def test_a_page_goes_on_where_its_last_item_was_even_if_that_is_gone(table: Table) -> None:
    fill(table, *"abcd")
    first = table.query(replace(ALL, limit=2))
    table.delete(Delete(Key("p", "b")))
    fill(table, "ab", "bb")
    assert names(table, replace(ALL, start=first.next)) == ["bb", "c", "d"]


@pytest.mark.req("R251")
@pytest.mark.parametrize("descending", [False, True])
def test_a_page_holds_at_most_a_megabyte_and_all_pages_hold_everything(table: Table, *, descending: bool) -> None:
    size = 300 * 1024
    for number in range(8):
        table.put(Put({"pk": "p", "sk": str(number), "v": bytes([number]) * size}))
    pages = list(walk(table, replace(ALL, descending=descending)))
    assert len(pages) >= 8 * size // MAX_PAGE_BYTES
    assert all(len(page) * size <= MAX_PAGE_BYTES for page in pages)
    assert [item["sk"] for page in pages for item in page] == sorted("01234567", reverse=descending)


def indexed(table: Table, sort_key: str, ipk: str, isk: str) -> None:
    table.put(Put({"pk": "p", "sk": sort_key, "ipk": ipk, "isk": isk, "secret": "content"}))


def test_the_index_lists_only_items_that_hold_both_its_keys_and_shows_only_keys(table: Table) -> None:
    indexed(table, "a", "due", "1")
    table.put(Put({"pk": "p", "sk": "b", "ipk": "due"}))
    table.put(Put({"pk": "p", "sk": "c", "isk": "1"}))
    fill(table, "d")
    items = table.query(Query("due", "0", "9", index=True)).items
    assert items == ({"pk": "p", "sk": "a", "ipk": "due", "isk": "1"},)


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("limit", [None, 1, 2])
def test_the_index_is_ordered_by_its_own_sort_key_across_partitions(
    table: Table, limit: int | None, *, descending: bool
) -> None:
    for number, isk in enumerate(["c", "a", "𝄞", "b", "\uffee"]):
        table.put(Put({"pk": f"p{number}", "sk": "s", "ipk": "due", "isk": isk}))
    indexed(table, "s", "other", "a")
    pages = list(walk(table, Query("due", "a", "𝄞", index=True, descending=descending, limit=limit)))
    found = [str(item["isk"]) for page in pages for item in page]
    assert found == sorted(["a", "b", "c", "\uffee", "𝄞"], reverse=descending)


@pytest.mark.parametrize("descending", [False, True])
def test_pages_of_the_index_pass_over_no_item_where_many_share_a_sort_key(table: Table, *, descending: bool) -> None:
    for number in range(7):
        indexed(table, f"s{number}", "due", "same")
    query = Query("due", "same", "same", index=True, descending=descending, limit=2)
    assert sorted(names(table, query)) == [f"s{number}" for number in range(7)]


def test_the_index_follows_every_change_of_an_item(table: Table) -> None:
    due = Query("due", "0", "9", index=True)
    indexed(table, "a", "due", "1")
    table.update(Update(Key("p", "a"), set={"isk": "5"}))
    assert [item["isk"] for item in table.query(due).items] == ["5"]
    table.update(Update(Key("p", "a"), remove=("ipk", "isk")))
    assert table.query(due).items == ()
    table.update(Update(Key("p", "a"), set={"ipk": "due", "isk": "2"}))
    assert len(table.query(due).items) == 1
    table.delete(Delete(Key("p", "a")))
    assert table.query(due).items == ()
