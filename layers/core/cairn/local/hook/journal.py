"""What became of events: a log of those that did not arrive, and when the last one of each name did or did not."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

from cairn.local.hook.event import Event, encoded
from cairn.local.hook.private_files import append, locked, replace

MOST_LOG_BYTES: Final = 1_000_000
_BRIEFLY_FOR_SECONDS: Final = 60.0
Fate: TypeAlias = Literal["delivered", "failed"]


class Journal:
    """The log `hooks.log`, a JSON object a line, and `hooks.json`: of each agent and event, when it last had each fate.

    Neither holds content or keys. `hooks.late` is there since a server was last waited for in vain.
    """

    def __init__(self, directory: Path, now: Callable[[], str]) -> None:
        """Keep both in a directory, made when something is written; `now` tells the moment as it is written."""
        self._now = now
        self._log = directory / "hooks.log"
        self._times = directory / "hooks.json"
        self._late = directory / "hooks.late"
        self._lock = directory / "hooks.lock"

    def was_late(self, at: float) -> bool:
        """Tell whether a server was waited for in vain within the minute before a moment, in seconds since 1970."""
        try:
            return 0 <= at - self._late.stat().st_mtime < _BRIEFLY_FOR_SECONDS
        except OSError:
            return False

    def note_lateness(self, *, is_late: bool) -> None:
        """Keep whether a server was waited for in vain just now."""
        if not is_late:
            self._late.unlink(missing_ok=True)
            return
        with locked(self._lock):
            append(self._late, b"")
            os.utime(self._late)

    def failed(self, event: Event, problem: str) -> None:
        """Log what was wrong with an event, in one sentence, and that it failed."""
        self.note(event.agent, problem, event=event.name, session=event.session)
        self.happened("failed", [event])

    def note(self, agent: str, problem: str, **more: str) -> None:
        """Log a sentence."""
        with locked(self._lock):
            append(self._log, encoded({"at": self._now(), "agent": agent, **more, "problem": problem}) + b"\n")
            if self._log.stat().st_size > MOST_LOG_BYTES:
                content = self._log.read_bytes()
                replace(self._log, content[len(content) // 2 :].partition(b"\n")[2])

    def note_once(self, agent: str, problem: str) -> None:
        """Log a sentence unless the log has it."""
        said = encoded({"problem": problem})[1:-1]
        with suppress(FileNotFoundError):
            if said in self._log.read_bytes():
                return
        self.note(agent, problem)

    def happened(self, fate: Fate, events: Iterable[Event]) -> None:
        """Keep when events had this fate."""
        with locked(self._lock):
            times, at = self._read(), self._now()
            for event in events:
                times.setdefault(event.agent, {}).setdefault(event.name, {})[fate] = at
            replace(self._times, encoded(times))

    def _read(self) -> dict[str, dict[str, dict[str, str]]]:
        """Return what is kept, nothing where that was written by something else."""
        try:
            times: Any = json.loads(self._times.read_bytes())
            return {agent: {name: dict(each) for name, each in events.items()} for agent, events in times.items()}
        except (OSError, ValueError, TypeError, AttributeError):
            return {}
