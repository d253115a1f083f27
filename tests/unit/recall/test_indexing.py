"""The indexer keeps a log's tail short and what it writes small, and is asked for when it is due."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cairn.ground.adapters import Adapters
from cairn.ground.errors import NotFound, Unavailable
from cairn.ground.ids import Digest
from cairn.ground.jobs import EmbedLog, IndexLog, Job
from cairn.log.layout import log_pk
from cairn.log.manifest import ENTRIES, FULL, GROWTH, Manifest, SegmentRef, level_of, merging
from cairn.log.segment_writer import Written
from cairn.log.segments import GRACE, LONGEST_BUILD, Segments
from cairn.recall.indexing import FEWEST
from cairn.turns.after_turn import commit
from cairn.vault.vault import Vault
from support.doubles import RecordingJobs
from support.log import Journal
from support.turns import SESSION, cold, turn


@pytest.fixture
def journal(adapters: Adapters, watched: Any) -> Journal:
    return Journal(replace(adapters, table=watched))


def test_what_has_just_been_appended_is_indexed(journal: Journal) -> None:
    journal.write(FEWEST, minutes=0)
    assert journal.index().entries == FEWEST


def test_a_few_entries_are_not_worth_a_segment(journal: Journal) -> None:
    journal.indexed(FEWEST - 1)
    assert journal.manifest() == Manifest()
    journal.indexed(1)
    assert [ref.entries for ref in journal.manifest().segments] == [FEWEST]


def refs(sizes: Sequence[int]) -> list[SegmentRef]:
    return [SegmentRef(Digest("0" * 64), f"m#{number:06d}", size) for number, size in enumerate(sizes)]


@pytest.mark.parametrize(
    ("sizes", "entries", "taken"),
    [
        ([], 64, 0),
        ([64], 64, 1),
        ([512, 64], 64, 2),
        ([512, 128], 64, 2),
        ([4096, 512, 64], 500, 2),
        ([4096, 1400], 32, 1),
        ([4096, 1400], 64, 2),
        ([100_000, 40_000, 400], 1000, 1),
        ([100_000, 90_000, 10_000, 1000], 1000, 3),
        ([4096, 4096, 512, 512, 64], 64, 3),
        ([4096, 4096, 512, 512, 64, 64], 64, 4),
    ],
)
def test_a_new_segment_takes_in_those_of_no_higher_level_that_are_not_full(
    sizes: list[int], entries: int, taken: int
) -> None:
    assert merging(refs(sizes), entries) == taken


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
    levels = [level_of(size) for size in sizes]
    below = [level for level in levels if level < FULL]
    assert sum(sizes) == total
    assert levels == [*(level for level in levels if level >= FULL), *sorted(set(below), reverse=True)]
    assert written <= total * GROWTH * (level_of(total) + 1)


def test_a_segment_that_took_too_long_to_build_is_given_up(journal: Journal) -> None:
    """By then its blob may be taken for one that was left behind."""
    segments = Segments(journal.adapters, Vault(journal.adapters))
    journal.write(1)
    built = segments.build(SESSION.tenant, journal.pk, "m#1", 1, Written(b"segment"))
    clock: Any = journal.adapters.clock
    clock.advance(seconds=LONGEST_BUILD.total_seconds() + 1)
    with pytest.raises(Unavailable):
        segments.switch(journal.pk, Manifest(), 0, built)
    assert journal.manifest() == Manifest()


def test_of_two_that_switch_the_manifest_at_once_one_does(journal: Journal) -> None:
    segments = Segments(journal.adapters, Vault(journal.adapters))
    built = [segments.build(SESSION.tenant, journal.pk, f"m#{at}", 1, Written(b"segment")) for at in (1, 2)]
    assert segments.switch(journal.pk, Manifest(), 0, built[0]) == Manifest(1, (built[0].ref,))
    assert segments.switch(journal.pk, Manifest(), 0, built[1]) is None
    assert journal.manifest() == Manifest(1, (built[0].ref,))


def test_blobs_that_were_merged_away_are_kept_for_a_grace_and_then_deleted(journal: Journal) -> None:
    journal.indexed(40)
    [old] = journal.manifest().segments
    journal.rebuild()
    clock: Any = journal.adapters.clock
    clock.advance(seconds=GRACE.total_seconds())
    journal.index()
    assert journal.adapters.blobs.get(SESSION.tenant, old.digest)
    clock.advance(seconds=1)
    journal.index()
    with pytest.raises(NotFound):
        journal.adapters.blobs.get(SESSION.tenant, old.digest)
    assert journal.answers() == journal.folded()


class RefusingJobs:
    def send(self, _: Sequence[Job]) -> None:
        raise Unavailable("the queue is down")


@pytest.mark.slow
def test_a_commit_asks_for_the_index_when_the_tail_has_grown_by_so_much_and_then_not_until_it_has_again(
    adapters: Adapters, watched: Any, clock: Any
) -> None:
    jobs = RecordingJobs()
    services = cold(replace(adapters, table=watched, jobs=jobs))
    asked: list[int] = []
    for number in range(1, 2 * ENTRIES + 10):
        commit(services, SESSION, turn(f"t{number}", "Hello."))
        clock.advance(minutes=1)
        where = (SESSION.tenant, SESSION.project, "s:monday")
        assert jobs.sent[0] == EmbedLog(*where)
        if jobs.sent[1:]:
            asked.append(number)
            assert jobs.sent[1:] == [IndexLog(*where)]
        jobs.sent.clear()
    assert asked == [ENTRIES, 2 * ENTRIES]


@pytest.mark.slow
def test_maintenance_indexes_what_a_lost_job_should_have(start: Callable[..., Any], clock: Any) -> None:
    talk = start()
    for number in range(ENTRIES):
        talk.say(f"The beans of row {number} grow well.")
        clock.advance(minutes=1)
    talk.maintain()
    pk = log_pk(talk.session.tenant, talk.session.project, "u:ada")
    [ref] = Segments(talk.adapters, talk.services.vault).manifest(pk).segments
    assert ref.entries >= ENTRIES - 2
    before = talk.table.writes
    talk.maintain()
    assert talk.table.writes - before <= 6
    talk.adapters.blobs.delete(talk.session.tenant, ref.digest)
    talk.other().maintain()
    [mended] = Segments(talk.adapters, talk.services.vault).manifest(pk).segments
    assert (mended.digest != ref.digest, mended.through) == (True, ref.through)
    found = talk.other().ask("row 7")
    assert "row 7 grow" in str(found.items)


def test_a_queue_that_is_down_fails_no_turn(adapters: Adapters, watched: Any) -> None:
    journal = Journal(replace(adapters, table=watched, jobs=RefusingJobs()))
    journal.write(ENTRIES - 1)
    services = cold(journal.adapters)
    assert commit(services, SESSION, turn("t", "Hello.")).events_written == 2
