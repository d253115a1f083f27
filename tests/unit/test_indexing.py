"""The indexer keeps a log's tail short, what it writes small, and every answer what it was."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders import SESSION, Journal, RecordingJobs, cold, turn
from cairn.domain import layout
from cairn.domain.errors import CorruptData, NotFound, Unavailable
from cairn.domain.ids import Digest, Tenant
from cairn.domain.items import message
from cairn.domain.jobs import IndexLog, Job
from cairn.domain.manifest import ENTRIES, FAN_IN, Manifest, SegmentRef, merging
from cairn.domain.turns import Preparation
from cairn.ports import Blobs, Page, Put
from cairn.service.after_turn import commit
from cairn.service.before_turn import prepare
from cairn.service.indexing import FEWEST, SETTLED, Indexer
from cairn.service.memory_log import FIRST_PAGE, MOST_NEWS, MemoryLog
from cairn.service.segments import GRACE, LONGEST_BUILD, Segments
from cairn.service.vault import Vault
from cairn.service.world import World
from metering import Meter, MeteredBlobs, MeteredKeys, MeteredTable


@dataclass
class Counted:
    """An adapter that counts its calls, and what queries return."""

    adapter: Any
    calls: list[str]
    items: int = 0

    def __getattr__(self, name: str) -> Any:
        call = getattr(self.adapter, name)

        def counted(*args: Any) -> Any:
            self.calls.append(name)
            answer = call(*args)
            self.items += len(answer.items) if isinstance(answer, Page) else 0
            return answer

        return counted


class Counting:
    """A process whose reads are counted."""

    def __init__(self, world: World) -> None:
        self.calls: list[str] = []
        self.table = Counted(world.table, self.calls)
        vault = Vault(world)
        counted = replace(world, table=self.table, blobs=Counted(world.blobs, self.calls))
        self.log = MemoryLog(counted, vault)

    def read(self, journal: Journal) -> dict[str, Any]:
        self.calls.clear()
        self.table.items = 0
        return journal.answers(self.log)


@pytest.fixture
def journal(world: World, watched: Any) -> Journal:
    return Journal(replace(world, table=watched))


def indexed(journal: Journal, *runs: int) -> Journal:
    """Write entries and index them, run by run."""
    for entries in runs:
        journal.write(entries)
        journal.write(0)
        clock: Any = journal.world.clock
        clock.advance(seconds=SETTLED.total_seconds() + 1)
        journal.index()
    return journal


def test_a_cold_process_reads_the_newest_entries_and_then_the_segments(journal: Journal) -> None:
    indexed(journal, 70, 70)
    journal.write(FIRST_PAGE - 2)
    process = Counting(journal.world)
    assert process.read(journal) == journal.folded()
    assert process.calls == ["query", "get", "get"]
    assert process.table.items == FIRST_PAGE


def test_what_of_a_long_tail_is_not_on_the_first_page_is_read_with_the_segments(journal: Journal) -> None:
    indexed(journal, 70)
    journal.write(50)
    process = Counting(journal.world)
    assert process.read(journal) == journal.folded()
    assert process.calls == ["query", "query", "get"]
    assert process.table.items <= 50 + 3


@pytest.mark.slow
@pytest.mark.req("R267")
def test_a_cold_read_costs_no_more_after_a_thousand_entries_than_after_a_hundred(journal: Journal) -> None:
    costs: dict[int, tuple[int, int]] = {}
    for entries in (100, 1000):
        while journal.written < entries:
            indexed(journal, min(ENTRIES, entries - journal.written))
        process = Counting(journal.world)
        assert process.read(journal) == journal.folded()
        costs[entries] = process.calls.count("query"), process.table.items
    assert costs[1000] <= costs[100]
    assert len(journal.manifest().segments) < FAN_IN


@pytest.mark.req("R267")
def test_a_warm_process_makes_one_query_of_the_news_and_the_manifest(journal: Journal) -> None:
    process = Counting(journal.world)
    indexed(journal, 70)
    journal.write(3)
    process.read(journal)
    journal.write(2)
    assert process.read(journal) == journal.folded()
    assert (process.calls, process.table.items) == (["query"], 2 + 1 + 1)


def test_a_cold_before_turn_makes_two_rounds_even_though_it_has_no_data_key(journal: Journal) -> None:
    indexed(journal, 70)
    meter = Meter()
    keys, blobs = MeteredKeys(journal.world.keys, meter), MeteredBlobs(journal.world.blobs, meter)
    table = MeteredTable(journal.world.table, meter)
    world = replace(journal.world, table=table, keys=keys, blobs=blobs, parallel=meter)
    found = prepare(cold(world), SESSION, Preparation(current=(message("user", "row 7"),)))
    assert "row 7 " in str(found.items)
    assert meter.rounds == 2
    assert meter.counts["blob_get"] == 1


def test_what_has_not_settled_stays_in_the_tail(journal: Journal) -> None:
    journal.write(FEWEST, minutes=0)
    clock: Any = journal.world.clock
    clock.advance(seconds=SETTLED.total_seconds())
    assert journal.index().entries == 0
    clock.advance(milliseconds=1)
    assert journal.index().entries == FEWEST


def test_an_entry_that_arrives_late_is_in_the_view_whatever_was_indexed_meanwhile(journal: Journal) -> None:
    indexed(journal, 70)
    journal.answers(journal.log)
    late = journal.prepared(71)
    journal.written = 71
    Journal(journal.world).answers()
    clock: Any = journal.world.clock
    clock.advance(seconds=29)
    other = Journal(journal.world)
    other.written = 71
    other.write(1, minutes=0)
    journal.index()
    journal.world.table.put(late)
    assert journal.answers()["turns"][1] == 72
    assert journal.answers() == journal.folded()


def test_a_few_entries_are_not_worth_a_segment(journal: Journal) -> None:
    indexed(journal, FEWEST - 1)
    assert journal.manifest() == Manifest()
    indexed(journal, 1)
    assert [ref.entries for ref in journal.manifest().segments] == [FEWEST]


def refs(sizes: Sequence[int]) -> list[SegmentRef]:
    return [SegmentRef(Digest("0" * 64), f"m#{number:06d}", size) for number, size in enumerate(sizes)]


@given(st.lists(st.integers(FEWEST, 16 * ENTRIES), max_size=300))
def test_segments_stay_few_and_entries_are_seldom_written_anew(runs: list[int]) -> None:
    sizes: list[int] = []
    written = 0
    for entries in runs:
        taken = merging(refs(sizes), entries)
        merged = entries + sum(sizes[len(sizes) - taken :])
        sizes = [*sizes[: len(sizes) - taken], merged]
        written += merged
    total = sum(runs)
    levels = 2 + max(0, total // ENTRIES).bit_length() // 3
    assert sum(sizes) == total
    assert len(sizes) <= (FAN_IN - 1) * levels
    assert written <= total * levels


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
    delete: Any = None


def test_a_segment_that_was_merged_away_sends_the_reader_back_to_the_manifest_once(journal: Journal) -> None:
    indexed(journal, 70)
    blobs = MergedMeanwhile(journal.world.blobs, journal)
    log = MemoryLog(replace(journal.world, blobs=blobs), Vault(journal.world))
    assert journal.answers(log) == journal.folded()
    assert blobs.gets == 2
    assert log.wanted(SESSION.tenant, SESSION.project, journal.owner) is None


def corrupt(journal: Journal, number: int, change: Callable[[bytes], bytes]) -> None:
    """Put other bytes in the place of a segment's blob."""
    digest = journal.manifest().segments[number].digest
    blobs: Any = journal.world.blobs
    path = blobs._path(SESSION.tenant, digest)
    path.write_bytes(change(path.read_bytes()))


