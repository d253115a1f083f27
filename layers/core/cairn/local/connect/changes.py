"""Changes of an agent's files: found, and made in one step each, beside a copy of what was there before Cairn."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Final

from cairn.ground.errors import SettingsError
from cairn.local.connect.agent import Agent
from cairn.local.connect.configuration import Configuration

BACKUP: Final = ".before-cairn"
_PRIVATE: Final = 0o600
_OTHERS: Final = 0o077


@dataclass(frozen=True, slots=True)
class Change:
    """A file's text before and after; None where there is none."""

    file: Configuration
    before: str | None
    after: str | None

    @property
    def path(self) -> Path:
        """Return the file's path."""
        return self.file.path

    @property
    def is_needed(self) -> bool:
        """Tell whether anything is to be done: to the text, or so that others cannot read the key in it."""
        return self.before != self.after or (self.file.holds_key and _is_open(self.path))


def connecting(agent: Agent) -> list[Change]:
    """Return what is to change so that Cairn is in an agent's configuration; SettingsError where a file is broken."""
    found = [(file, read(file.path)) for file in agent.configurations]
    changes = [Change(file, text, file.with_cairn(text)) for file, text in found]
    return [each for each in changes if each.is_needed]


def removing(agent: Agent) -> list[Change]:
    """Return what is to change so that Cairn is not in it any more; SettingsError where a file is broken."""
    found = [(file, text) for file in agent.configurations if (text := read(file.path)) is not None]
    there = [(file, text) for file, text in found if file.has_cairn(text)]
    return [Change(file, text, file.without_cairn(text, read(backup_of(file.path)))) for file, text in there]


def connect(changes: list[Change]) -> None:
    """Make the changes; what a file was before Cairn is kept beside it, once."""
    for change in changes:
        beside = backup_of(change.path)
        if change.before is not None and not beside.exists() and not change.file.has_cairn(change.before):
            _done(beside, partial(shutil.copy2, change.path.resolve(), beside))
        write(change.path, change.after or "", is_private=change.file.holds_key)


def remove(changes: list[Change]) -> None:
    """Make the changes; the copy goes where the file is as it was."""
    for change in changes:
        beside = backup_of(change.path)
        if change.after is None:
            _done(change.path, change.path.unlink)
            continue
        write(change.path, change.after)
        if change.after == read(beside):
            _done(change.path, partial(shutil.copymode, beside, change.path.resolve()))
            _done(beside, beside.unlink)


def backup_of(path: Path) -> Path:
    """Return where the file is kept as it was before Cairn."""
    return path.with_name(path.name + BACKUP)


def read(path: Path) -> str | None:
    """Return the text of a file with its line ends, None where it is not there; SettingsError if it is unreadable."""
    try:
        return path.read_bytes().decode()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise SettingsError(f"{path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise SettingsError(f"{path} is no UTF-8: it was left as it is") from None


def write(path: Path, text: str, *, is_private: bool = False) -> None:
    """Put a text in the place of a file's, whole or not at all, also behind a link; the file keeps its mode.

    A new one and one that is private is for its owner alone. SettingsError where that fails.
    """
    target = path.resolve()
    mode = _PRIVATE if is_private or not target.exists() else target.stat().st_mode & 0o777
    try:
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with NamedTemporaryFile(dir=target.parent, prefix=f".{target.name}.", delete=False) as beside:
            beside.write(text.encode())
        os.chmod(beside.name, mode)  # noqa: PTH101 - the file's name is a text
        os.replace(beside.name, target)  # noqa: PTH105
    except OSError as error:
        raise SettingsError(f"{path} cannot be written: {error.strerror}") from None


def _is_open(path: Path) -> bool:
    return path.exists() and bool(path.stat().st_mode & _OTHERS)


def _done(path: Path, step: Callable[[], object]) -> None:
    try:
        step()
    except OSError as error:
        raise SettingsError(f"{path} cannot be changed: {error.strerror}") from None
