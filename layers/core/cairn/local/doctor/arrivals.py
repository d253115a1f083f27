"""Compare the sessions that an agent has kept with those in memory."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from cairn.local.doctor.sessions import Sessions
from cairn.local.doctor.transcripts import Transcript
from cairn.local.hook.project_name import project_of

_APART: Final = timedelta(seconds=5)
"""How far two clocks may be apart."""
_UNDER_WAY: Final = timedelta(seconds=30)
"""How old an answer is before its turn must have arrived."""


@dataclass(frozen=True, slots=True)
class Arrivals:
    """An agent's newest sessions, and those of which the newest turn is not in memory; both the newest first."""

    read: tuple[Transcript, ...]
    lost: tuple[Transcript, ...]

    @property
    def goes_on(self) -> bool:
        """Tell whether any folder's newest session is lost: where a newer one arrived, the trouble is over."""
        newest = {each.folder: each for each in reversed(self.read)}
        return any(each in self.lost for each in newest.values())

    @property
    def since(self) -> datetime:
        """Return when the first prompt came that was lost."""
        return min(each.answered or each.begun for each in self.lost)


def arrivals(read: list[Transcript], sessions: Sessions, fixed: str | None, now: datetime) -> Arrivals:
    """Compare sessions with those of the server, in the fixed project or that of each folder.

    A session whose newest answer is only just there is left out.
    """
    settled = [each for each in read if each.answered is not None and now - each.answered >= _UNDER_WAY]
    lost = [each for each in settled if not _has_arrived(each, sessions, fixed or project_of(each.folder))]
    return Arrivals(tuple(settled), tuple(lost))


def _has_arrived(transcript: Transcript, sessions: Sessions, project: str) -> bool:
    least = (transcript.answered or transcript.begun) - _APART
    newest = sessions.of(project, least).get(transcript.session)
    return newest is not None and newest >= least
