"""The sample events of a deployed function, from events/."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from cloudformation import camel
from lambda_runtime import Function

EVENTS = Path(__file__).resolve().parent.parent / "events"
# Of each function that is no tool's; a tool's is named after it.
_FILES = {
    "McpFunction": ("mcp/*.json",),
    "HealthFunction": ("http/health.json", "http/runtime_config.json", "http/openapi.json"),
    "AuthorizerFunction": ("authorizer.json",),
    "MetadataFunction": ("http/metadata.json",),
    "ScheduleFunction": ("jobs/schedule.json",),
    "WorkerFunction": ("jobs/index_log.json", "jobs/maintain_shard.json", "jobs/seal_audit.json"),
    "SandboxFunction": ("sandbox/*.json",),
}


def samples(function: Function, key: str) -> dict[str, dict[str, Any]]:
    """Return each sample event of the function under its file's name; the authorizer is shown this API key.

    FileNotFoundError where there is none: a new function comes with an event.
    """
    kinds = _FILES.get(function.name, ("http/*.json",))
    paths = [path for each in kinds for path in sorted(EVENTS.glob(each))]
    if function.name not in _FILES:
        paths = [path for path in paths if f"{camel(path.stem)}Function" == function.name]
    if not paths:
        raise FileNotFoundError(f"events/ has no event for {function.name}: make it in tools/generate.py")
    found: dict[str, dict[str, Any]] = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in paths}
    for event in found.values():
        if event.get("type") == "REQUEST":
            event["headers"] = {**event["headers"], "authorization": f"Bearer {key}"}
    return found
