"""Find and prepare the data directory of this machine."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from cairn.ground.errors import SettingsError

_OTHERS = 0o077


def default_directory(environment: Mapping[str, str]) -> Path:
    """Return `cairn` under XDG_DATA_HOME, which is ~/.local/share unless set to an absolute path."""
    chosen = Path(environment.get("XDG_DATA_HOME", ""))
    return (chosen if chosen.is_absolute() else Path.home() / ".local" / "share") / "cairn"


def prepare(path: Path, named: str = "--data") -> Path:
    """Make the directory, mode 0700, and return its absolute path; SettingsError where others can enter it.

    One that exists and is empty is taken over; one with files in it keeps its mode, which must already be private. An
    error calls it as whoever chose it did.
    """
    path = path.expanduser().absolute()
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        if path.stat().st_mode & _OTHERS:
            if any(path.iterdir()):
                raise SettingsError(f"{named}: others can enter {path}; run: chmod 700 {path}")
            path.chmod(0o700)
    except OSError as error:
        raise SettingsError(f"{named}: cannot use {path}: {error.strerror}") from None
    return path