def rename(journal: Journal, other: Journal) -> None:
    """Have the manifest name a segment of another log, as whoever may write to the table could."""
    indexed(other, 70, 70)
    point(journal, [other.manifest().segments[0].digest, journal.manifest().segments[1].digest])


def point(journal: Journal, digests: Sequence[Digest]) -> None:
    held = journal.manifest()
    segments = tuple(replace(ref, digest=each) for ref, each in zip(held.segments, digests, strict=True))
    text = Manifest(held.version, segments).text()
    journal.world.table.put(Put({"pk": journal.pk, "sk": layout.MANIFEST, "version": held.version, "segments": text}))


def spoil(journal: Journal) -> None:
    version = journal.manifest().version
    journal.world.table.put(Put({"pk": journal.pk, "sk": layout.MANIFEST, "version": version, "segments": "spoilt"}))


DAMAGES: dict[str, Callable[[Journal], None]] = {
    "gone": lambda journal: journal.world.blobs.delete(SESSION.tenant, journal.manifest().segments[0].digest),
    "torn": lambda journal: corrupt(journal, 1, lambda data: data[:-1]),
    "changed": lambda journal: corrupt(journal, 0, lambda data: data[:40] + bytes([data[40] ^ 1]) + data[41:]),
    "another's": lambda journal: rename(journal, Journal(journal.world, "u:bob")),
    "in the wrong place": lambda journal: point(journal, [ref.digest for ref in reversed(journal.manifest().segments)]),
    "no manifest": spoil,
}


