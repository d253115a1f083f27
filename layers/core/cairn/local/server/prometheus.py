"""The metrics of this process as Prometheus reads them, at /metrics: the same that CloudWatch gets in AWS."""

from __future__ import annotations

import logging
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest

from cairn.telemetry.metrics import METRICS, Metric, samples
from cairn.telemetry.record import CallRecord

_BOUNDS: Final = {
    "Seconds": (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10),
    "Milliseconds": (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000),
}


class PrometheusMetrics(logging.Handler):
    """Counts what the log's records of calls say."""

    def __init__(self) -> None:
        """Start at zero, as a new process does."""
        super().__init__(logging.INFO)
        self._registry = CollectorRegistry()
        self._made = {metric.name: self._collector(metric) for metric in METRICS}

    def emit(self, record: logging.LogRecord) -> None:
        """Count a call, if the record is of one."""
        call: CallRecord | None = getattr(record, "call", None)
        for sample in () if call is None else samples(call):
            collector = self._made[sample.metric.name]
            child = collector.labels(**sample.labels) if sample.labels else collector
            if isinstance(child, Histogram):
                child.observe(sample.value)
            else:
                child.inc(sample.value)

    def text(self) -> bytes:
        """Return all metrics in Prometheus' text format."""
        return generate_latest(self._registry)

    def _collector(self, metric: Metric) -> Counter | Histogram:
        if metric.unit in _BOUNDS:
            return Histogram(
                metric.name, metric.meaning, metric.dimensions, buckets=_BOUNDS[metric.unit], registry=self._registry
            )
        return Counter(metric.name, metric.meaning, metric.dimensions, registry=self._registry)
