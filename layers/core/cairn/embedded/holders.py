"""Know which processes of this machine still live, by a file that each keeps locked.

The system lets go of the lock when a process ends, however it does. So neither a process id that is given out again
nor a container that cannot see other processes deceives anyone.
"""

from __future__ import annotations

import fcntl
import os
import re
import secrets
import weakref
from collections import deque
from contextlib import suppress
from pathlib import Path
from threading import Lock

from cairn.embedded.files import make_directory
from cairn.ground.adapters import Holders

_NAME = re.compile(r"[0-9a-f]{16}")
_ATTEMPTS = 3
_MOST_LEFT = 1024


class ProcessHolders(Holders):
    """Names this process in what it holds, and tells which holders are gone."""

    def __init__(self, directory: Path) -> None:
        """Keep the locked files in this directory, made when this process first holds something."""
        self._directory = directory
        self._making = Lock()
        self._name: str | None = None
        self._left: deque[str] = deque(maxlen=_MOST_LEFT)

    @property
    def mark(self) -> str:
        """Return what this process's holders end with; "" where no file can be made, as on a full disk."""
        with self._making:
            self._name = self._name or self._locked_file()
            return f"@{self._name}" if self._name else ""

    def leave(self, holder: str) -> None:
        """Count a holder of this process as gone."""
        self._left.append(holder)

    def is_gone(self, holder: str) -> bool:
        """Tell whether the holder was left or its process has ended; False where nobody can know."""
        name = holder.partition("@")[2]
        return holder in self._left or (_NAME.fullmatch(name) is not None and _is_unlocked(self._directory / name))

    def _locked_file(self) -> str | None:
        """Make a file of a new name, locked until this object is gone, and return the name; None where that fails."""
        for _ in range(_ATTEMPTS):
            with suppress(OSError):
                make_directory(self._directory)
                self._clear()
                path = self._directory / secrets.token_hex(8)
                descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDONLY, 0o600)
                weakref.finalize(self, os.close, descriptor)
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                # Another process may have cleared it away before it was locked.
                if path.exists():
                    return path.name
        return None

    def _clear(self) -> None:
        """Remove the files of processes that have ended."""
        for path in self._directory.iterdir():
            with suppress(OSError), path.open("rb") as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                path.unlink()


def _is_unlocked(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            # Shared, so that two that look at once do not take each other for the process.
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return True