@pytest.mark.req("R252")
@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_segment_is_passed_over_told_once_and_mended_by_a_rebuild(journal: Journal, damage: str) -> None:
    indexed(journal, 70, 70)
    DAMAGES[damage](journal)
    process = Counting(journal.world)
    assert process.read(journal) == journal.folded()
    where = (SESSION.tenant, SESSION.project, journal.owner)
    assert process.log.wanted(*where) == IndexLog(*where, rebuild=True)
    assert process.log.wanted(*where) is None

    Indexer(journal.world, Vault(journal.world)).do(IndexLog(*where, rebuild=True), timedelta(minutes=1))
    after = Counting(journal.world)
    assert after.read(journal) == journal.folded()
    assert after.log.wanted(*where) is None
    assert "get" in after.calls


@pytest.mark.slow
@pytest.mark.parametrize("damage", ["gone", "torn", "changed", "no manifest"])
def test_an_indexer_that_would_merge_a_damaged_segment_makes_all_anew(journal: Journal, damage: str) -> None:
    indexed(journal, *[FEWEST] * (FAN_IN - 1))
    DAMAGES[damage](journal)
    indexed(journal, FEWEST)
    assert [ref.entries for ref in journal.manifest().segments] == [FAN_IN * FEWEST]
    process = Counting(journal.world)
    assert process.read(journal) == journal.folded()
    assert process.log.wanted(SESSION.tenant, SESSION.project, journal.owner) is None


def test_the_log_alone_gives_the_same_segments_again(journal: Journal) -> None:
    indexed(journal, 70, 40)
    before = journal.answers()
    for ref in journal.manifest().segments:
        journal.world.blobs.delete(SESSION.tenant, ref.digest)
    journal.rebuild()
    assert journal.answers() == before == journal.folded()


def test_a_segment_that_took_too_long_to_build_is_given_up(journal: Journal) -> None:
    """By then its blob may be taken for one that was left behind."""
    segments = Segments(journal.world, Vault(journal.world))
    journal.write(1)
    built = segments.build(SESSION.tenant, journal.pk, "m#1", 1, b"segment")
    clock: Any = journal.world.clock
    clock.advance(seconds=LONGEST_BUILD.total_seconds() + 1)
    with pytest.raises(Unavailable):
        segments.switch(journal.pk, Manifest(), 0, built)
    assert journal.manifest() == Manifest()


def test_of_two_that_switch_the_manifest_at_once_one_does(journal: Journal) -> None:
    segments = Segments(journal.world, Vault(journal.world))
    built = [segments.build(SESSION.tenant, journal.pk, f"m#{at}", 1, b"segment") for at in (1, 2)]
    assert segments.switch(journal.pk, Manifest(), 0, built[0]) == Manifest(1, (built[0].ref,))
    assert segments.switch(journal.pk, Manifest(), 0, built[1]) is None
    assert journal.manifest() == Manifest(1, (built[0].ref,))


def test_blobs_that_were_merged_away_are_kept_for_a_grace_and_then_deleted(journal: Journal) -> None:
    indexed(journal, 40)
    [old] = journal.manifest().segments
    journal.rebuild()
    clock: Any = journal.world.clock
    clock.advance(seconds=GRACE.total_seconds())
    journal.index()
    assert journal.world.blobs.get(SESSION.tenant, old.digest)
    clock.advance(seconds=1)
    journal.index()
    with pytest.raises(NotFound):
        journal.world.blobs.get(SESSION.tenant, old.digest)
    assert journal.answers() == journal.folded()


