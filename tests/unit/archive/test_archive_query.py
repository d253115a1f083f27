"""What is found of the archive, in which order, and at what cost."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cairn.archive import index as archive_index
from cairn.archive.archive import Archive
from cairn.archive.index import ArchiveIndex
from cairn.archive.layout import archive_pk
from cairn.archive.model import Deposit, Entry
from cairn.ground.adapters import Adapters
from cairn.ground.ids import Digest, SessionId, Tenant, time_ordered_id
from cairn.ground.table import Query
from support.doubles import Counted
from support.turns import cold

ACME = Tenant("acme")


class Shelf:
    """An index with entries a minute apart, the first one the oldest."""

    def __init__(self, adapters: Adapters) -> None:
        self.adapters = adapters
        self.index = ArchiveIndex(adapters)
        self.entries: list[Entry] = []

    def add(self, session_id: str, *tags: str, tool: str | None = None) -> None:
        clock: Any = self.adapters.clock
        clock.advance(minutes=1)
        entry = Entry(
            id=time_ordered_id(clock.now(), self.adapters.entropy.token(10)),
            digest=Digest(self.adapters.entropy.token(32).hex()),
            key_number=1,
            session_id=SessionId(session_id),
            tags=tags,
            created_at=clock.now(),
            tool_name=tool,
        )
        self.entries.append(entry)
        self.index.add(ACME, entry)

    def found(self, text: str = "", *tags: str, limit: int = 100) -> list[str]:
        return [entry.session_id for entry in self.index.search(ACME, text, tags, limit)]


@pytest.fixture
def shelf(adapters: Adapters) -> Shelf:
    return Shelf(adapters)


@pytest.mark.req("R182")
def test_without_a_filter_the_newest_come_first_up_to_the_limit(shelf: Shelf) -> None:
    for number in range(5):
        shelf.add(f"s{number}")

    assert shelf.found(limit=3) == ["s4", "s3", "s2"]
    assert shelf.index.search(ACME, "", [], 1) == (shelf.entries[-1],)
    assert shelf.index.search(Tenant("other"), "", [], 9) == ()


@pytest.mark.req("R182")
def test_a_tag_or_a_part_of_one_finds_a_session_that_has_all_that_are_asked_for(shelf: Shelf) -> None:
    shelf.add("one", "debug-session", "garden")
    shelf.add("two", "debug-session")
    shelf.add("three", "garden")

    assert shelf.found("", "garden") == ["three", "one"]
    assert shelf.found("", "debug") == ["two", "one"]
    assert shelf.found("", "BUG-s") == ["two", "one"]
    assert shelf.found("", "debug", "gard") == ["one"]
    assert shelf.found("", "garden", "three") == []


@pytest.mark.req("R182")
def test_the_text_is_looked_for_in_tags_session_ids_and_the_names_of_tools(shelf: Shelf) -> None:
    shelf.add("monday", "beans")
    shelf.add("tuesday", tool="planner")
    shelf.add("wednesday", "planned")

    assert shelf.found("PLAN") == ["wednesday", "tuesday"]
    assert shelf.found("day") == ["wednesday", "tuesday", "monday"]
    assert shelf.found("monday") == ["monday"]
    assert shelf.found("plan", "plan") == ["wednesday"]
    assert shelf.found("beans and more") == []


@pytest.mark.req("R276")
@pytest.mark.parametrize("text", ["%", "_", "*", ".*", "[", "'", '"', ";--", "\\", "#", "~", "\U0010ffff", "a%z", "\n"])
def test_no_character_of_the_text_stands_for_another(shelf: Shelf, text: str) -> None:
    shelf.add("abcz", "tag")
    shelf.add(f"s {text} s")

    assert shelf.found(text.strip() or text) == [f"s {text} s"]
    assert shelf.found("", text) == []


@pytest.mark.req("R276")
@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=1000))
def test_no_text_is_an_error(shelf: Shelf, text: str) -> None:
    assert isinstance(shelf.found(text, text), list)


@pytest.mark.req("R202")
def test_a_whole_tag_or_session_is_found_however_old_and_a_part_among_the_newest(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive_index, "NEWEST_SEARCHED", 5)
    shelf.add("oldest", "beans", "rows")
    for number in range(9):
        shelf.add(f"s{number}", "other")

    for text, tags in (("", ["beans"]), ("", ["beans", "rows"]), ("oldest", []), ("beans", []), ("old", ["beans"])):
        assert shelf.found(text, *tags) == ["oldest"]
    assert shelf.found("", "bean") == []
    assert shelf.found("olde") == []
    assert shelf.found("s8", "othe") == ["s8"]


class Watching(Counted):
    """A table that keeps the queries it is asked and what they returned."""

    def __init__(self, table: Any) -> None:
        super().__init__(table, [])
        self.asked: list[tuple[Query, int]] = []

    def query(self, query: Query) -> Any:
        self.calls.append("query")
        page = self.adapter.query(query)
        self.asked.append((query, len(page.items)))
        return page


@pytest.mark.req("R202")
@pytest.mark.req("R183")
def test_each_look_up_reads_a_range_of_the_tenants_index_newest_first_however_many_there_are(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive_index, "NEWEST_SEARCHED", 20)
    for number in range(60):
        shelf.add(f"s{number}", f"t{number % 3}")
    table: Any = Watching(shelf.adapters.table)
    index = ArchiveIndex(replace(shelf.adapters, table=table))

    assert len(index.search(ACME, "", [], 4)) == 4
    assert [(query.low, items) for query, items in table.asked] == [("at#", 4)]
    table.asked.clear()
    assert len(index.search(ACME, "", ["t1"], 20)) == 20
    assert [(query.low, items) for query, items in table.asked] == [("at#", 20), ("tag#t1#", 20)]
    table.asked.clear()
    assert index.search(ACME, "s7", [], 9) == (shelf.entries[7],)
    assert [(query.low, items) for query, items in table.asked] == [("at#", 20), ("tag#s7#", 0), ("ses#s7#", 1)]
    assert all(query.pk == archive_pk(ACME) and query.descending and not query.index for query, _ in table.asked)
    assert set(table.calls) == {"query"}


def test_what_is_archived_stands_at_every_place(adapters: Adapters) -> None:
    archive = Archive(cold(adapters))
    archive.store(ACME, Deposit(session_id=SessionId("monday"), tags=("a", "b"), session={"tool_name": "planner"}))

    [entry] = archive.query(ACME, "", [], 9)
    for text, tags in (("monday", []), ("planner", []), ("", ["a"]), ("", ["b"]), ("mon", ["a", "b"])):
        assert archive.query(ACME, text, tags, 9) == (entry,)
