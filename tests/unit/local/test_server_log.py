"""The log of `cairn serve` has one line a call, readable on a terminal; /metrics tells Prometheus the same."""

from __future__ import annotations

import io
import json
import logging
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from cairn.local.server import log_lines, stdio
from cairn.local.server.log_lines import Verbosity
from cairn.local.server.prometheus import PrometheusMetrics
from cairn.telemetry import logs
from cairn.telemetry import record as telemetry
from cairn.telemetry.metrics import METRICS

logger = logging.getLogger("cairn")


@pytest.fixture
def stderr(monkeypatch: pytest.MonkeyPatch) -> Iterator[io.StringIO]:
    """Stand in for standard error, with a logger that nobody has configured."""
    stream, before = io.StringIO(), (logger.handlers[:], logger.propagate, logger.level)
    handler = logging.StreamHandler(stream)
    handler.setFormatter(logs.LogLines())
    logger.handlers[:] = [handler]
    logger.setLevel(logging.INFO)
    # Powertools configures a logger once in a process.
    monkeypatch.setattr(logs, "configure", lambda: None)
    yield stream
    logger.handlers[:], logger.propagate = before[0], before[1]
    logger.setLevel(before[2])


def call(tool: str = "recall", family: str = "memory", status: str = "OK") -> None:
    with telemetry.recorded("request-1") as record:
        record.name_tool(tool, family)
        record.project, record.session_id, record.status = "garden", "monday", status
        record.facts_written["L0"] = 2
        record.ran = True


def make_lines(verbosity: Verbosity) -> None:
    log_lines.configure(verbosity)
    logger.info("tool_call", extra={"event": {"id": "1"}})
    call()
    logger.info("POST /mcp 200")
    logger.warning("the disk is nearly full")


@pytest.mark.parametrize(("verbosity", "messages"), [("quiet", 1), ("calls", 2), ("all", 4)])
def test_there_is_one_line_a_call_or_none_or_all(stderr: io.StringIO, verbosity: Verbosity, messages: int) -> None:
    make_lines(verbosity)

    lines = [json.loads(line) for line in stderr.getvalue().splitlines()]
    assert len(lines) == messages
    assert "the disk is nearly full" in {line["message"] for line in lines}


def test_cairn_stdio_writes_a_line_a_call_too(
    stderr: io.StringIO, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def serve(*_: object) -> None:
        logger.info("tool_call", extra={"event": {"id": "1"}})
        call()

    def door(_name: str) -> object:
        return serve

    monkeypatch.setattr(stdio, "load", door)
    stdio.stdio(tmp_path / "data")

    messages = [json.loads(line)["message"] for line in stderr.getvalue().splitlines()]
    assert messages.count("call") == 1
    assert "tool_call" not in messages


def test_a_terminal_gets_lines_for_people(stderr: io.StringIO, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stderr, "isatty", lambda: True)
    monkeypatch.setattr(sys, "stderr", stderr)
    make_lines("calls")

    first, second = stderr.getvalue().splitlines()
    assert first.split()[1:3] == ["recall", "OK"]
    assert first.endswith(" ms  garden/monday")
    assert second.endswith("warning: the disk is nearly full")


def test_a_job_is_told_of_only_where_it_failed(stderr: io.StringIO) -> None:
    log_lines.configure("calls")
    for status in ("OK", "UNAVAILABLE"):
        with telemetry.recorded("message-1") as record:
            record.name_job("index_log")
            record.status = status

    (line,) = stderr.getvalue().splitlines()
    assert json.loads(line)["status"] == "UNAVAILABLE"


@pytest.mark.usefixtures("stderr")
def test_every_metric_is_told_in_prometheus_own_format() -> None:
    metrics = PrometheusMetrics()
    logger.addHandler(metrics)
    logger.setLevel(logging.INFO)
    for status in ("OK", "OK", "UNAVAILABLE"):
        call(status=status)

    families = {family.name: family for family in text_string_to_metric_families(metrics.text().decode())}

    assert {metric.name.removesuffix("_total") for metric in METRICS} <= set(families)
    asked = {
        sample.labels["status"]: sample.value
        for sample in families["memory_tool_requests"].samples
        if sample.name.endswith("_total")
    }
    assert asked == {"OK": 2, "UNAVAILABLE": 1}
    latency = {sample.name: sample.value for sample in families["memory_tool_latency_seconds"].samples}
    assert latency["memory_tool_latency_seconds_count"] == 3
