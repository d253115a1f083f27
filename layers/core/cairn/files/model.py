"""A directory of a session's memory as it is listed."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class DirectorySummary:
    """One directory of a session's memory and what is in it."""

    path: str
    abstract: str
    updated_at: datetime
    has_overview: bool
