"""Events that found no server: kept on this machine until one takes them."""

from __future__ import annotations

import json
from collections.abc import Collection, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

from cairn.local.hook.event import Event, encoded
from cairn.local.hook.private_files import append, locked, replace

MOST_BYTES: Final = 5_000_000


class Waiting(NamedTuple):
    """An event that waits, the address of the server that it is for, and the line that holds both."""

    line: bytes
    url: str
    event: Event


class Spool:
    """The file `hooks.spool`, a JSON object a line, oldest first. It holds what was said, and no key.

    Any number of hooks may add to it and take out of it at once; one at a time sends what is in it.
    """

    def __init__(self, directory: Path) -> None:
        """Keep it in a directory, which is made when something is added."""
        self._path = directory / "hooks.spool"
        self._lock = directory / "hooks.lock"
        self._sending = directory / "hooks.sending"

    def add(self, at: str, url: str, event: Event) -> int:
        """Add an event; return how many of the oldest were dropped to make room for it."""
        told = {"agent": event.agent, "project": event.project, "user": event.user, "event": event.told}
        line = encoded({"at": at, "url": url, **told})
        with locked(self._lock):
            append(self._path, line + b"\n")
            return self._make_room() if self._path.stat().st_size > MOST_BYTES else 0

    @contextmanager
    def sender(self) -> Generator[bool]:
        """Be the one who sends what waits; yield False where nothing waits or another sends it."""
        if not self._path.exists():
            yield False
            return
        with locked(self._sending, waits=False) as is_sender:
            yield is_sender

    def waiting(self) -> list[Waiting]:
        """Return what waits, oldest first."""
        return [each for each in map(_read, self._lines()) if each is not None]

    def take_out(self, lines: Collection[bytes]) -> None:
        """Take lines out; what others added meanwhile stays, and what no hook wrote goes."""
        with locked(self._lock):
            self._keep([line for line in self._lines() if line not in lines and _read(line) is not None])

    def _make_room(self) -> int:
        lines = self._lines()
        size, first = self._path.stat().st_size, 0
        while size > MOST_BYTES:
            size, first = size - len(lines[first]) - 1, first + 1
        self._keep(lines[first:])
        return first

    def _lines(self) -> list[bytes]:
        try:
            return self._path.read_bytes().splitlines()
        except FileNotFoundError:
            return []

    def _keep(self, lines: list[bytes]) -> None:
        if lines:
            replace(self._path, b"".join(line + b"\n" for line in lines))
        else:
            self._path.unlink(missing_ok=True)


def _read(line: bytes) -> Waiting | None:
    """Return what a line holds, None where it was not written by Spool.add."""
    try:
        said: dict[str, Any] = json.loads(line)
        event = Event(said["agent"], said["project"], said["user"], said["event"])
        return Waiting(line, said["url"], event) if isinstance(said["event"], dict) else None
    except (ValueError, RecursionError, TypeError, KeyError):
        return None
