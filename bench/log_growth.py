"""How the segments of one log grow and merge, played with the rule that the indexer itself merges by.

Nothing is stored: a segment is how many entries it holds. A job puts one batch of entries into a segment, as each
commit that finds the tail long asks for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import repeat

from cairn.ground.ids import Digest
from cairn.log.manifest import ENTRIES, SegmentRef, level_of, merging

_NOWHERE = Digest("0" * 64)


@dataclass(frozen=True, slots=True)
class Growth:
    """What a log has come to: its segments, oldest first, and what has been done for them so far.

    `puts` and `gets` are blobs stored and loaded; `written` is how many entries went into segments of each level, new
    and merged; `most_merged` is how many entries the largest merge so far put into one segment.
    """

    segments: tuple[int, ...]
    puts: int
    gets: int
    written: Mapping[int, int]
    most_merged: int

    @property
    def entries(self) -> int:
        """Return how many entries the segments hold."""
        return sum(self.segments)

    @property
    def amplification(self) -> float:
        """Return how often an entry has been written on average."""
        return sum(self.written.values()) / self.entries


def growing(batches: Iterable[int]) -> Iterator[Growth]:
    """Yield what the log has come to after each batch of entries."""
    segments, written = list[SegmentRef](), Counter[int]()
    puts = gets = most = 0
    for batch in batches:
        merged = merging(segments, batch)
        kept = len(segments) - merged
        entries = batch + sum(ref.entries for ref in segments[kept:])
        segments[kept:] = [SegmentRef(_NOWHERE, "", entries)]
        written[level_of(entries)] += entries
        puts, gets, most = puts + 1, gets + merged, max(most, entries)
        yield Growth(tuple(ref.entries for ref in segments), puts, gets, written.copy(), most)


def grown(sizes: Sequence[int], batch: int = ENTRIES) -> Iterator[Growth]:
    """Yield what the log has come to when it first holds each of these numbers of entries, given in order."""
    log = growing(repeat(batch))
    for size in sizes:
        yield next(state for state in log if state.entries >= size)
