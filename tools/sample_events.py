"""The sample events of a deployed function, from events/."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from lambda_runtime import Function

EVENTS = Path(__file__).resolve().parent.parent / "events"
_FOLDERS = ("http", "jobs", ".")


def samples(function: Function, key: str) -> dict[str, dict[str, Any]]:
    """Return each sample event of the function under its file's name; the authorizer is shown this API key.

    FileNotFoundError where there is none: a new function comes with an event.
    """
    name = re.sub(r"(?<!^)(?=[A-Z])", "_", function.name.removesuffix("Function")).lower()
    own = [path for folder in _FOLDERS if (path := EVENTS / folder / f"{name}.json").is_file()]
    paths = own[:1] or sorted((EVENTS / name).glob("*.json"))
    if not paths:
        raise FileNotFoundError(f"events/ has no event for {function.name}: make it in tools/generate.py")
    found: dict[str, dict[str, Any]] = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in paths}
    for event in found.values():
        if event.get("type") == "REQUEST":
            event["headers"] = {**event["headers"], "authorization": f"Bearer {key}"}
    return found
