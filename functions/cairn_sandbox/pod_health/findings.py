"""A finding: which pod, how bad, why, on what evidence, and what to do. Evidence is short and holds no secret."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from cairn_sandbox.pod_health.pods import Pod

Severity = Literal["critical", "warning", "info"]
SEVERITIES: tuple[Severity, ...] = ("critical", "warning", "info")
MAX_EVIDENCE_BYTES = 240
_REASON_CHARACTERS = 64
_ELLIPSIS = "…"
_USER_OF_URL = re.compile(r"//[^/\s@]*@")
_QUERY_OF_URL = re.compile(r"(://[^\s?]*)\?[^\s\"']*")


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong with a pod."""

    pod: str
    severity: Severity
    reason: str
    evidence: str
    hint: str


def finding(pod: Pod, severity: Severity, reason: str, evidence: Iterable[str], hint: str) -> Finding:
    """Return a finding whose evidence is these parts, those that are there, cut to 240 bytes."""
    return Finding(
        pod.name, severity, quoted(reason)[:_REASON_CHARACTERS], cut("; ".join(filter(None, evidence))), hint
    )


def cut(text: str) -> str:
    """Return the text in at most 240 bytes of UTF-8, whole characters only."""
    data = text.encode()
    if len(data) <= MAX_EVIDENCE_BYTES:
        return text
    return data[: MAX_EVIDENCE_BYTES - len(_ELLIPSIS.encode())].decode(errors="ignore") + _ELLIPSIS


def quoted(message: str) -> str:
    """Return a message of the cluster on one line, without the users and queries of URLs."""
    line = " ".join("".join(each if each.isprintable() else " " for each in message).split())
    return _QUERY_OF_URL.sub(r"\1", _USER_OF_URL.sub("//", line))


def at(time: datetime | None) -> str:
    """Return " at 2026-03-01T12:00:00Z", nothing where the time is not known."""
    return f" at {time:%Y-%m-%dT%H:%M:%SZ}" if time else ""


def times(count: int, what: str) -> str:
    """Return "1 restart" or "2 restarts"."""
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def worst_first(found: Iterable[Finding]) -> list[Finding]:
    """Return the findings by severity, then pod, then reason."""
    return sorted(found, key=lambda each: (SEVERITIES.index(each.severity), each.pod, each.reason, each.evidence))
