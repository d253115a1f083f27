"""An agent that calls tools over MCP with an API key, through the functions that a deployment has for that."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from cfnlint.decode import cfn_yaml

from cairn import wiring
from cairn.access.api_keys import Grant
from cairn.telemetry import logs
from cairn.telemetry.metric_lines import metric_handler
from cairn_auth import authorizer
from cairn_mcp import door
from prices import Use, together
from processes import TENANT, Cost, Deployment, Process

ROUND_TRIP_MS = 10.0
"""Assumed: how long a call of DynamoDB, S3 or KMS takes, the SDK's work included."""
INIT_SECONDS = 1.0
"""Assumed: how long a function takes to start."""
FULL_CORE_MB = 1769
"""With so much memory a function has a whole core, with less its share."""
AUTHORIZER, MCP, WORKER = "AuthorizerFunction", "McpFunction", "WorkerFunction"
_TEMPLATE = Path(__file__).parents[1] / "template.yaml"
_PROTOCOL = "2026-07-28"


@dataclass(frozen=True, slots=True)
class Called:
    """A tool's answer, what the call's two functions took, the bytes that they logged and the metrics that moved."""

    answer: Mapping[str, Any]
    authorizer: Cost
    function: Cost
    log_bytes: int
    metrics: frozenset[str]

    def use(self) -> Use:
        """Return what is paid for: gateway, functions, what they asked of AWS, their logs."""
        return together(
            {"http_api": 1, "log_gb": self.log_bytes / 1e9},
            invocation(AUTHORIZER, self.authorizer),
            invocation(MCP, self.function),
        )


class Agent:
    """Calls tools of one process with its own API key."""

    def __init__(self, deployment: Deployment, process: Process) -> None:
        """Make the key."""
        self._process = process
        self._key = deployment.plain.credentials.create(TENANT, Grant()).text

    def call(self, tool: str, arguments: Mapping[str, Any]) -> Called:
        """Return what the tool answers and what that took."""
        event, answers = _event(self._key, tool, arguments), list[Mapping[str, Any]]()
        wiring.provide(self._process.services)
        try:
            with _logged() as lines:
                admitted = self._process.taken(lambda: _admit(event))
                answered = self._process.taken(lambda: answers.append(_answer(event)))
        finally:
            wiring.provide(None)
        logged = lines.getvalue()
        size = len(logged.encode())
        return Called(answers[0], admitted, answered, size, frozenset(_metrics(logged)))


def invocation(function: str, cost: Cost, *, starts: bool = False) -> Use:
    """Return what one invocation uses: its time is its work on its share of a core and what it waits for."""
    memory = memory_mb(function)
    seconds = cost.seconds * max(1, FULL_CORE_MB / memory) + cost.rounds * ROUND_TRIP_MS / 1000
    billed = seconds + (INIT_SECONDS if starts else 0)
    return together({"lambda_request": 1, "lambda_gb_second": billed * memory / 1024}, asked(cost))


def asked(cost: Cost) -> Use:
    """Return what a cost uses of the services behind the functions."""
    return {
        "dynamodb_write": cost.write_units,
        "dynamodb_read": cost.read_units,
        "s3_put": cost.counts["blob_put"],
        "s3_get": cost.counts["blob_get"],
        "kms_request": cost.calls("KMS"),
        "sqs_request": cost.calls("SQS"),
    }


def memory_mb(function: str) -> int:
    """Return the memory that the template gives a function."""
    return int(_resources[function]["Properties"].get("MemorySize", _template["Globals"]["Function"]["MemorySize"]))


def resources(kind: str) -> int:
    """Return how many resources of a kind a stack has whose parameters are the defaults."""
    return sum(each["Type"] == kind and "Condition" not in each for each in _resources.values())


def _event(key: str, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    meta = {
        "io.modelcontextprotocol/protocolVersion": _PROTOCOL,
        "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    params = {"name": tool, "arguments": arguments, "_meta": meta}
    return {
        "version": "2.0",
        "rawPath": "/mcp",
        "headers": {
            "accept": "application/json, text/event-stream",
            "authorization": f"Bearer {key}",
            "content-type": "application/json",
            "mcp-method": "tools/call",
            "mcp-name": tool,
            "mcp-protocol-version": _PROTOCOL,
        },
        "requestContext": {"http": {"method": "POST", "path": "/mcp"}, "requestId": "bench-request"},
        "body": json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}),
        "isBase64Encoded": False,
    }


def _admit(event: dict[str, Any]) -> None:
    event["requestContext"]["authorizer"] = {"lambda": authorizer.handler(event, None)["context"]}


def _answer(event: dict[str, Any]) -> Mapping[str, Any]:
    answer = json.loads(door.handler(event, None)["body"])
    if answer.get("result", {}).get("isError", False) or "error" in answer:
        raise RuntimeError(f"the call failed: {answer}")
    return answer["result"]["structuredContent"]


def _metrics(logged: str) -> Iterator[str]:
    """Yield each metric with its labels, as CloudWatch tells them apart and charges for them."""
    for line in map(json.loads, logged.splitlines()):
        for directive in line.get("_aws", {}).get("CloudWatchMetrics", ()):
            labels = [f"{name}={line[name]}" for name in directive["Dimensions"][0]]
            yield from (" ".join([metric["Name"], *labels]) for metric in directive["Metrics"])


@contextmanager
def _logged() -> Generator[io.StringIO]:
    """Yield what is logged meanwhile, lines and metrics alike."""
    stream, logger = io.StringIO(), logging.getLogger("cairn")
    lines = logging.StreamHandler(stream)
    lines.setFormatter(logs.LogLines())
    handlers = (lines, metric_handler("Cairn/bench", stream))
    level, propagate = logger.level, logger.propagate
    logger.setLevel(logging.INFO)
    logger.propagate = False
    for handler in handlers:
        logger.addHandler(handler)
    try:
        yield stream
    finally:
        for handler in handlers:
            logger.removeHandler(handler)
        logger.setLevel(level)
        logger.propagate = propagate


_template: Mapping[str, Any] = cast("Any", cfn_yaml).load(str(_TEMPLATE))
_resources: Mapping[str, Any] = _template["Resources"]
