"""A directory of a session's memory, as it is listed."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class DirectorySummary:
    """A directory of a session's memory with a summary of its content."""

    path: str
    abstract: str
    updated_at: datetime
    has_overview: bool
