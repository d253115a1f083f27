"""What a merge comes to."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Merged:
    """How much came to the project: turns, and changes that no turn made; how many turns it had already."""

    turns: int
    changes: int
    left_out: int


def named(action: str, name: str) -> str:
    """Return how the record of a call says what was done with which branch."""
    return f"{action} {name}"
