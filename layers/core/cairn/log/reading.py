"""Describe what a process has read of a memory log."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field

from cairn.ground.ids import Digest
from cairn.ground.table import Key
from cairn.log.branches import Branch
from cairn.log.manifest import Manifest
from cairn.log.segment import Segment
from cairn.log.view import MemoryView

# What an empty view takes, about: it keeps logs without entries from being free.
_VIEW_BYTES = 4096


@dataclass(frozen=True, slots=True)
class Beginning:
    """What a branch's log begins with: a project's log, up to its newest entry that the branch knows.

    `entries` is how many of the tail are the project's, `erasures` how often some were taken out of its log.
    """

    branch: Branch
    pk: str
    newest: str
    entries: int
    erasures: int


@dataclass(slots=True)
class Reading:
    """A process's view of one log, and the manifest, segments and entries that it was made of."""

    view: MemoryView
    base: Manifest
    manifest: Manifest
    segments: dict[Digest, Segment]
    tail: list[str] = field(default_factory=list[str])
    folded: int = 0
    version: str = ""
    is_damaged: bool = False
    damaged: list[Key] = field(default_factory=list[Key])
    """Where the entries are that were passed over, since they are damaged."""
    beginning: Beginning | None = None
    """What it begins with where it is a branch's."""

    @property
    def size(self) -> int:
        """Return about how many bytes this takes."""
        return _VIEW_BYTES + self.folded + sum(segment.size for segment in self.segments.values())

    @property
    def lost(self) -> frozenset[Digest]:
        """Return the segments of which a page could not be read."""
        found = self.segments.items()
        return frozenset(digest for digest, segment in found if segment.pages is not None and segment.pages.is_lost)

    @property
    def sound_segments(self) -> dict[Digest, Segment]:
        """Return the segments of which every page could be read that was asked for."""
        lost = self.lost
        return {digest: segment for digest, segment in self.segments.items() if digest not in lost}

    @property
    def newest(self) -> str:
        """Return the sort key of the newest entry, "" where there is none."""
        return self.tail[-1] if self.tail else self.base.through

    @property
    def own_newest(self) -> str:
        """Return the sort key of the newest entry that the log itself has; "" where a branch's has none."""
        has_own = self.beginning is None or len(self.tail) > self.beginning.entries
        return self.newest if has_own else ""

    @property
    def indexed(self) -> int:
        """Return how many of the tail's entries a segment holds by now."""
        return bisect_right(self.tail, self.manifest.through)

    @property
    def unindexed(self) -> int:
        """Return how many entries no segment holds yet."""
        return len(self.tail) - self.indexed
