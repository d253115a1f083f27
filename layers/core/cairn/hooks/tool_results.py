"""What tools did, in short: as much as tells later what was tried and what came of it, and no secret in it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, Final

from cairn.detection import detector
from cairn.ground.errors import DetectionFailed
from cairn.ground.session import ResponseItem
from cairn.hooks.events import ToolUse

_GIVEN_CHARACTERS: Final = 300
_GAVE_CHARACTERS: Final = 700
_SCANNED: Final = 4
"""How many times of what is kept is looked through for secrets, so that none is cut in two and overlooked."""
_WITHHELD: Final = "[withheld]"


def items_of(uses: Iterable[ToolUse]) -> tuple[ResponseItem, ...]:
    """Return a call and its result of each use, both short and without secrets."""
    return tuple(item for use in uses for item in _items(use))


def _items(use: ToolUse) -> Iterable[ResponseItem]:
    given, gave = _short(use.given, _GIVEN_CHARACTERS), _short(use.gave, _GAVE_CHARACTERS)
    yield {"type": "function_call", "call_id": use.id, "name": use.name, "arguments": given}
    yield {"type": "function_call_output", "call_id": use.id, "output": gave}


def _short(value: Any, most: int) -> str:
    text = _text(value)[: most * _SCANNED]
    try:
        masked = str(detector.mask(text))
    except DetectionFailed:
        return _WITHHELD
    return masked if len(masked) <= most else f"{masked[: most - 1]}…"


def _text(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
