"""The sample events of a deployed function, from events/."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from cairn.tool.tool import OPERATORS, PROGRAMS
from cairn_tools.catalog import CATALOG
from cloudformation import camel
from lambda_runtime import Function

EVENTS = Path(__file__).resolve().parent.parent / "events"
_KEY = "cairn_id_secret"
# Of each function that is no tool's; a tool's is named after it.
_FILES = {
    **{
        f"{camel(shared)}Function": tuple(
            f"http/{tool.name}.json" for tool in CATALOG if tool.function == shared and not tool.own_machine_only
        )
        for shared in (OPERATORS, PROGRAMS)
    },
    "McpFunction": ("mcp/*.json",),
    "HealthFunction": ("http/health.json", "http/runtime_config.json", "http/openapi.json"),
    "AuthorizerFunction": ("authorizer.json",),
    "MetadataFunction": ("http/metadata.json",),
    "ScheduleFunction": ("jobs/schedule.json",),
    "WorkerFunction": ("jobs/index_log.json", "jobs/maintain_shard.json", "jobs/seal_audit.json"),
    "SandboxFunction": ("sandbox/*.json",),
}


def samples(function: Function, key: str) -> dict[str, dict[str, Any]]:
    """Return each sample event of the function under its file's name; authorizer and console are shown this API key.

    FileNotFoundError where there is none: a new function comes with an event.
    """
    kinds = _FILES.get(function.name, ("http/*.json",))
    paths = [path for each in kinds for path in sorted(EVENTS.glob(each))]
    if function.name not in _FILES:
        paths = [path for path in paths if f"{camel(path.stem)}Function" == function.name]
    if not paths:
        raise FileNotFoundError(f"events/ has no event for {function.name}: make it in tools/generate.py")
    return {path.stem: json.loads(path.read_text(encoding="utf-8").replace(_KEY, key)) for path in paths}
