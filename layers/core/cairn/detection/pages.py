"""Join many texts into one, so that each rule runs once, and map positions back to the texts."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from typing import Final, Generic, NamedTuple, TypeVar

# A line break ends what rules take for a value, the NUL what only a line break would not.
BREAK: Final = "\n\0\n"
"""Stands between the texts of a page; no rule reaches over it."""
Source = TypeVar("Source")


class Piece(NamedTuple, Generic[Source]):
    """A part of one source's text, by its bounds."""

    source: Source
    start: int
    end: int


class Page(Generic[Source]):
    """Texts one after another, each with its source, or None for those that only give context."""

    def __init__(self) -> None:
        """Start empty."""
        self._texts: list[str] = []
        self._starts: list[int] = []
        self._sources: list[Source | None] = []
        self._length = 0

    def add(self, text: str, source: Source | None = None) -> None:
        """Append a text."""
        self._texts.append(text)
        self._starts.append(self._length)
        self._sources.append(source)
        self._length += len(text)

    def text(self) -> str:
        """Return all of it."""
        return "".join(self._texts)

    def pieces(self, start: int, end: int) -> Iterator[Piece[Source]]:
        """Yield the parts of sources between two places."""
        at = max(0, bisect_right(self._starts, start) - 1)
        while at < len(self._starts) and self._starts[at] < end:
            source, begins = self._sources[at], self._starts[at]
            if source is not None and start < begins + len(self._texts[at]):
                yield Piece(source, max(0, start - begins), min(end - begins, len(self._texts[at])))
            at += 1
