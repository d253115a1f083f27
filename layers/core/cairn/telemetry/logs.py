"""Write log lines and metrics to standard error as JSON, one document a line, through Powertools for AWS Lambda."""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import Any, Final, TextIO

from aws_lambda_powertools.logging import Logger
from aws_lambda_powertools.logging.formatter import LambdaPowertoolsFormatter
from aws_lambda_powertools.logging.types import LogRecord
from aws_lambda_powertools.metrics.provider.cloudwatch_emf.cloudwatch import AmazonCloudWatchEMFProvider

from cairn.telemetry import record as telemetry
from cairn.telemetry.metrics import Sample, samples

_NAME: Final = "cairn"
_MAY_HOLD_CONTENT: Final = frozenset({"exception", "exception_notes", "stack_trace"})


class LogLines(LambdaPowertoolsFormatter):
    """Formats a log record with the request's id; of an exception only its class, since its text may hold content."""

    def __init__(self) -> None:
        """Write times as RFC 3339 in UTC."""
        super().__init__(utc=True, use_rfc3339=True)  # pyright: ignore[reportUnknownMemberType]

    def serialize(self, log: LogRecord) -> str:
        """Return the line."""
        line: dict[str, Any] = {name: value for name, value in log.items() if name not in _MAY_HOLD_CONTENT}
        call: telemetry.CallRecord | None = line.pop("call", None)
        if call is not None:
            line |= call.line()
        elif (running := telemetry.current()) is not None:
            line["request_id"] = running.request_id
        return super().serialize(line)


class MetricLines(logging.Formatter):
    """Writes the metrics of a call in CloudWatch's embedded metric format."""

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
    """Return few documents with all samples: those whose dimensions agree share one, in which each has its directive.

    A document has one value per dimension and metric; CloudWatch takes at most 100 metrics in one.
    """
    shared: list[dict[str, Any]] = []
    for document in _separate(given, emf):
        other = next((each for each in shared if _agree(each, document)), None)
        if other is None:
            shared.append(document)
        else:
            other["_aws"]["CloudWatchMetrics"] += document["_aws"]["CloudWatchMetrics"]
            other.update(document | {"_aws": other["_aws"]})
    return shared


def _agree(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    return all(other.get(name, value) == value for name, value in one.items() if name != "_aws")


def _separate(given: Iterable[Sample], emf: AmazonCloudWatchEMFProvider) -> Iterator[dict[str, Any]]:
    for labels, group in groupby(given, key=lambda each: each.labels):
        values = {each.metric.name: {"Unit": each.metric.unit, "Value": [each.value]} for each in group}
        yield dict(emf.serialize_metric_set(metrics=values, dimensions=dict(labels)))  # pyright: ignore[reportUnknownMemberType]


def configure(metrics: str | None = None) -> None:
    """Send this package's log lines to standard error, once, and its metrics too where their namespace is given.

    Standard output may be a protocol's. Lambda takes lines from both. A line that cannot be written fails no call:
    `logging` sees to that.
    """
    logger = logging.getLogger(_NAME)
    if logger.handlers:
        return
    Logger(service=_NAME, level="INFO", stream=sys.stderr, logger_formatter=LogLines())
    logger.propagate = False
    if metrics:
        logger.addHandler(metric_handler(metrics, sys.stderr))


def metric_handler(namespace: str, stream: TextIO) -> logging.Handler:
    """Return what writes the metrics of calls and jobs that move any, and nothing else, to the stream."""
    handler = logging.StreamHandler(stream)
    handler.setFormatter(MetricLines(namespace))
    handler.addFilter(_moves_a_metric)
    return handler


def _moves_a_metric(record: logging.LogRecord) -> bool:
    call: telemetry.CallRecord | None = getattr(record, "call", None)
    return call is not None and next(samples(call), None) is not None
