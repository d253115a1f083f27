"""Screenshots become small: few colours, and those the picture's own."""

from __future__ import annotations

import struct
import zlib
from itertools import pairwise

import pytest

from small_png import smaller

Line = list[tuple[int, int, int]]
PAPER, INK, MOSS, SKY = (246, 245, 241), (29, 35, 32), (45, 101, 82), (44, 95, 134)
PICTURE: list[Line] = [
    [PAPER, INK, MOSS, PAPER, SKY],
    [INK, INK, PAPER, MOSS, MOSS],
    [SKY, PAPER, PAPER, INK, MOSS],
    [PAPER, PAPER, SKY, SKY, INK],
    [MOSS, INK, SKY, PAPER, PAPER],
]


def png(picture: list[Line], *, depth: int = 8, colour: int = 2) -> bytes:
    """Return a PNG whose lines are filtered in each of PNG's five ways, one after another."""
    width = len(picture[0])
    flat = [bytes(width * 3), *(bytes(part for pixel in line for part in pixel) for line in picture)]
    lines = b"".join(
        bytes([number % 5]) + filtered(number % 5, line, above) for number, (above, line) in enumerate(pairwise(flat))
    )
    header = struct.pack(">IIBBBBB", width, len(picture), depth, colour, 0, 0, 0)
    parts = ((b"IHDR", header), (b"IDAT", zlib.compress(lines)), (b"IEND", b""))
    chunks = (
        struct.pack(">I", len(each)) + name + each + struct.pack(">I", zlib.crc32(name + each)) for name, each in parts
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


def filtered(kind: int, line: bytes, above: bytes) -> bytes:
    told: list[int] = []
    for place, value in enumerate(line):
        left, upper_left = (line[place - 3], above[place - 3]) if place >= 3 else (0, 0)
        upper = above[place]
        nearest = min((left, upper, upper_left), key=lambda each: abs(left + upper - upper_left - each))
        guess = (0, left, upper, (left + upper) // 2, nearest)[kind]
        told.append((value - guess) & 0xFF)
    return bytes(told)


def shown(content: bytes) -> list[Line]:
    """Return the pixels of a PNG with a palette and no filter."""
    chunks: dict[bytes, bytes] = {}
    place = 8
    while place < len(content):
        (size,) = struct.unpack(">I", content[place : place + 4])
        chunks[content[place + 4 : place + 8]] = content[place + 8 : place + 8 + size]
        place += size + 12
    width, height = struct.unpack(">II", chunks[b"IHDR"][:8])
    colours = [(red, green, blue) for red, green, blue in zip(*[iter(chunks[b"PLTE"])] * 3, strict=True)]
    raw = zlib.decompress(chunks[b"IDAT"])
    return [[colours[each] for each in raw[row * (width + 1) + 1 : (row + 1) * (width + 1)]] for row in range(height)]


def test_a_picture_of_few_colours_comes_out_as_it_is_however_its_lines_are_filtered() -> None:
    assert shown(smaller(png(PICTURE))) == PICTURE


def test_a_colour_beyond_the_most_frequent_becomes_the_nearest_of_them() -> None:
    almost = (PAPER[0] - 1, PAPER[1], PAPER[2])
    picture = [*PICTURE, *PICTURE, [PAPER, INK, MOSS, almost, SKY]]

    assert shown(smaller(png(picture), colours=4))[-1] == [PAPER, INK, MOSS, PAPER, SKY]


@pytest.mark.parametrize("unlike", [{"depth": 16}, {"colour": 3}])
def test_what_chromium_does_not_write_is_refused(unlike: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="as Chromium writes it"):
        smaller(png(PICTURE, **unlike))