@pytest.mark.slow
def test_a_warm_process_goes_over_to_segments_once_its_tail_is_long(journal: Journal) -> None:
    process = Counting(journal.world)
    process.read(journal)
    loads = 0
    for _ in range(3 * MOST_NEWS // ENTRIES):
        indexed(journal, ENTRIES)
        assert process.read(journal)["turns"][1] == journal.written
        loads += "get" in process.calls
    assert 1 <= loads <= 3
    assert process.read(journal) == journal.folded()


@pytest.mark.slow
def test_a_process_that_has_been_idle_reads_segments_and_not_all_that_was_said_meanwhile(journal: Journal) -> None:
    process = Counting(journal.world)
    journal.write(5)
    process.read(journal)
    while journal.written < 2 * MOST_NEWS:
        indexed(journal, ENTRIES)
    journal.write(3)
    assert process.read(journal) == journal.folded()
    assert process.table.items <= MOST_NEWS + FIRST_PAGE


def test_a_reader_does_not_load_again_what_it_has(journal: Journal) -> None:
    indexed(journal, 70)
    process = Counting(journal.world)
    process.read(journal)
    while journal.written < 70 + 5 * ENTRIES:
        indexed(journal, ENTRIES)
    process.read(journal)
    loaded = process.calls.count("get")
    assert loaded == len(journal.manifest().segments) - 1


class RefusingJobs:
    def send(self, _: Sequence[Job]) -> None:
        raise Unavailable("the queue is down")


@pytest.mark.slow
def test_a_commit_asks_for_the_index_when_the_tail_has_grown_by_so_much_and_then_not_until_it_has_again(
    world: World, watched: Any, clock: Any
) -> None:
    jobs = RecordingJobs()
    parts = cold(replace(world, table=watched, jobs=jobs))
    asked: list[int] = []
    for number in range(1, 2 * ENTRIES + 10):
        commit(parts, SESSION, turn(f"t{number}", "Hello."))
        clock.advance(minutes=1)
        if jobs.sent:
            asked.append(number)
            [job] = jobs.sent
            assert job == IndexLog(SESSION.tenant, SESSION.project, "s:monday")
            jobs.sent.clear()
    assert asked == [ENTRIES, 2 * ENTRIES]


@pytest.mark.slow
def test_maintenance_indexes_what_a_lost_job_should_have(start: Callable[..., Any], clock: Any) -> None:
    talk = start()
    for number in range(ENTRIES):
        talk.say(f"The beans of row {number} grow well.")
        clock.advance(minutes=1)
    talk.maintain()
    pk = layout.log_pk(talk.session.tenant, talk.session.project, "u:ada")
    [ref] = Segments(talk.world, talk.parts.vault).manifest(pk).segments
    assert ref.entries >= ENTRIES - 2
    before = talk.table.writes
    talk.maintain()
    assert talk.table.writes - before <= 6
    talk.world.blobs.delete(talk.session.tenant, ref.digest)
    talk.other().maintain()
    [mended] = Segments(talk.world, talk.parts.vault).manifest(pk).segments
    assert (mended.digest != ref.digest, mended.through) == (True, ref.through)
    found = talk.other().ask("row 7")
    assert "row 7 grow" in str(found.items)


def test_a_queue_that_is_down_fails_no_turn(world: World, watched: Any) -> None:
    journal = Journal(replace(world, table=watched, jobs=RefusingJobs()))
    journal.write(ENTRIES - 1)
    parts = cold(journal.world)
    assert commit(parts, SESSION, turn("t", "Hello.")).events_written == 2


def test_a_malformed_manifest_is_told_from_an_absent_one() -> None:
    for version, text in ((1, ""), (1, "x m#1 2"), ("1", "0" * 64 + " m#1 2"), (1, "0" * 64 + " m#1 x")):
        with pytest.raises(CorruptData):
            Manifest.of(version, text)
    first, second = (f"{'0' * 64} m#{number} 2" for number in (1, 2))
    assert Manifest.of(1, f"{first}\n{second}").through == "m#2"
    with pytest.raises(CorruptData):
        Manifest.of(1, f"{second}\n{first}")
