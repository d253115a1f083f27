"""Write files that appear whole or not at all."""

from __future__ import annotations

import fcntl
import os
import shutil
import time
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO

_TEMPORARY = ".tmp-"
# No write takes an hour: a file in the making is older only if its writer died.
_ABANDONED_AFTER_SECONDS = 3600
_FULL_FSYNC: int | None = getattr(fcntl, "F_FULLFSYNC", None)


def create_once(path: Path, data: bytes | BinaryIO) -> bool:
    """Create the file, private to its owner, if it is not there; return whether it was made by this call.

    A link gives the name only to bytes that are already on disk; when this returns, the name is on disk as well.
    """
    import tempfile  # noqa: PLC0415 - a process that only reads does without

    descriptor, temporary = tempfile.mkstemp(prefix=_TEMPORARY, dir=path.parent)
    try:
        with open(descriptor, "wb") as file:  # noqa: PTH123 - a descriptor, not a path
            file.write(data) if isinstance(data, bytes) else shutil.copyfileobj(data, file)
            file.flush()
            put_on_disk(file.fileno())
        made = False
        with suppress(FileExistsError):
            # Unlike a rename it fails where the name is taken: the first writer's bytes stay.
            os.link(temporary, path)
            made = True
    finally:
        os.unlink(temporary)  # noqa: PTH108 - mkstemp gives text
    fsync_directory(path.parent)
    return made


def make_directory(path: Path) -> None:
    """Create the directory and its parents, private to their owner; when this returns, they are on disk."""
    if path.is_dir():
        _put_name_on_disk(path)
        return
    make_directory(path.parent)
    path.mkdir(mode=0o700, exist_ok=True)
    fsync_directory(path.parent)


@lru_cache(4096)
def _put_name_on_disk(directory: Path) -> None:
    """Do so once a process: whoever made the directory may have died before, or may be about to."""
    with suppress(PermissionError):  # above what is ours there may be what we cannot read
        fsync_directory(directory.parent)


def put_on_disk(descriptor: int) -> None:
    """Have the disk keep what was written, whatever happens to the power.

    On macOS fsync leaves it in the disk's own cache; F_FULLFSYNC does not, where the file system knows it.
    """
    if _FULL_FSYNC is not None:
        with suppress(OSError):
            fcntl.fcntl(descriptor, _FULL_FSYNC)
            return
    os.fsync(descriptor)


def fsync_directory(path: Path) -> None:
    """Put the names in a directory on disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        put_on_disk(descriptor)
    finally:
        os.close(descriptor)


def files_below(root: Path) -> Iterator[Path]:
    """Yield each file beneath a directory, but for what others remove meanwhile and what may not be read."""

    def met(error: OSError) -> None:
        if not isinstance(error, FileNotFoundError | NotADirectoryError | PermissionError):
            raise error

    for directory, _, names in os.walk(root, onerror=met):
        yield from (Path(directory, name) for name in names)


def discard_abandoned(root: Path) -> None:
    """Remove what writers that died an hour ago or more left unfinished anywhere beneath a directory."""
    for leftover in files_below(root):
        with suppress(FileNotFoundError):
            if (
                leftover.name.startswith(_TEMPORARY)
                and leftover.stat().st_mtime < time.time() - _ABANDONED_AFTER_SECONDS
            ):
                leftover.unlink()
