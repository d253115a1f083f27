"""Metrics as lines of JSON beside those of the log, in CloudWatch's embedded metric format."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, TextIO

from aws_lambda_powertools.metrics.provider.cloudwatch_emf.cloudwatch import AmazonCloudWatchEMFProvider

from cairn.telemetry import record as telemetry
from cairn.telemetry.metrics import Sample, samples


class MetricLines(logging.Formatter):
    """The metrics of a call in CloudWatch's embedded metric format."""

    def __init__(self, namespace: str) -> None:
        """Keep the metrics of one deployment apart from another's by their namespace."""
        super().__init__()
        # An empty service: otherwise an environment variable of Powertools could add a dimension.
        self._emf = AmazonCloudWatchEMFProvider(namespace=namespace, service="")

    def format(self, record: logging.LogRecord) -> str:
        """Return one line as a rule; one more for each further tier of facts."""
        call: telemetry.CallRecord = record.__dict__["call"]
        return "\n".join(json.dumps(each, separators=(",", ":")) for each in documents(samples(call), self._emf))


def documents(given: Iterable[Sample], emf: AmazonCloudWatchEMFProvider) -> list[dict[str, Any]]:
    """Return few documents with all samples: those whose dimensions agree share one, those of the same a directive.

    A document has one value per dimension and metric; CloudWatch takes at most 100 metrics in one.
    """
    shared: list[dict[str, Any]] = []
    for document in _separate(given, emf):
        other = next((each for each in shared if _agree(each, document)), None)
        if other is None:
            shared.append(document)
        else:
            _join(other["_aws"]["CloudWatchMetrics"], document["_aws"]["CloudWatchMetrics"])
            other.update(document | {"_aws": other["_aws"]})
    return shared


def _join(directives: list[dict[str, Any]], more: Sequence[dict[str, Any]]) -> None:
    """Add directives: to the one of the same dimensions, where there is one."""
    for each in more:
        same = next((held for held in directives if held["Dimensions"] == each["Dimensions"]), None)
        if same is None:
            directives.append(each)
        else:
            same["Metrics"] += each["Metrics"]


def _agree(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    return all(other.get(name, value) == value for name, value in one.items() if name != "_aws")


def _separate(given: Iterable[Sample], emf: AmazonCloudWatchEMFProvider) -> Iterator[dict[str, Any]]:
    for labels, group in groupby(given, key=lambda each: each.labels):
        values = {each.metric.name: {"Unit": each.metric.unit, "Value": [each.value]} for each in group}
        yield dict(emf.serialize_metric_set(metrics=values, dimensions=dict(labels)))  # pyright: ignore[reportUnknownMemberType]


def metric_handler(namespace: str, stream: TextIO) -> logging.Handler:
    """Return what writes the metrics of calls and jobs that move any, and nothing else, to the stream."""
    handler = logging.StreamHandler(stream)
    handler.setFormatter(MetricLines(namespace))
    handler.addFilter(_moves_a_metric)
    return handler


def _moves_a_metric(record: logging.LogRecord) -> bool:
    call: telemetry.CallRecord | None = getattr(record, "call", None)
    return call is not None and next(samples(call), None) is not None
