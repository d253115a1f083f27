"""Add the answer to an event that tells of a turn's end and names the session's transcript instead."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from cairn.hooks.transcripts import ANSWER, is_behind, last_answer, transcript

_WAITS_SECONDS: Final = 0.5
"""How long a transcript is waited for that an agent has still to write."""
_LOOKS_EVERY_SECONDS: Final = 0.02
_MOST_BYTES: Final = 1_000_000
"""How much of a transcript's end is read."""


def with_answer(told: dict[str, Any], sleep: Callable[[float], None] = time.sleep) -> dict[str, Any]:
    """Return an event with what was answered, as it is where it says so itself or no transcript does."""
    path = transcript(told)
    if not path:
        return told
    lines = _end_of(Path(path))
    for _ in range(round(_WAITS_SECONDS / _LOOKS_EVERY_SECONDS)):
        if not is_behind(told, lines):
            break
        sleep(_LOOKS_EVERY_SECONDS)
        lines = _end_of(Path(path))
    said = last_answer(lines)
    return {**told, ANSWER: said} if said else told


def _end_of(path: Path) -> list[str]:
    """Return the last lines of a file, whole ones, none where it cannot be read."""
    try:
        with path.open("rb") as file:
            size = file.seek(0, 2)
            file.seek(max(0, size - _MOST_BYTES))
            lines = file.read().decode(errors="replace").splitlines()
    except OSError:
        return []
    return lines[1:] if size > _MOST_BYTES else lines
