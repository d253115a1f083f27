"""What `make bench-scale` plays: logs that grow by the code's own rule of merging, and commits that meet."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from built_log import Built
from cairn.ground.table import Key
from cairn.log.manifest import ENTRIES, FULL, GROWTH, LOWEST, level_of
from cairn.recall.indexing import FEWEST, MOST
from heat import Hot, hot, limits, meeting
from log_growth import growing, grown
from metering import Written
from scale_logs import Pace

BATCHES = st.lists(st.integers(FEWEST, MOST), min_size=1, max_size=150)


@given(BATCHES)
def test_segments_hold_every_entry_once_and_each_level_below_the_full_ones_has_one_at_most(batches: list[int]) -> None:
    for count, log in enumerate(growing(batches), 1):
        assert log.entries == sum(batches[:count])
        below = Counter(level for level in map(level_of, log.segments) if level < FULL)
        assert max(below.values(), default=1) == 1


@given(BATCHES)
def test_older_segments_are_of_no_lower_level(batches: list[int]) -> None:
    *_, log = growing(batches)
    assert all(older >= newer for older, newer in pairwise(map(level_of, log.segments)))


@given(BATCHES)
def test_an_entry_is_written_no_more_often_in_a_level_than_the_level_grows(batches: list[int]) -> None:
    for log in growing(batches):
        assert log.amplification <= GROWTH * (level_of(log.entries) + 1)
        assert max(log.segments) <= log.most_merged <= log.entries


def test_a_log_of_a_million_has_few_segments_none_of_which_takes_more_to_merge_than_a_function_has() -> None:
    small, large = grown([10_000, 1_000_000])
    assert len(small.segments) <= 3
    assert len(large.segments) <= 1_000_000 // (GROWTH**FULL * LOWEST // 4) + FULL
    assert large.most_merged < GROWTH**FULL * LOWEST
    assert large.puts == 1_000_000 // ENTRIES
    assert small.amplification < large.amplification < 12 * FULL


def test_every_segment_but_those_that_stand_was_loaded_for_a_merge() -> None:
    for log in grown([1_000, 10_000, 50_000]):
        assert log.puts - log.gets == len(log.segments)


def test_commits_that_never_meet_are_never_refused() -> None:
    alone = meeting(0.001, 10_000, 0.01, (0.05,))
    assert (alone.refused, alone.gave_up) == (0, 0)


def test_the_more_commits_meet_the_more_are_refused_and_give_up() -> None:
    few, many = (meeting(rate, 60, 0.01, (0.05, 0.1)) for rate in (10, 80))
    assert few.refused < many.refused < 1
    assert few.gave_up < many.gave_up < many.refused


def test_writes_are_told_apart_by_what_shares_a_partition() -> None:
    written = [
        Written("put", Key("acme#m#garden#u:ann", "m#01"), 900, 4, 0),
        Written("put", Key("acme#m#garden#u:ann", "m~tail"), 60, 2, 0),
        Written("put", Key("acme#audit#2026-03-01", "01"), 400, 1, 1),
    ]
    assert list(hot(written)) == [
        Hot("a user's log", 6, "log entry", 4),
        Hot("a tenant's calls of a day", 1, "an item of its own each", 1),
    ]


def test_every_limit_says_whose_word_it_is_and_when() -> None:
    assert all(each.most > 0 and each.source and each.dated for each in limits())


def test_memory_and_time_go_on_as_from_the_smaller_log_to_the_larger() -> None:
    def built(entries: int) -> Built:
        megabytes, seconds = 100 + entries / 1_000, entries / 1_000
        return Built(entries, seconds, 500 * entries, 600 * entries, seconds, megabytes, seconds, megabytes)

    pace = Pace(built(1_000), built(3_000), embedding=0.002)

    assert pace.reading_mb(100_000) == pytest.approx(200)
    assert pace.most(200, pace.small.reading_mb, pace.large.reading_mb) == 100_000
    assert (pace.bytes, pace.held) == (500, 600)
    assert pace.first == pytest.approx(0.003)
