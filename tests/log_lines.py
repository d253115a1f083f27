"""What a process has logged."""

from __future__ import annotations

import io
import json
from typing import Any


def lines(log: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in log.getvalue().splitlines()]


def calls(log: io.StringIO) -> list[dict[str, Any]]:
    return [line for line in lines(log) if line["message"] == "call"]
