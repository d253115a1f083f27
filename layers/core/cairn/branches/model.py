"""What a merge comes to."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Merged:
    """How much came to the project: turns, and changes that no turn made; how many turns it had already."""

    turns: int = 0
    changes: int = 0
    left_out: int = 0
