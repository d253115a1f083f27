"""Hold the blobs that a snapshot of the table may name: what is deleted meanwhile is set aside until it ends.

Items let go of a blob before it is deleted. So whoever deletes without seeing a hold deletes what no snapshot names
that is taken after the hold was made. A hold whose process died has no lock; it is removed with what it kept.
"""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_HOLD = ".held-"
"""How the directory of a hold is named; no tenant's name has a dot."""
_DIGEST_CHARACTERS = 64


@contextmanager
def holding(root: Path) -> Generator[Path]:
    """Have the blobs below a directory set aside that are deleted during the block, in the directory that it gets."""
    import tempfile  # noqa: PLC0415 - a process that only reads does without

    made = Path(tempfile.mkdtemp(prefix=".making-", dir=root))
    descriptor = os.open(made, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        made = made.rename(made.with_name(made.name.replace(".making-", _HOLD)))
        yield made
    finally:
        shutil.rmtree(made)
        os.close(descriptor)


def set_aside(root: Path, path: Path) -> None:
    """Keep a blob's bytes for every hold, before it is deleted."""
    for hold in _holds(root):
        with suppress(FileNotFoundError, FileExistsError):
            os.link(path, hold / _name(path))


def held(root: Path, path: Path, read: Callable[[Path], bytes] = Path.read_bytes) -> bytes | None:
    """Return what `read` makes of a deleted blob's file, None where nobody holds it."""
    for hold in _holds(root):
        with suppress(FileNotFoundError):
            return read(hold / _name(path))
    return None


def held_names(hold: Path) -> list[tuple[str, str]]:
    """Return what was set aside for a hold so far: the names of the tenant's directory and of the blob."""
    names = [path.name for path in hold.iterdir()]
    return [(name[: -1 - _DIGEST_CHARACTERS], name[-_DIGEST_CHARACTERS:]) for name in names]


def _holds(root: Path) -> Iterator[Path]:
    for hold in root.glob(f"{_HOLD}*"):
        with suppress(FileNotFoundError):
            descriptor = os.open(hold, os.O_RDONLY)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                yield hold
            else:
                shutil.rmtree(hold, ignore_errors=True)
            finally:
                os.close(descriptor)


def _name(path: Path) -> str:
    return f"{path.parent.parent.name}-{path.name}"
