"""Files of named sections: what was written is read, and what a reader does not know is passed over."""

from __future__ import annotations

import random
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cairn.ground.codec import decompress
from cairn.ground.errors import CorruptData
from cairn.log import columns as sections
from cairn.log.columns import ColumnFile, ColumnWriter


def test_sections_that_a_reader_does_not_know_are_passed_over() -> None:
    out = ColumnWriter()
    out.column("later", [1, 2, 3])
    out.strings("names", ["", "b", "\u00e9"])
    read = ColumnFile(out.file())
    names = read.strings("names")
    assert [names[number] for number in range(len(names))] == ["", "b", "\u00e9"]
    assert [names.find(text) for text in ("", "b", "\u00e9", "a", "z")] == [0, 1, 2, None, None]
    with pytest.raises(CorruptData):
        read.column("absent")


@given(st.lists(st.integers(-(2**62), 2**62)) | st.lists(st.integers(0, 2**64 - 1)))
def test_a_column_holds_the_numbers_it_was_given(numbers: list[int]) -> None:
    out = ColumnWriter()
    out.column("numbers", numbers)
    assert list(ColumnFile(out.file()).column("numbers")) == numbers


def test_a_section_is_unpacked_once_and_only_when_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    out = ColumnWriter()
    for name, number in (("vectors", 7), ("words", 8)):
        out.column(name, [number] * 1000)
    unpacked: list[int] = []

    def counted(frame: bytes | memoryview, length: int) -> bytes:
        unpacked.append(length)
        return decompress(frame, length)

    monkeypatch.setattr(sections, "decompress", counted)
    read = ColumnFile(out.file())

    assert (read.size, unpacked) == (2000, [])
    assert [read.column("words")[0] for _ in range(2)] == [8, 8]
    assert unpacked == [1000]


def test_what_a_section_was_packed_in_goes_once_it_is_unpacked() -> None:
    out = ColumnWriter()
    out.raw("vectors", bytes(byte % 16 for byte in random.Random(1).randbytes(1_000_000)))  # noqa: S311 - no secret
    file = out.file()
    assert len(file) > 400_000
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        read = ColumnFile(file)
        packed = tracemalloc.get_traced_memory()[0] - before
        assert len(read.column("vectors")) == 1_000_000
        held = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    assert packed < len(file) + 10_000
    assert held < 1_010_000


def test_a_file_that_is_torn_is_refused_at_once_and_a_malformed_section_when_it_is_asked_for() -> None:
    out = ColumnWriter()
    out.column("words", [8] * 1000)
    whole = out.file()

    with pytest.raises(CorruptData):
        ColumnFile(whole[:-1])
    read = ColumnFile(whole[:-10] + b"\xff" * 10)
    with pytest.raises(CorruptData):
        read.column("words")
