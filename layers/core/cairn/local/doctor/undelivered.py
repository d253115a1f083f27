"""What `cairn hook` could not deliver, as it kept it on this machine."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from cairn.local.hook.spool import Spool, Waiting

_TAIL: Final = 64_000


@dataclass(frozen=True, slots=True)
class Undelivered:
    """What waits, the oldest first, the last error of each agent, and the events that failed last."""

    waiting: Sequence[Waiting] = ()
    errors: Mapping[str, str] = field(default_factory=dict[str, str])
    failing: Mapping[str, Mapping[str, str]] = field(default_factory=dict[str, Mapping[str, str]])
    """By agent: events that have not been delivered since they failed, with when the last one of each was."""
    delivered: Mapping[str, str] = field(default_factory=dict[str, str])
    """By agent: when an event was last delivered."""

    @classmethod
    def of(cls, directory: Path) -> Undelivered:
        """Read what hooks keep in their directory."""
        times = _times(directory / "hooks.json")
        return cls(
            waiting=Spool(directory).waiting(),
            errors=_last_errors(directory / "hooks.log"),
            failing={agent: _failing(events) for agent, events in times.items()},
            delivered={
                agent: max(each.get("delivered", "") for each in events.values()) for agent, events in times.items()
            },
        )

    def by_server(self, agent: str) -> dict[str, list[Waiting]]:
        """Return what waits of an agent, by the address of the server that it is for."""
        found: dict[str, list[Waiting]] = {}
        for each in self.waiting:
            if each.event.agent == agent:
                found.setdefault(each.url, []).append(each)
        return found


def since(waiting: Sequence[Waiting]) -> str:
    """Return when the oldest of these events began to wait."""
    return str(json.loads(waiting[0].line).get("at", ""))


def _failing(events: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    """Moments are texts of one form, so that they compare as they are."""
    return {
        name or "an event": each["failed"]
        for name, each in events.items()
        if each.get("failed", "") > each.get("delivered", "")
    }


def _times(path: Path) -> dict[str, dict[str, dict[str, str]]]:
    try:
        found: Any = json.loads(path.read_bytes())
        return {agent: {name: dict(each) for name, each in events.items()} for agent, events in found.items() if events}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}


def _last_errors(path: Path) -> dict[str, str]:
    """Return the newest line of the log of each agent, in words."""
    try:
        lines = path.read_bytes()[-_TAIL:].splitlines()
    except OSError:
        return {}
    found: dict[str, str] = {}
    for line in lines:
        try:
            said: dict[str, Any] = json.loads(line)
            found[said["agent"]] = f"{said['at']} {said.get('event', '')}: {said['problem']}"
        except (ValueError, KeyError, TypeError):
            continue
    return found
