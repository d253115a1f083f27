"""A file of named sections in one buffer: columns of integers that are read in place, texts, and JSON.

It is four bytes of length, a table of contents as JSON, and the sections. A reader asks for sections by name, so that
a later writer may add some. Numbers are in the byte order of the machine, which the table of contents names: a
reader of the other order refuses the file.
"""

from __future__ import annotations

import json
import sys
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from struct import Struct, error
from typing import Any, Literal, NamedTuple

from cairn.ground.codec import canonical, compress, decompress
from cairn.ground.errors import CorruptData

FORMAT = f"cairn sections 1 {sys.byteorder}"
_LENGTH = Struct(">I")
# Of zstd, its default: a segment is written once per level of the log and read often, so that speed counts more than
# the last tenth of size.
_LEVEL = 3
# Type codes of Python's array module and the least number that no longer fits: 1, 2, 4 and 8 bytes.
_UNSIGNED = (("B", 1 << 8), ("H", 1 << 16), ("I", 1 << 32), ("Q", 1 << 64))


class Strings:
    """Texts end to end in a buffer; each is decoded on request."""

    def __init__(self, text: memoryview, ends: memoryview) -> None:
        """Read the texts that end before these offsets."""
        self._text = text
        self._ends = ends

    def __len__(self) -> int:
        """Return how many texts there are."""
        return len(self._ends)

    def __getitem__(self, index: int) -> str:
        """Return one text."""
        return self.raw(index).decode()

    def raw(self, index: int) -> bytes:
        """Return one text as UTF-8."""
        start = self._ends[index - 1] if index else 0
        return bytes(self._text[start : self._ends[index]])

    def may_have(self, wanted: str) -> bool:
        """Tell whether a text may be among them, without decoding any: it is in them somewhere, be it across two."""
        return wanted.encode() in bytes(self._text)

    def beginning(self, opening: str) -> Iterator[str]:
        """Yield those of sorted texts that begin so."""
        raw = opening.encode()
        # Sorted by UTF-8 bytes, which is the order of code points too: texts are compared without being decoded.
        for index in range(bisect_left(range(len(self)), raw, key=self.raw), len(self)):
            if not self.raw(index).startswith(raw):
                return
            yield self[index]

    def find(self, wanted: str) -> int | None:
        """Return where a text is among sorted ones, None where it is not."""
        raw = wanted.encode()
        index = bisect_left(range(len(self)), raw, key=self.raw)
        return index if index < len(self) and self.raw(index) == raw else None


class ColumnWriter:
    """Collects sections and returns them as one file, each compressed if that makes it smaller."""

    def __init__(self) -> None:
        """Start with no section."""
        self._contents: list[tuple[str, str, int, int]] = []
        self._sections: list[bytes] = []

    def raw(self, name: str, data: bytes, kind: str = "B") -> None:
        """Add bytes; `kind` is the type code of the numbers they are."""
        packed = compress(data, _LEVEL)
        # Columns of vectors and hashes hardly shrink; a section that does not is read where it lies.
        stored = packed if len(packed) < len(data) else data
        self._contents.append((name, kind, len(stored), len(data)))
        self._sections.append(stored)

    def column(self, name: str, values: Sequence[int]) -> None:
        """Add whole numbers of less than 64 bits, in as few bytes each as the largest needs: 1, 2, 4 or 8."""
        low, high = min(values, default=0), max(values, default=0)
        # Signed numbers are rare, and then 8 bytes wide.
        kind = "q" if low < 0 else next(kind for kind, limit in _UNSIGNED if high < limit)
        self.raw(name, array(kind, values).tobytes(), kind)

    def strings(self, name: str, values: Iterable[str]) -> None:
        """Add texts."""
        raw = [value.encode() for value in values]
        self.raw(name, b"".join(raw))
        self.column(f"{name}.ends", list(accumulate(map(len, raw))))

    def json(self, name: str, value: object) -> None:
        """Add a JSON value."""
        self.raw(name, canonical(value))

    def file(self) -> bytes:
        """Return the file."""
        contents = canonical({"format": FORMAT, "sections": self._contents})
        return b"".join([_LENGTH.pack(len(contents)), contents, *self._sections])


class _Section(NamedTuple):
    """A section as the file has it: the type of its numbers, its bytes, and its unpacked length."""

    kind: Literal["B", "H", "I", "Q", "q"]
    stored: bytes
    length: int


class ColumnFile:
    """Reads the sections of a file; CorruptData if it is none, or if a requested section is missing or malformed."""

    def __init__(self, data: bytes) -> None:
        """Find the sections; each is unpacked when it is first asked for: a search by words needs no vectors."""
        self._found: dict[str, _Section] = {}
        self._unpacked: dict[str, memoryview] = {}
        try:
            start = _LENGTH.size + _LENGTH.unpack_from(data)[0]
            contents: Any = json.loads(data[_LENGTH.size : start])
            if contents["format"] != FORMAT:
                raise CorruptData("a file of sections has another format")
            for name, kind, stored, length in contents["sections"]:
                # A copy: one that is compressed goes once it is unpacked, which it could not as a part of the file.
                self._found[name] = _Section(kind, data[start : start + stored], length)
                start += stored
            # Cut short, or followed by something: either way not what was written.
            if start != len(data):
                raise CorruptData("a file of sections is torn")
        except (error, ValueError, KeyError, TypeError) as fault:
            raise CorruptData("a file of sections is malformed") from fault

    @property
    def size(self) -> int:
        """Return how many bytes all sections take unpacked."""
        return sum(section.length for section in self._found.values())

    def __contains__(self, name: str) -> bool:
        """Tell whether there is a section of this name: earlier writers had fewer."""
        return name in self._found

    def column(self, name: str) -> memoryview:
        """Return the numbers of a column, or the bytes of a raw section; a view of one dimension, to be indexed."""
        # Looked up first: once it is unpacked, by another thread too, there is nothing left to unpack.
        found = self._found.get(name)
        if name not in self._unpacked:
            if found is None:
                raise CorruptData("a file of sections lacks one")
            self._unpacked[name] = _unpacked(found)
            self._found[name] = found._replace(stored=b"")
        return self._unpacked[name]

    def strings(self, name: str) -> Strings:
        """Return texts."""
        return Strings(self.column(name), self.column(f"{name}.ends"))

    def json(self, name: str) -> Any:
        """Return a JSON value."""
        return json.loads(bytes(self.column(name)))


def _unpacked(section: _Section) -> memoryview:
    kind, stored, length = section
    try:
        # A section is compressed only where that made it shorter: equal lengths tell that it was not.
        return memoryview(stored if len(stored) == length else decompress(stored, length)).cast(kind)
    except (ValueError, TypeError) as fault:
        raise CorruptData("a section is malformed") from fault
