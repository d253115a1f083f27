"""One event's way: read, sent behind those that wait, answered; and what is kept of it afterwards."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple

from cairn.ground.errors import SettingsError
from cairn.local.hook import client_file
from cairn.local.hook.client_file import Client
from cairn.local.hook.delivery import Undelivered, post
from cairn.local.hook.event import NAMES, Event, Unusable, fitting, named, parsed
from cairn.local.hook.journal import Journal
from cairn.local.hook.private_files import is_open_to_others, state_directory
from cairn.local.hook.project_name import project_of
from cairn.local.hook.request import folder_of, standard_input
from cairn.local.hook.sending import send_waiting
from cairn.local.hook.spool import Spool

_ENDS: Final = ("Stop", "stop")
_BRIEF_SECONDS: Final = 1.0
_SHARE_OF_WAITING: Final = 0.5
"""How much of its time a hook gives to events that wait."""


class Outcome(NamedTuple):
    """The agent's answer; where it is empty because something failed, what that was, and whether to try it again.

    `is_late` where the server was waited for in vain.
    """

    answer: dict[str, Any]
    problem: str = ""
    is_for_later: bool = False
    is_late: bool = False


class Exchange:
    """The exchange of one event with the server, in so many seconds.

    A server that was waited for in vain is waited for briefly within the next minute: it may well hang.
    """

    def __init__(self, agent: str, seconds: float) -> None:
        """Begin with an event that nothing is known of yet."""
        self.outcome: Outcome | None = None
        self._event = Event(agent, "", None, {})
        self._client: Client | None = None
        directory = state_directory(os.environ)
        self._journal = Journal(directory, now)
        self._is_brief = seconds > _BRIEF_SECONDS and self._journal.was_late(time.time())
        self._until = time.monotonic() + (_BRIEF_SECONDS if self._is_brief else seconds)
        self._spool = Spool(directory)

    def seconds_left(self) -> float:
        """Return how long it may still take."""
        return max(0.0, self._until - time.monotonic())

    def run(self) -> None:
        """Set the outcome; never raise."""
        try:
            self.outcome = Outcome(self._answer())
        except (SettingsError, Unusable) as error:
            self.outcome = Outcome({}, str(error))
        except Undelivered as error:
            self.outcome = Outcome({}, str(error), error.is_for_later, error.is_late)
        except Exception as error:  # noqa: BLE001 - a door: an agent goes on whatever is wrong here
            self.outcome = Outcome({}, f"the hook failed: {type(error).__name__}")

    def keep(self, outcome: Outcome) -> None:
        """Keep the event where it is to be sent again, and what became of it; OSError where that cannot be written."""
        if not (outcome.is_late and self._is_brief):  # who waited briefly says nothing of the next minute
            self._journal.note_lateness(is_late=outcome.is_late)
        if not outcome.problem:
            self._journal.happened("delivered", [self._event])
            return
        if outcome.is_for_later and self._client is not None and self._event.project:
            dropped = self._spool.add(now(), self._client.url, self._event)
            if dropped:
                problem = f"events that waited were dropped, the oldest, to make room for newer ones: {dropped}"
                self._journal.note(self._event.agent, problem)
        self._journal.failed(self._event, outcome.problem)

    def _answer(self) -> dict[str, Any]:
        told = fitting(_whole(parsed(standard_input())))
        self._event = self._event._replace(told=told)
        client = self._client = client_file.read(os.environ)
        project = client.project or project_of(folder_of(told, os.environ))
        self._event = self._event._replace(project=project, user=client.user)
        with suppress(OSError):
            self._warn_of_readers()
            half = time.monotonic() + self.seconds_left() * _SHARE_OF_WAITING
            send_waiting(self._spool, self._journal, client, half)
        return post(client, self._event, self._until)

    def _warn_of_readers(self) -> None:
        path = client_file.location(os.environ)
        if is_open_to_others(path):
            problem = f"{path} holds a key and is open to others; run: chmod 600 {path}"
            self._journal.note_once(self._event.agent, problem)


def _whole(told: dict[str, Any]) -> dict[str, Any]:
    """Return an event with the answer, where it tells of a turn's end and lacks it."""
    is_end = "stopReason" in told or named(told, NAMES) in _ENDS
    if not is_end or told.get("last_assistant_message"):
        return told
    from cairn.local.hook.answers import with_answer  # noqa: PLC0415 - most agents say what was answered

    return with_answer(told)


def now() -> str:
    """Return the moment as it is written, in UTC to the millisecond."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
