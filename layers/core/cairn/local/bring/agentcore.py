"""AgentCore's events, as AWS's clients return those of `ListEvents`, saved as JSON: a list, or one under `events`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from cairn.local.bring.entries import entries
from cairn.local.bring.found import FoundEvent, Unreadable
from cairn.local.bring.json_files import files, moment


def read(path: Path) -> Iterator[FoundEvent | Unreadable]:
    """Yield every event in the JSON files below a path."""
    for file in files(path, "*.json"):
        for entry in entries(file, "events"):
            if isinstance(entry, Unreadable):
                yield entry
                continue
            place, event = entry
            at, identifier = moment(event.get("eventTimestamp")), event.get("eventId")
            if at is None or not isinstance(identifier, str):
                yield Unreadable(place)
                continue
            yield FoundEvent(place, identifier, at, {**event, "eventTimestamp": at.timestamp()})
