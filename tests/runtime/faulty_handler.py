"""A Lambda handler that fails as its event asks."""

from __future__ import annotations

import os
import time
from typing import Any

_ANSWERED: list[int] = []


def handler(event: dict[str, Any], context: object) -> dict[str, Any]:
    """Exit, oversleep, or answer so many characters; say how often this process has answered."""
    del context
    if event.get("exit"):
        os._exit(1)
    time.sleep(event.get("sleep", 0))
    _ANSWERED.append(1)
    return {"answered": len(_ANSWERED), "body": "x" * event.get("characters", 0)}
