"""Files that only their owner reads, which several hooks may write at once."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

_OTHERS: Final = 0o077


def config_directory(environment: Mapping[str, str]) -> Path:
    """Return `cairn` under XDG_CONFIG_HOME, which is ~/.config unless set to an absolute path."""
    return _under(environment, "XDG_CONFIG_HOME", ".config")


def state_directory(environment: Mapping[str, str]) -> Path:
    """Return `cairn` under XDG_STATE_HOME, which is ~/.local/state unless set to an absolute path."""
    return _under(environment, "XDG_STATE_HOME", ".local/state")


def is_open_to_others(path: Path) -> bool:
    """Tell whether anybody but its owner may read or write a file; one that is not there is open to nobody."""
    try:
        return bool(path.stat().st_mode & _OTHERS)
    except OSError:
        return False


def replace(path: Path, content: bytes) -> None:
    """Put a file in the place of another, whole or not at all; its directory is made where it is missing."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    beside = path.with_name(f"{path.name}.{os.getpid()}.new")
    try:
        beside.unlink(missing_ok=True)
        _write(beside, content)
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


def append(path: Path, line: bytes) -> None:
    """Write a line at the end of a file, which is made where it is missing."""
    _write(path, line)


@contextmanager
def locked(path: Path, *, waits: bool = True) -> Generator[bool]:
    """Hold a lock that one process has at a time; yield False, at once, where another has it and this is not to wait.

    It ends with the process that holds it, however that ends.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX if waits else fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        yield True
    finally:
        os.close(lock)


def _write(path: Path, content: bytes) -> None:
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600), "wb") as file:  # noqa: PTH123
        file.write(content)


def _under(environment: Mapping[str, str], variable: str, default: str) -> Path:
    chosen = Path(environment.get(variable, ""))
    return (chosen if chosen.is_absolute() else Path(environment.get("HOME") or Path.home()) / default) / "cairn"
