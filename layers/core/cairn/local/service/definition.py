"""What systemd or launchd is told, to run `cairn serve` for one person whenever they are logged in."""

from __future__ import annotations

import plistlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

MARK = "# Written by `cairn service install`, which replaces it."
UNIT = "cairn.service"
LABEL = "cairn.serve"
_PLAIN = re.compile(r"[\w@+=:,./-]+")


@dataclass(frozen=True, slots=True)
class Definition:
    """A file, what stands in it, and the commands that start and end the service, a list of words each."""

    path: Path
    text: str
    start: tuple[tuple[str, ...], ...]
    stop: tuple[str, ...]
    state: tuple[str, ...]
    log: str
    links: tuple[Path, ...] = ()
    """What enabling makes, and a removal has to take along."""

    def is_ours(self) -> bool:
        """Tell whether the file that is there was written by an install."""
        found = self.path.read_text(encoding="utf-8", errors="replace")
        return MARK in found or f"<string>{LABEL}</string>" in found


def systemd(command: Sequence[str], environment: Mapping[str, str], home: Path) -> Definition:
    """Return the user unit for a command line."""
    chosen = Path(environment.get("XDG_CONFIG_HOME", ""))
    folder = (chosen if chosen.is_absolute() else home / ".config") / "systemd" / "user"
    line = " ".join([_word(command[0]), *(_word(each).replace("$", "$$") for each in command[1:])])
    text = f"""{MARK}
[Unit]
Description=Cairn, memory for AI agents

[Service]
ExecStart={line}
Restart=on-failure
RestartSec=5
UMask=0077
NoNewPrivileges=yes

[Install]
WantedBy=default.target
"""
    ask = ("systemctl", "--user")
    return Definition(
        path=folder / UNIT,
        text=text,
        start=((*ask, "daemon-reload"), (*ask, "enable", "--now", UNIT)),
        stop=(*ask, "disable", "--now", UNIT),
        state=(*ask, "is-active", UNIT),
        log=f"journalctl --user --unit {UNIT}",
        links=(folder / "default.target.wants" / UNIT,),
    )


def launchd(command: Sequence[str], user: int, home: Path) -> Definition:
    """Return the agent for a command line and a person's number."""
    path, log = home / "Library" / "LaunchAgents" / f"{LABEL}.plist", home / "Library" / "Logs" / "cairn.log"
    told: dict[str, object] = {
        "Label": LABEL,
        "ProgramArguments": list(command),
        "RunAtLoad": True,
        "KeepAlive": {"SuccessfulExit": False},
        "Umask": 0o077,
        "StandardOutPath": str(log),
        "StandardErrorPath": str(log),
    }
    domain = f"gui/{user}"
    return Definition(
        path=path,
        text=plistlib.dumps(told, sort_keys=False).decode(),
        start=(("launchctl", "bootstrap", domain, str(path)),),
        stop=("launchctl", "bootout", f"{domain}/{LABEL}"),
        state=("launchctl", "print", f"{domain}/{LABEL}"),
        log=f"tail {log}",
    )


def _word(word: str) -> str:
    """Return a word of a command line as a unit file has it: `%` begins a specifier, a space ends a word."""
    escaped = word.replace("%", "%%")
    if _PLAIN.fullmatch(word):
        return escaped
    return '"' + escaped.replace("\\", "\\\\").replace('"', '\\"') + '"'
