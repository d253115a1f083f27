"""The manifest of a memory log: which segments hold its beginning, oldest first, and when they are merged.

A segment of level n holds about 512 * 8**n entries. A new one takes in those before it that are no larger, so that
there is one of each level, up to those of the level FULL, which stay as they are. A log of n entries has about
n / 100,000 segments and three more, and an entry is written some thirty times.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import log
from typing import TypeGuard

from cairn.ground import ids
from cairn.ground.attributes import number
from cairn.ground.errors import CorruptData
from cairn.ground.ids import Digest
from cairn.ground.table import Attributes, Condition, Equals, Missing, Scalar
from cairn.log.layout import MANIFEST

ENTRIES = 32
"""At how many entries a log's tail is made a segment, and so how long it grows as a rule."""
LOWEST = 512
"""How many entries a segment of the lowest level holds, about: so small a log is one segment, and one GET."""
GROWTH = 8
"""How many times as many entries a level's segments hold as those of the level below."""
FULL = 3
"""The level of segments that are not merged any more, so that no merge takes more memory than a function has."""


@dataclass(frozen=True, slots=True)
class SegmentRef:
    """Refers to a segment: the digest of its blob, the sort key of its newest entry, its number of entries.

    `head` is how many of its bytes are read before any page is, 0 where it has no pages.
    """

    digest: Digest
    through: str
    entries: int
    head: int = 0

    @property
    def is_full(self) -> bool:
        """Tell whether it is not merged any more."""
        return is_full(self.entries)

    def line(self) -> str:
        """Return what a manifest says of it."""
        return f"{self.digest} {self.through} {self.entries}{f' {self.head}' if self.head else ''}"

    @classmethod
    def of(cls, words: Sequence[str]) -> SegmentRef:
        """Return what the words of a manifest's line refer to; ValueError for other words."""
        digest, through, entries, *head = words
        if len(head) > 1:
            raise ValueError("a line of a manifest has too many words")
        return cls(ids.digest(digest), through, int(entries), int(head[0]) if head else 0)


@dataclass(frozen=True, slots=True)
class Manifest:
    """One version of the list of segments; version 0 stands for none.

    `erasures` is how often entries were taken out of the log, which otherwise only grows. `damaged` is what stands in
    the place of a version that cannot be read, where anything does.
    """

    version: int = 0
    segments: tuple[SegmentRef, ...] = ()
    erasures: int = 0
    damaged: Scalar | None = None

    @property
    def is_stored(self) -> Condition:
        """Return the condition that it is stored still: also a damaged one is to be replaced by one indexer alone."""
        if self.damaged is None and not self.version:
            return Missing("version")  # as it is where there is no manifest
        return Equals("version", self.version if self.damaged is None else self.damaged)

    @property
    def through(self) -> str:
        """Return the sort key of the newest entry in a segment, "" where there is none."""
        return self.segments[-1].through if self.segments else ""

    def is_in(self, item: Attributes) -> bool:
        """Tell whether an item holds this version; a version begins anew where a damaged one was replaced."""
        return (item.get("version"), item.get("erasures", 0)) == (self.version, self.erasures)

    def bounds(self) -> list[tuple[str, SegmentRef]]:
        """Return each segment behind the sort key that it follows, "" for the first."""
        lows = ["", *(ref.through for ref in self.segments)]
        return list(zip(lows, self.segments, strict=False))

    def to_item(self, pk: str) -> dict[str, Scalar]:
        """Return the item that is stored in a log's partition, with the segments as text, a line each."""
        segments = "\n".join(ref.line() for ref in self.segments)
        counted = {"erasures": self.erasures} if self.erasures else {}
        return {"pk": pk, "sk": MANIFEST, "version": self.version, "segments": segments, **counted}

    @classmethod
    def of(cls, item: Attributes) -> Manifest:
        """Return the manifest that an item holds, empty only after an erasure; CorruptData where it holds none."""
        version, text, erasures = item.get("version"), item.get("segments"), number(item, "erasures", 0)
        try:
            lines = [line.split(" ") for line in str(text).split("\n")] if text or not erasures else []
            refs = tuple(map(SegmentRef.of, lines))
        except ValueError as error:
            raise CorruptData("a stored manifest is malformed") from error
        if not is_version(version) or any(one.through >= other.through for one, other in pairwise(refs)):
            raise CorruptData("a stored manifest is malformed")
        return cls(version, refs, erasures)


def is_version(value: Scalar | None) -> TypeGuard[int]:
    """Tell whether a value is the version of a stored manifest."""
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def merging(segments: Sequence[SegmentRef], entries: int) -> int:
    """Return how many of the newest segments become one with this many new entries: those of no higher level."""
    taken = 0
    for ref in reversed(segments):
        if level_of(ref.entries) > min(level_of(entries), FULL - 1):
            break
        entries += ref.entries
        taken += 1
    return taken


def is_full(entries: int) -> bool:
    """Tell whether a segment of so many entries is not merged any more."""
    return level_of(entries) >= FULL


def level_of(entries: int) -> int:
    """Return the level of a segment with so many entries; the lowest is 0."""
    # Rounded, since merged segments are seldom of exactly 8 times as many entries.
    return max(0, round(log(max(entries, 1) / LOWEST, GROWTH)))
