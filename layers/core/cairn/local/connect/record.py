"""What `cairn connect` did on this machine: since when each agent is connected, and the keys that it made."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from cairn.ground.codec import moment, rfc3339
from cairn.ground.errors import SettingsError
from cairn.local.hook.private_files import replace as replace_file
from cairn.local.hook.private_files import state_directory


@dataclass(frozen=True, slots=True)
class Record:
    """Since when each agent is connected, by its name, the ids of the keys that were made for them, and in which store.

    `data` is the data directory that was named then, None for the usual one.
    """

    agents: Mapping[str, datetime] = field(default_factory=dict[str, datetime])
    keys: tuple[str, ...] = ()
    data: Path | None = None

    def having(self, agent: str, now: datetime) -> Record:
        """Return the record with an agent that is connected since now, or since earlier where it is in it."""
        return replace(self, agents={agent: now, **self.agents})

    def without(self, agent: str) -> Record:
        """Return the record without an agent."""
        return replace(self, agents={name: at for name, at in self.agents.items() if name != agent})


def location(environment: Mapping[str, str]) -> Path:
    """Return the record's path."""
    return state_directory(environment) / "connect.json"


def read(environment: Mapping[str, str]) -> Record:
    """Return the record, an empty one where there is none; SettingsError where it makes no sense."""
    path = location(environment)
    try:
        stored: Any = json.loads(path.read_bytes())
        agents = {str(name): moment(at) for name, at in stored["agents"].items()}
        return Record(agents, tuple(stored["keys"]), Path(stored["data"]) if stored["data"] else None)
    except FileNotFoundError:
        return Record()
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        raise SettingsError(f"{path} cannot be read: delete it, then run cairn connect again") from None


def write(record: Record, environment: Mapping[str, str]) -> None:
    """Write the record, or delete it where nothing is in it any more; SettingsError where that fails."""
    path = location(environment)
    agents = {name: rfc3339(at) for name, at in record.agents.items()}
    try:
        if not agents and not record.keys:
            path.unlink(missing_ok=True)
            return
        said = {"agents": agents, "keys": record.keys, "data": record.data and str(record.data)}
        replace_file(path, f"{json.dumps(said, indent=2)}\n".encode())
    except OSError as error:
        raise SettingsError(f"{path} cannot be written: {error.strerror}") from None
