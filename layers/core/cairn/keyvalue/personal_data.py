"""Refuse or mask personal data and secrets on their way into and out of key-value memory.

An error of the detector is the call's: what could not be looked through is neither stored nor shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from cairn.access.policy import OnSensitive
from cairn.edge.validation import field_name
from cairn.ground.errors import PersonalDataDetected
from cairn.telemetry.record import note_redactions
from cairn.telemetry.tracing import span

if TYPE_CHECKING:
    from cairn.detection.detector import Finding

_MOST_NAMED: Final = 20
_MESSAGE: Final = "PII detected in memory operation"


def admitted(tool: str, value: Any, names: Sequence[str], on_sensitive: OnSensitive) -> Any:
    """Return the value as it may be stored; PersonalDataDetected where it, or one of the names, must not be.

    Names are never masked: under another name a value would not be found.
    """
    from cairn.detection import detector  # noqa: PLC0415 - a process of all tools looks through few calls' values

    with span("pii filter", tool=tool, operation="write"):
        found = detector.scan({"key": list(names), "value": value})
        note_redactions(len(found))
        refused = [each for each in found if on_sensitive == "refuse" or each.path[0] == "key"]
        if refused:
            raise PersonalDataDetected(_MESSAGE, _details(refused))
        return detector.mask(value) if found else value


def shown(tool: str, value: Any) -> Any:
    """Return a value as it may be shown, its findings masked."""
    from cairn.detection import detector  # noqa: PLC0415

    with span("pii filter", tool=tool, operation="read"):
        found = detector.scan(value)
        note_redactions(len(found))
        return detector.mask(value) if found else value


def _details(found: Sequence[Finding]) -> dict[str, object]:
    fields = dict.fromkeys(map(_field, found))
    return {"redacted_fields": list(fields)[:_MOST_NAMED], "rules": sorted({each.rule for each in found})}


def _field(finding: Finding) -> str:
    """Return where a finding is: its path within the value, its rule where the value is no more than a text."""
    if finding.path[0] == "key":
        return "key"
    name = ""
    for part in finding.path[1:]:
        name = field_name(name, part)
    return name or finding.rule
