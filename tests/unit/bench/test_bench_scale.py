"""What `make bench-scale` plays: logs that grow by the code's own rule of merging, and commits that meet."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from built_log import Built
from cairn.ground.table import Key
from cairn.log.manifest import ENTRIES, FAN_IN, level_of
from cairn.recall.indexing import FEWEST, MOST
from heat import Hot, hot, limits, meeting
from log_growth import growing, grown
from metering import Written
from scale_logs import Pace

BATCHES = st.lists(st.integers(FEWEST, MOST), min_size=1, max_size=150)


@given(BATCHES)
def test_segments_hold_every_entry_once_and_no_level_is_ever_full(batches: list[int]) -> None:
    for count, log in enumerate(growing(batches), 1):
        assert log.entries == sum(batches[:count])
        assert max(Counter(map(level_of, log.segments)).values()) < FAN_IN


@given(BATCHES)
def test_older_segments_are_of_no_lower_level(batches: list[int]) -> None:
    *_, log = growing(batches)
    assert all(older >= newer for older, newer in pairwise(map(level_of, log.segments)))


@given(BATCHES)
def test_an_entry_is_written_no_more_than_once_a_level(batches: list[int]) -> None:
    for log in growing(batches):
        assert log.amplification <= level_of(log.entries) + 2
        assert max(log.segments) <= log.most_merged <= log.entries


def test_each_level_takes_an_entry_at_most_once() -> None:
    [log] = grown([FAN_IN**4 * ENTRIES])
    assert log.segments == (FAN_IN**4 * ENTRIES,)
    assert all(written <= log.entries for written in log.written.values())
    assert log.puts == FAN_IN**4
    assert log.amplification == pytest.approx(4 * (FAN_IN - 1) / FAN_IN + 1)


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
