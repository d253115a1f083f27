"""What a process has logged, and its metrics as CloudWatch would extract them."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Mapping
from typing import Any

from cairn_tools.catalog import CATALOG

BEFORE, AFTER, MAINTENANCE = (
    next(tool for tool in CATALOG if tool.name == f"memory_{name}")
    for name in ("before_turn", "after_turn", "run_maintenance")
)
NAMESPACE = "Cairn/test"


def lines(log: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in log.getvalue().splitlines()]


def calls(log: io.StringIO) -> list[dict[str, Any]]:
    return [line for line in lines(log) if line["message"] == "call"]


class Emitted:
    """The metrics written so far, as CloudWatch would read them."""

    def __init__(self, stream: io.StringIO) -> None:
        self._stream = stream

    def documents(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self._stream.getvalue().splitlines()]

    def series(self, name: str) -> dict[str, list[float]]:
        """Return the values of a metric by the labels of its series, which are joined with slashes."""
        found: dict[str, list[float]] = {}
        for labels, metric, values in (each for document in self.documents() for each in extracted(document)):
            if metric == name:
                found.setdefault("/".join(labels.values()), []).extend(values)
        return found

    def total(self, name: str) -> dict[str, float]:
        return {labels: sum(values) for labels, values in self.series(name).items()}


def extracted(document: Mapping[str, Any]) -> Iterator[tuple[dict[str, str], str, list[float]]]:
    """Yield what CloudWatch takes from a document: labels, metric, values, for each set of dimensions."""
    for directive in document["_aws"]["CloudWatchMetrics"]:
        assert directive["Namespace"] == NAMESPACE
        for dimensions in directive["Dimensions"]:
            for metric in directive["Metrics"]:
                yield {name: document[name] for name in dimensions}, metric["Name"], document[metric["Name"]]


def said(turn_id: str, *texts: str) -> dict[str, Any]:
    items = [{"type": "message", "role": "user", "content": text} for text in texts]
    return {**AFTER.example, "turn_id": turn_id, "input_items": items}
