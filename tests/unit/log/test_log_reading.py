"""What a process reads of a log: its news when warm, the newest entries and the segments when cold."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from cairn.conversation.items import message
from cairn.ground.adapters import Adapters
from cairn.ground.ids import Digest, Tenant
from cairn.ground.ports import Blobs
from cairn.log import manifest
from cairn.log.log import FIRST_PAGE, MOST_NEWS, MemoryLog
from cairn.log.manifest import ENTRIES
from cairn.process.system import in_turn
from cairn.turns.before_turn import prepare
from cairn.turns.model import Preparation
from cairn.vault.vault import Vault
from metering import Meter, MeteredBlobs, MeteredKeys, MeteredTable
from support.log import Counting, Journal
from support.turns import SESSION, cold


@pytest.fixture
def journal(adapters: Adapters, watched: Any) -> Journal:
    return Journal(replace(adapters, table=watched))


def test_a_cold_process_reads_the_newest_entries_and_then_the_segments(journal: Journal) -> None:
    journal.indexed(2_000, 70)
    journal.write(FIRST_PAGE - 2)
    process = Counting(journal)
    assert process.read() == journal.folded()
    assert process.calls == ["query", "get", "get"]
    assert process.table.items == FIRST_PAGE


def test_what_of_a_long_tail_is_not_on_the_first_page_is_read_with_the_segments(journal: Journal) -> None:
    journal.indexed(70)
    journal.write(50)
    process = Counting(journal)
    assert process.read() == journal.folded()
    assert process.calls == ["query", "query", "get"]
    assert process.table.items <= 50 + 3


@pytest.mark.slow
@pytest.mark.req("R267")
def test_a_cold_read_costs_no_more_after_a_thousand_entries_than_after_a_hundred(journal: Journal) -> None:
    costs: dict[int, tuple[int, int]] = {}
    for entries in (100, 1000):
        while journal.written < entries:
            journal.indexed(min(ENTRIES, entries - journal.written))
        process = Counting(journal)
        assert process.read() == journal.folded()
        costs[entries] = process.calls.count("query"), process.table.items
    assert costs[1000] <= costs[100]
    assert len(journal.manifest().segments) <= 2


@pytest.mark.req("R267")
def test_a_warm_process_makes_one_query_of_the_news_and_the_manifest(journal: Journal) -> None:
    process = Counting(journal)
    journal.indexed(70)
    journal.write(3)
    process.read()
    journal.write(2)
    assert process.read() == journal.folded()
    assert (process.calls, process.table.items) == (["query"], 2 + 1 + 1)


@pytest.mark.req("R267")
def test_a_warm_process_makes_one_query_though_the_log_was_indexed_meanwhile(journal: Journal) -> None:
    process = Counting(journal)
    journal.indexed(70)
    process.read()
    journal.indexed(ENTRIES)
    assert process.read() == journal.folded()
    assert process.calls == ["query"]


def test_a_cold_before_turn_makes_two_rounds_even_though_it_has_no_data_key(journal: Journal) -> None:
    journal.indexed(70)
    meter = Meter()
    keys, blobs = MeteredKeys(journal.adapters.keys, meter), MeteredBlobs(journal.adapters.blobs, meter)
    table = MeteredTable(journal.adapters.table, meter)
    adapters = replace(journal.adapters, table=table, keys=keys, blobs=blobs, parallel=meter)
    found = prepare(cold(adapters), SESSION, Preparation(current=(message("user", "row 7"),)))
    assert "row 7 " in str(found.items)
    assert meter.rounds == 2
    assert meter.counts["blob_get"] == 1


def test_an_entry_that_arrives_late_is_in_the_view_whatever_was_indexed_meanwhile(journal: Journal) -> None:
    journal.indexed(70)
    journal.answers(journal.log)
    late = journal.prepared(71)
    journal.written = 71
    Journal(journal.adapters).answers()
    clock: Any = journal.adapters.clock
    clock.advance(seconds=29)
    other = Journal(journal.adapters)
    other.written = 71
    other.write(1, minutes=0)
    journal.index()
    journal.adapters.table.put(late)
    assert journal.answers()["turns"][1] == 72
    assert journal.answers() == journal.folded()


@pytest.mark.slow
def test_a_warm_process_goes_over_to_segments_once_its_tail_is_long(journal: Journal) -> None:
    process = Counting(journal)
    process.read()
    loads = 0
    for _ in range(3 * MOST_NEWS // ENTRIES):
        journal.indexed(ENTRIES)
        assert process.read()["turns"][1] == journal.written
        loads += "get" in process.calls
    assert 1 <= loads <= 3
    assert process.read() == journal.folded()


@pytest.mark.slow
def test_a_process_that_has_been_idle_reads_segments_and_not_all_that_was_said_meanwhile(journal: Journal) -> None:
    process = Counting(journal)
    journal.write(5)
    process.read()
    while journal.written < 2 * MOST_NEWS:
        journal.indexed(ENTRIES)
    journal.write(3)
    assert process.read() == journal.folded()
    assert process.table.items <= MOST_NEWS + FIRST_PAGE


def test_a_reader_does_not_load_again_what_it_has(journal: Journal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(manifest, "FULL", 1)  # the first segment is never merged
    monkeypatch.setattr(manifest, "LOWEST", 64)
    journal.indexed(200)
    process = Counting(journal)
    process.read()
    while journal.written < 200 + MOST_NEWS + ENTRIES:
        journal.indexed(ENTRIES)
    process.read()
    loaded = process.calls.count("get")
    assert loaded == len(journal.manifest().segments) - 1


def test_full_segments_are_loaded_one_after_the_other_and_all_others_at_once(
    journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(manifest, "FULL", 1)
    monkeypatch.setattr(manifest, "LOWEST", 64)
    for entries in (200, 200, 70):
        journal.indexed(entries)
    assert [ref.is_full for ref in journal.manifest().segments] == [True, True, False]
    at_once: list[int] = []

    def counting(calls: Sequence[Callable[[], object]]) -> list[object]:
        at_once.append(len(calls))
        return in_turn(calls)

    log = MemoryLog(replace(journal.adapters, parallel=counting), Vault(journal.adapters))

    assert journal.answers(log) == journal.folded()
    # What lies between, the small segment, and the two full ones.
    assert at_once == [3]


class MergedMeanwhile:
    """Blobs of which some are merged and deleted just before the first is read."""

    def __init__(self, blobs: Blobs, journal: Journal) -> None:
        self._blobs = blobs
        self._journal = journal
        self.gets = 0

    def get(self, tenant: Tenant, digest: Digest) -> bytes:
        self.gets += 1
        if self.gets == 1:
            self._journal.rebuild()
            self._blobs.delete(tenant, digest)
        return self._blobs.get(tenant, digest)

    put: Any = None
    get_part: Any = None
    delete: Any = None


def test_a_segment_that_was_merged_away_sends_the_reader_back_to_the_manifest_once(journal: Journal) -> None:
    journal.indexed(70)
    blobs = MergedMeanwhile(journal.adapters.blobs, journal)
    log = MemoryLog(replace(journal.adapters, blobs=blobs), Vault(journal.adapters))
    assert journal.answers(log) == journal.folded()
    assert blobs.gets == 2
    assert log.wanted(SESSION.tenant, SESSION.project, journal.owner) == []
