"""Draw the plugin's icon, a cairn of four stones, as a PNG of 512 by 512. Run it after a change of what is drawn."""

from __future__ import annotations

import struct
import sys
import zlib
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
ICONS: Final = (ROOT / "plugins/cairn/assets/icon.png", ROOT / "plugins/mcpb/icon.png")
SIDE: Final = 512
COLOURS: Final = ((238, 242, 245), (72, 84, 96), (104, 119, 133), (139, 154, 167), (176, 189, 200))
"""The ground's, and each stone's from the lowest."""
STONES: Final = ((256, 404, 176, 60), (250, 296, 134, 52), (264, 204, 94, 44), (254, 130, 56, 34))
"""Middle, half width and half height of each, in pixels."""


def pixels() -> list[bytes]:
    """Return the rows, each pixel as the number of its colour."""
    return [bytes(_colour(x, y) for x in range(SIDE)) for y in range(SIDE)]


def png() -> bytes:
    """Return the drawing as a PNG with a palette, as RFC 2083 has it."""
    header = struct.pack(">IIBBBBB", SIDE, SIDE, 8, 3, 0, 0, 0)
    palette = bytes(value for colour in COLOURS for value in colour)
    rows = zlib.compress(b"".join(b"\0" + row for row in pixels()), 9)
    chunks = ((b"IHDR", header), (b"PLTE", palette), (b"IDAT", rows), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, data) for kind, data in chunks)


def _colour(x: int, y: int) -> int:
    """Return the number of the stone that a pixel is in, of two that touch the upper one's."""
    inside = (
        number
        for number, (middle, height, wide, high) in enumerate(STONES, 1)
        if ((x - middle) / wide) ** 2 + ((y - height) / high) ** 2 <= 1
    )
    return max(inside, default=0)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def main() -> int:
    """Write the icon where plugin and bundle have it."""
    for path in ICONS:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(png())
    return 0


if __name__ == "__main__":
    sys.exit(main())
