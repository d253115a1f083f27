"""Read JSON that other programs wrote: lines, whole documents, and times in them."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any, Final, cast

from cairn.hooks.reading import Event
from cairn.local.bring.found import Place, Unreadable

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

_MILLISECONDS_FROM: Final = 1e11
"""A number of this size counts milliseconds since 1970; as seconds it would be the year 5138."""


def files(path: Path, *patterns: str) -> list[Path]:
    """Return the files of a directory that match, in the order of their names; of a file the file itself."""
    if not path.is_dir():
        return [path]
    return sorted({each for pattern in patterns for each in path.glob(pattern) if each.is_file()})


def lines(file: Path) -> Iterator[tuple[Place, Event] | Unreadable]:
    """Yield the object in each line of a file, which may be compressed with zstd.

    Where the file cannot be read on, the line is unreadable that would have come next.
    """
    number = 0
    try:
        with _opened(file) as opened:
            for line in opened:
                number += 1
                if line.strip():
                    value, place = parsed(line), Place(file, number)
                    yield (place, cast("Event", value)) if isinstance(value, dict) else Unreadable(place)
    except (OSError, EOFError, zstd.ZstdError):
        yield Unreadable(Place(file, number + 1))


def _opened(file: Path) -> IO[bytes]:
    return cast("IO[bytes]", zstd.open(file, "rb")) if file.suffix == ".zst" else file.open("rb")


def document(file: Path) -> object:
    """Return the JSON value that a file is, None where it is none."""
    try:
        return parsed(file.read_bytes())
    except OSError:
        return None


def parsed(text: bytes) -> object:
    """Return a JSON value, None where a text is none."""
    try:
        return cast("object", json.loads(text))
    except (ValueError, RecursionError):
        return None


def part(value: Event, name: str) -> Event:
    """Return an object in an object, empty where there is none."""
    found: Any = value.get(name)
    return cast("Event", found) if isinstance(found, dict) else {}


def moment(value: object) -> datetime | None:
    """Return a time as JSON has it, RFC 3339 or seconds or milliseconds since 1970; one without a zone is in UTC."""
    try:
        if isinstance(value, str):
            said = datetime.fromisoformat(value)
            return said.astimezone(UTC) if said.tzinfo else said.replace(tzinfo=UTC)
        if isinstance(value, int | float) and not isinstance(value, bool):
            return datetime.fromtimestamp(value / 1000 if value > _MILLISECONDS_FROM else value, UTC)
    except (ValueError, OverflowError, OSError):
        pass
    return None
