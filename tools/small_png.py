"""Make a screenshot small: a PNG of few colours, each pixel the nearest of the most frequent ones."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

_SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"
_CHANNELS: Final = {2: 3, 6: 4}
"""Of RGB and of RGBA, by the PNG's colour type."""
_EXACT: Final = 20
"""How many of the most frequent colours are kept as they are."""
_SAME: Final = 5
"""How many low bits do not count in the others: those that smooth letters are many and alike."""

Pixels = NDArray[np.uint8]


class _Header(NamedTuple):
    width: int
    height: int
    depth: int
    colour: int
    compression: int
    filtering: int
    interlaced: int


def smaller(png: bytes, colours: int = 64) -> bytes:
    """Return the picture in so many colours, 256 at most; ValueError for what is no PNG as Chromium writes it."""
    pixels = _pixels(png)
    height, width, _ = pixels.shape
    flat = pixels.reshape(-1, 3)
    distinct, places = np.unique(flat, axis=0, return_inverse=True)
    palette = _palette(distinct, np.bincount(places.ravel()), colours)
    indexed = _nearest(distinct, palette)[places.ravel()].reshape(height, width)
    lines = np.hstack([np.zeros((height, 1), np.uint8), indexed])
    header = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
    chunks = (
        (b"IHDR", header),
        (b"PLTE", palette.tobytes()),
        (b"IDAT", zlib.compress(lines.tobytes(), 9)),
        (b"IEND", b""),
    )
    return _SIGNATURE + b"".join(_chunk(name, content) for name, content in chunks)


def _palette(distinct: Pixels, counts: NDArray[np.intp], colours: int) -> Pixels:
    """Return the most frequent colours, and of the others one of each group that looks alike."""
    order = np.argsort(-counts, kind="stable")
    alike = {(distinct[place] >> _SAME).tobytes(): distinct[place] for place in reversed(order[_EXACT:])}
    return np.array([*distinct[order[:_EXACT]], *reversed(alike.values())], np.uint8)[:colours]


def _nearest(distinct: Pixels, palette: Pixels) -> Pixels:
    apart = distinct[:, None, :].astype(np.int32) - palette[None, :, :].astype(np.int32)
    return (apart**2).sum(axis=2).argmin(axis=1).astype(np.uint8)


def _pixels(png: bytes) -> Pixels:
    """Return the colours of the pixels, by row and column."""
    chunks = list(_chunks(png))
    header = _Header(*struct.unpack(">IIBBBBB", dict(chunks)[b"IHDR"]))
    if header.depth != 8 or header.colour not in _CHANNELS or header.interlaced:  # noqa: PLR2004 - bits of a channel
        raise ValueError("the PNG is not as Chromium writes it")
    channels = _CHANNELS[header.colour]
    raw = zlib.decompress(b"".join(content for name, content in chunks if name == b"IDAT"))
    lines = np.frombuffer(raw, np.uint8).reshape(header.height, 1 + header.width * channels)
    found = np.zeros((header.height, header.width, channels), np.uint8)
    above = np.zeros((header.width, channels), np.uint8)
    for row, line in enumerate(lines):
        above = _unfiltered(int(line[0]), line[1:].reshape(header.width, channels), above)
        found[row] = above
    return np.ascontiguousarray(found[:, :, :3])


def _unfiltered(kind: int, line: Pixels, above: Pixels) -> Pixels:
    """Return a line as it was before PNG's filter."""
    match kind:
        case 0:
            return line
        case 1:
            return np.cumsum(line, axis=0, dtype=np.uint8)
        case 2:
            return line + above
        case _:
            return _from_left(kind, line, above)


def _from_left(kind: int, line: Pixels, above: Pixels) -> Pixels:
    """Return a line whose every pixel is told by the one before it and those above: the filters average and Paeth."""
    found = np.zeros_like(line)
    for channel in range(line.shape[1]):
        left = upper_left = 0
        told: list[int] = []
        for value, upper in zip(line[:, channel].tolist(), above[:, channel].tolist(), strict=True):
            guess = (left + upper) // 2 if kind == 3 else _paeth(left, upper, upper_left)  # noqa: PLR2004 - PNG's number
            left, upper_left = (value + guess) & 0xFF, upper
            told.append(left)
        found[:, channel] = told
    return found


def _paeth(left: int, upper: int, upper_left: int) -> int:
    guess = left + upper - upper_left
    return min((left, upper, upper_left), key=lambda each: abs(guess - each))


def _chunks(png: bytes) -> Iterator[tuple[bytes, bytes]]:
    place = len(_SIGNATURE)
    while place < len(png):
        size = int.from_bytes(png[place : place + 4], "big")
        yield png[place + 4 : place + 8], png[place + 8 : place + 8 + size]
        place += size + 12


def _chunk(name: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))
