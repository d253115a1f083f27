"""Lines: texts as they would be placed, and the passages that they make."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from itertools import groupby

from cairn.facts.facts import Fact
from cairn.ground.ids import SessionId
from cairn.log.entries import Chunk


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A text as it would be placed: by whom, what of it, for how many tokens, and how likely it is evidence.

    `row` and `before` are its place and that of the text before it, by which gaps are known; `form` is what it says
    without what may differ between near-duplicates.
    """

    chunk: Chunk
    speaker: str
    said: str
    row: int
    before: int
    cost: int
    chance: float
    form: tuple[str, ...] = ()

    @property
    def passage(self) -> tuple[SessionId, date]:
        """Return what lines of one passage have in common: the session and the day."""
        return self.chunk.session_id, self.chunk.at.date()


@dataclass(frozen=True, slots=True)
class Passage:
    """The worthwhile texts of one session and day, in the order they were said; `ref` is its short name."""

    ref: str
    lines: tuple[Line, ...]

    @property
    def day(self) -> date:
        """Return the day, UTC."""
        return self.lines[0].chunk.at.date()

    @property
    def session_id(self) -> SessionId:
        """Return the session."""
        return self.lines[0].chunk.session_id


def passages(lines: Sequence[Line]) -> tuple[Passage, ...]:
    """Return lines as passages, the newest first: where they disagree, the newest is right."""
    ordered = sorted(lines, key=lambda line: (*line.passage, line.row))
    groups = [tuple(group) for _, group in groupby(ordered, key=lambda line: line.passage)]
    # Of sessions that interleave on a day the one that began later stands first.
    groups.sort(key=lambda group: (group[0].chunk.at, group[0].chunk.session_id), reverse=True)
    return tuple(Passage(f"m{number}", group) for number, group in enumerate(groups, 1))


@dataclass(frozen=True, slots=True)
class Known:
    """A fact or kept memory as it would be placed, in one line."""

    fact: Fact
    line: str
