"""The report of a maintenance run."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class MaintenanceReport:
    """Counts what one maintenance run did; `finished` is false if the next run has to go on.

    `erased` says that the session was left alone for longer than it is kept, and is gone as far as the run came.
    """

    compacted_events: int = 0
    archived_shards: int = 0
    expired_facts: int = 0
    merged_facts: int = 0
    summaries_refreshed: int = 0
    read_turns: int = 0
    erased: bool = False
    finished: bool = True
