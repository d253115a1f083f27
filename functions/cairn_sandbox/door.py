"""The Lambda of the sandbox: {tool, arguments, request_id} in, {result} or an error's envelope out.

Only Cairn's own functions may invoke it; they have validated the arguments against the tool's input.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from cairn.edge import problems
from cairn.edge.guard import guarded
from cairn.ground.errors import CairnError, InvalidArgument
from cairn.settings import settings
from cairn_sandbox.pod_health import report

if TYPE_CHECKING:
    from cairn_sandbox.cluster import Cluster

Run = Callable[[Mapping[str, Any]], dict[str, Any]]


def handler(event: dict[str, Any], context: object) -> dict[str, Any]:
    """Answer one request as a Lambda or a process of its own; never raise."""
    from cairn.telemetry import logs  # noqa: PLC0415 - Powertools is loaded by a call, not before

    del context
    logs.configure()
    return answer(event)


def answer(event: Mapping[str, Any]) -> dict[str, Any]:
    """Return the result of the tool that the event names, or the problem that came of it."""
    try:
        with guarded(str(event.get("request_id", ""))) as record:
            name = event.get("tool")
            if not isinstance(name, str) or name not in TOOLS:
                raise InvalidArgument("tool", "is no standard tool")
            record.tool = name
            return {"result": TOOLS[name](event["arguments"])}
    except CairnError as error:
        return problems.envelope(error)


def _pod_health(arguments: Mapping[str, Any]) -> dict[str, Any]:
    return report.pod_health(arguments, _configured_cluster)


def _configured_cluster() -> Cluster:
    from cairn_sandbox.clusters import cluster_of  # noqa: PLC0415 - pods that are given need no HTTP client

    return cluster_of(settings.read(os.environ))


TOOLS: Mapping[str, Run] = {"oc_diagnostic_pod_health": _pod_health}
