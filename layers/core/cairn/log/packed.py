"""Pack JSON values of a segment in blocks, which are written, copied and unpacked as a whole."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from itertools import accumulate
from typing import Any, TypeVar

from cairn.ground.codec import pack, unpack
from cairn.log.columns import ColumnFile, ColumnWriter

# An answer reads a hundred texts here and there: of 32 KB each opened twice as long, and saved 3 bytes a text.
BLOCK_CHARACTERS = 2_048
"""How much text is compressed and read together."""

T = TypeVar("T")


def packed_blocks(values: Iterable[T], size_of: Callable[[T], int]) -> Iterator[tuple[int, bytes]]:
    """Yield the JSON values as (how many, packed list of them), in order; a block ends where it is large enough."""
    block: list[T] = []
    size = 0
    for value in values:
        block.append(value)
        size += size_of(value)
        if size >= BLOCK_CHARACTERS:
            yield len(block), pack(block)
            block, size = [], 0
    if block:
        yield len(block), pack(block)


def write_blocks(out: ColumnWriter, name: str, blocks: Iterable[tuple[int, bytes]]) -> None:
    """Write the blocks as sections of this name."""
    written = list(blocks)
    # Where each block ends, counted in values and in bytes: a value is found by bisection.
    out.column(f"{name}.counts", list(accumulate(count for count, _ in written)))
    out.column(f"{name}.ends", list(accumulate(len(packed) for _, packed in written)))
    out.raw(name, b"".join(packed for _, packed in written))


class PackedBlocks:
    """Reads the packed values of one name, numbered from 0."""

    def __init__(self, columns: ColumnFile, name: str) -> None:
        """Find the sections; CorruptData where one is not there."""
        self._counts = columns.column(f"{name}.counts")
        self._ends = columns.column(f"{name}.ends")
        self._data = columns.column(name)
        self._open: tuple[int, list[Any]] = (-1, [])

    def __getitem__(self, index: int) -> Any:
        """Return one value."""
        block = bisect_right(self._counts, index)
        return self._opened(block)[index - (self._counts[block - 1] if block else 0)]

    def __iter__(self) -> Iterator[Any]:
        """Yield all values; no block stays open."""
        for _, packed in self.packed():
            yield from unpack(packed)

    def packed(self) -> Iterator[tuple[int, bytes]]:
        """Yield the blocks as they were written."""
        done = 0
        for number, count in enumerate(self._counts):
            yield count - done, self._packed(number)
            done = count

    def _packed(self, number: int) -> bytes:
        return bytes(self._data[self._ends[number - 1] if number else 0 : self._ends[number]])

    def _opened(self, number: int) -> list[Any]:
        """Return the values of a block; the last one stays open, as neighbours are often read in a row."""
        # One block only: a process holds many segments, and an open block is many times larger than a packed one.
        if self._open[0] != number:
            self._open = (number, unpack(self._packed(number)))
        return self._open[1]
