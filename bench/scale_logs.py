"""What one log comes to: its segments as they are merged, played, and what they ask of functions, extrapolated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from agents import FULL_CORE_MB, MCP, WORKER, memory_mb
from built_log import Built
from cairn.log.log import MAX_BYTES
from cairn.log.manifest import ENTRIES, FULL, GROWTH, LOWEST, level_of
from log_growth import Growth
from report import Table

LARGEST_FUNCTION_MB = 10_240


@dataclass(frozen=True, slots=True)
class Pace:
    """What an entry takes, on the line through two measured logs."""

    small: Built
    large: Built
    embedding: float

    @property
    def bytes(self) -> float:
        """Return the bytes of an entry in a stored segment."""
        return self.small.bytes / self.small.entries

    @property
    def held(self) -> float:
        """Return the bytes of an entry in a segment that a process holds."""
        return self.small.held / self.small.entries

    @property
    def first(self) -> float:
        """Return the seconds until an entry is in a segment for the first time, its vector included."""
        return self.large.first / self.large.entries + self.embedding

    @property
    def merging(self) -> float:
        """Return the seconds that an entry takes in a merge."""
        return self.large.merging / self.large.entries

    def merging_mb(self, entries: int) -> float:
        """Return the memory of a process that makes a segment of so many entries."""
        return self._line(self.small.merging_mb, self.large.merging_mb, entries)

    def reading_mb(self, entries: int) -> float:
        """Return the memory of a process that answers from so many entries."""
        return self._line(self.small.reading_mb, self.large.reading_mb, entries)

    def reading(self, entries: int) -> float:
        """Return the seconds of a cold process's first answer from so many entries."""
        return self._line(self.small.reading, self.large.reading, entries)

    def most(self, megabytes: float, small: float, large: float) -> int:
        """Return how many entries fit the memory, on the line through these two."""
        return int(self.small.entries + (megabytes - small) / self._slope(small, large))

    def _line(self, small: float, large: float, entries: int) -> float:
        return small + self._slope(small, large) * (entries - self.small.entries)

    def _slope(self, small: float, large: float) -> float:
        return max(large - small, 1e-9) / (self.large.entries - self.small.entries)


def growth_table(logs: Sequence[Growth], pace: Pace) -> Table:
    """Return how a log grows."""
    rows = [
        (
            log.entries,
            len(log.segments),
            round(max(log.segments) * pace.bytes / 1e6, 1),
            round(log.entries * pace.bytes / 1e6, 1),
            round(log.amplification, 2),
            round(log.amplification * pace.bytes),
            log.puts,
            log.gets,
            round(1000 * (pace.first + (log.amplification - 1) * pace.merging), 2),
        )
        for log in logs
    ]
    columns = (
        "entries",
        "segments",
        "largest, MB",
        "all, MB",
        "times written",
        "bytes written an entry",
        "S3 puts",
        "S3 gets",
        "indexer ms an entry",
    )
    says = (
        f"Played with the rule of merging: {ENTRIES} entries a job, a segment of each level below {FULL}. An entry is "
        f"one text with its vector; {pace.bytes:.0f} bytes each and the milliseconds, on one core, are measured at "
        f"{pace.small.entries:,} and {pace.large.entries:,} entries and extrapolated."
    )
    return Table("How a log grows", columns, rows, says)


def level_table(log: Growth) -> Table:
    """Return what each level has taken."""
    there = [level_of(entries) for entries in log.segments]
    rows = [
        (level, LOWEST * GROWTH**level, there.count(level), round(written / log.entries, 3))
        for level, written in sorted(log.written.items())
    ]
    says = f"Those of level {FULL} are not merged any more."
    columns = ("level", "entries of a segment", "segments", "times written, an entry")
    return Table(f"The levels of a log of {log.entries:,} entries", columns, rows, says)


def fit_table(logs: Sequence[Growth], pace: Pace) -> Table:
    """Return what logs of these sizes ask of the functions."""
    slower = [max(1, FULL_CORE_MB / memory_mb(function)) for function in (MCP, WORKER)]
    rows = [
        (
            log.entries,
            round(log.entries * pace.held / 2**20, 1),
            _mb(pace.reading_mb(log.entries), memory_mb(MCP)),
            round(pace.reading(log.entries) * slower[0], 1),
            log.most_merged,
            _mb(pace.merging_mb(log.most_merged), memory_mb(WORKER)),
            round(log.most_merged * pace.merging * slower[1], 1),
        )
        for log in logs
    ]
    columns = (
        "entries",
        "held, MB",
        "to read it, MB",
        "cold answer, s",
        "largest merge",
        "to merge it, MB",
        "merge, s",
    )
    read, merged = (
        [pace.most(size, *line) for size in (memory_mb(MCP), LARGEST_FUNCTION_MB)]
        for line in (
            (pace.small.reading_mb, pace.large.reading_mb),
            (pace.small.merging_mb, pace.large.merging_mb),
        )
    )
    says = (
        f"Extrapolated. A process keeps logs of {MAX_BYTES // 2**20} MB, {int(MAX_BYTES / pace.held):,} entries, and "
        f"one that is larger beside a quarter of that. {memory_mb(MCP):,} MB read {read[0]:,} entries and "
        f"{LARGEST_FUNCTION_MB:,} MB {read[1]:,}; a worker of {memory_mb(WORKER):,} MB merges {merged[0]:,} and one of "
        f"{LARGEST_FUNCTION_MB:,} MB {merged[1]:,}. Seconds are of the functions' share of a core, without the time "
        "S3 takes."
    )
    return Table("What one log asks of a function", columns, rows, says)


def built_table(pace: Pace) -> Table:
    """Return what was measured."""
    rows = [
        (
            each.entries,
            round(each.bytes / each.entries),
            round(each.held / each.entries),
            round(1e6 * each.first / each.entries),
            round(1e6 * each.merging / each.entries),
            round(each.merging_mb),
            round(each.reading, 2),
            round(each.reading_mb),
        )
        for each in (pace.small, pace.large)
    ]
    columns = (
        "entries",
        "bytes stored, each",
        "bytes held, each",
        "first time, µs each",
        "merging, µs each",
        "merging, MB",
        "cold answer, s",
        "answering, MB",
    )
    says = (
        f"Logs built here; the model takes {1000 * pace.embedding:.1f} ms a text besides. The larger log says each "
        f"text {pace.large.entries // pace.small.entries} times with other words, so that its stored bytes pack "
        "too well."
    )
    return Table("What is measured", columns, rows, says)


def _mb(megabytes: float, most: int) -> str:
    return f"{megabytes:,.0f}{' (too much)' if megabytes > most else ''}"
