"""Every metric rises by what its call did, under its documented dimensions and no others."""

from __future__ import annotations

import io
import json
import logging
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NoReturn, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cairn import wiring
from cairn.ground.adapters import Adapters
from cairn.ground.tiers import Tier
from cairn.services import Services
from cairn.telemetry import logs, metric_lines
from cairn.telemetry.metric_lines import MetricLines
from cairn.telemetry.metrics import METRICS, samples
from cairn.telemetry.record import CallRecord, CallTally
from cairn.tool.tool import Tool
from cairn_auth import authorizer
from cairn_health import door as health
from cairn_mcp.door import handler as mcp_handler
from cairn_tools.catalog import CATALOG
from support.services import services_over
from support.telemetry import NAMESPACE, Emitted, extracted
from support.tool import FOR_AGENTS, outcome

BEFORE, AFTER, MAINTENANCE = (
    next(tool for tool in CATALOG if tool.name == f"memory_{name}")
    for name in ("before_turn", "after_turn", "run_maintenance")
)
PERSONAL = "canary-of-a-person"
EventOf = Callable[..., dict[str, Any]]


def test_the_names_are_those_that_were_asked_for() -> None:
    assert {metric.name for metric in METRICS} == {
        "mcp_memory_before_turn_total",
        "mcp_memory_after_turn_total",
        "mcp_memory_after_turn_duration_ms",
        "mcp_memory_maintenance_total",
        "mcp_memory_compaction_total",
        "mcp_memory_fact_write_total",
        "mcp_memory_idempotency_conflicts_total",
        "memory_tool_requests_total",
        "memory_tool_success",
        "memory_tool_latency_seconds",
        "memory_tool_permission_denies_total",
        "memory_tool_pii_redactions_total",
        "memory_access_anomalies_total",
        "memory_audit_failures_total",
        "memory_recall_total",
        "memory_recall_without_vector_total",
        "memory_damage_total",
        "memory_table_read_units_total",
        "memory_table_write_units_total",
        "memory_blob_requests_total",
        "memory_budget_warnings_total",
        "memory_enrichment_total",
        "memory_enrichment_latency_ms",
        "memory_enrichment_errors",
        "memory_enrichment_timeouts",
    }


@pytest.mark.req("R105")
@pytest.mark.req("R106")
@pytest.mark.req("R108")
@pytest.mark.usefixtures("services")
@pytest.mark.parametrize(
    ("tool", "metric"),
    [
        (BEFORE, "mcp_memory_before_turn_total"),
        (AFTER, "mcp_memory_after_turn_total"),
        (MAINTENANCE, "mcp_memory_maintenance_total"),
    ],
    ids=lambda each: getattr(each, "name", each),
)
def test_a_turn_tool_s_calls_are_counted_by_how_they_ended(
    tool: Tool, metric: str, event_of: EventOf, emitted: Emitted
) -> None:
    for body in (tool.example, tool.example, {"project": "../"}, "{"):
        tool.handler(event_of("/", body), None)

    assert emitted.total(metric) == {"OK": 2, "INVALID_ARGUMENT": 2}
    others = {"mcp_memory_before_turn_total", "mcp_memory_after_turn_total", "mcp_memory_maintenance_total"} - {metric}
    assert [emitted.total(other) for other in others] == [{}, {}]


@pytest.mark.req("R173")
@pytest.mark.usefixtures("services")
@pytest.mark.parametrize("tool", FOR_AGENTS, ids=lambda tool: tool.name)
def test_every_tool_s_requests_are_counted_alike_through_both_doors(
    tool: Tool, event_of: EventOf, emitted: Emitted
) -> None:
    for arguments in (dict(tool.example), {"project": "../"}):
        call = {"name": tool.name, "arguments": arguments}
        mcp_handler(event_of("/mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}), None)
        tool.handler(event_of("/", arguments), None)

    prefix = f"{tool.name}/{tool.family}"
    counted = emitted.total("memory_tool_requests_total")
    assert {name: number for name, number in counted.items() if name.startswith(prefix)} == {
        f"{prefix}/{outcome(tool)}": 2,
        f"{prefix}/INVALID_ARGUMENT": 2,
    }


@pytest.mark.req("R112")
def test_the_success_rate_counts_calls_that_succeed_or_fail_and_none_that_are_refused(
    services: Services, adapters: Adapters, event_of: EventOf, emitted: Emitted
) -> None:
    for body in (BEFORE.example, BEFORE.example, {"project": "../"}):
        BEFORE.handler(event_of("/", body), None)
    wiring.provide(services_over(replace(adapters, table=cast("Any", None)), services.settings))
    BEFORE.handler(event_of("/", BEFORE.example), None)

    assert emitted.series("memory_tool_success") == {"": [1, 1, 0]}


@pytest.mark.usefixtures("services")
def test_each_tool_call_of_a_batch_counts_as_its_own(event_of: EventOf, emitted: Emitted) -> None:
    made = [{"name": "no_such_tool"}, {"name": BEFORE.name, "arguments": dict(BEFORE.example)}, {"name": AFTER.name}]
    batch = [{"jsonrpc": "2.0", "id": i, "method": "tools/call", "params": each} for i, each in enumerate(made)]

    mcp_handler(event_of("/mcp", batch), None)

    assert emitted.total("memory_tool_requests_total") == {
        "memory_before_turn/memory/OK": 1,
        "memory_after_turn/memory/INVALID_ARGUMENT": 1,
    }


@pytest.mark.req("R107")
@pytest.mark.req("R174")
@pytest.mark.usefixtures("services")
def test_each_call_s_duration_is_a_value_of_its_own_that_the_log_says_too(
    event_of: EventOf, emitted: Emitted, log: io.StringIO
) -> None:
    for tool in (AFTER, AFTER, BEFORE):
        tool.handler(event_of("/", tool.example), None)

    said = [json.loads(line) for line in log.getvalue().splitlines()]
    logged = [line["latency_ms"] for line in said if line["message"] == "call"]
    assert emitted.series("mcp_memory_after_turn_duration_ms") == {"": logged[:2]}
    seconds = emitted.series("memory_tool_latency_seconds")
    assert seconds["memory_after_turn"] == pytest.approx([each / 1000 for each in logged[:2]])
    assert seconds["memory_before_turn"] == pytest.approx([logged[2] / 1000])
    units = {
        metric["Name"]: metric["Unit"]
        for document in emitted.documents()
        for directive in document["_aws"]["CloudWatchMetrics"]
        for metric in directive["Metrics"]
    }
    assert units["mcp_memory_after_turn_duration_ms"] == "Milliseconds"
    assert units["memory_tool_latency_seconds"] == "Seconds"


@pytest.mark.req("R175")
@pytest.mark.usefixtures("services")
@pytest.mark.parametrize(
    "tool", [tool for tool in FOR_AGENTS if tool.grants and tool.runs is None], ids=lambda tool: tool.name
)
def test_a_denied_call_counts_under_its_reason(tool: Tool, event_of: EventOf, emitted: Emitted) -> None:
    unauthorized, without_scope = event_of("/", tool.example), event_of("/", tool.example)
    del unauthorized["requestContext"]["authorizer"]
    without_scope["requestContext"]["authorizer"]["lambda"]["scopes"] = ""

    for event in (unauthorized, without_scope):
        assert tool.handler(event, None)["statusCode"] == 403
    # One that tells each caller of its own projects is open to a caller of any.
    elsewhere = tool.handler(event_of("/", tool.example, projects="other"), None)["statusCode"]
    assert elsewhere == (200 if tool.of_own_projects else 403)
    tool.handler(event_of("/", tool.example), None)

    reasons = ("authorization", "scope") if tool.of_own_projects else ("authorization", "scope", "project")
    expected = {f"{tool.name}/{reason}": 1.0 for reason in reasons}
    assert emitted.total("memory_tool_permission_denies_total") == expected


@pytest.mark.usefixtures("services")
def test_what_is_no_tool_moves_no_metric(event_of: EventOf, emitted: Emitted) -> None:
    listing = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    assert mcp_handler(event_of("/mcp", listing), None)["statusCode"] == 200
    assert health.handler(event_of("/healthz", ""), None)["statusCode"] == 200
    assert authorizer.handler(event_of("/mcp", ""), None)["context"]["refused"] == "missing"

    assert emitted.documents() == []


TEXT = st.text(max_size=20)
RECORDS = st.builds(
    CallRecord,
    request_id=TEXT,
    tool=st.sampled_from([tool.name for tool in FOR_AGENTS]),
    namespace=st.just("memory"),
    tenant=st.just(PERSONAL),
    project=st.just(PERSONAL),
    session_id=st.just(PERSONAL),
    turn_id=st.just(PERSONAL),
    status=st.sampled_from(["OK", "INTERNAL_ERROR", "PERMISSION_DENIED"]),
    denied=st.sampled_from([None, "authorization", "scope", "project"]),
    failure=st.just(PERSONAL),
    compactions=st.integers(0, 3),
    turn_conflicts=st.integers(0, 3),
    facts_written=st.dictionaries(st.sampled_from(list(Tier)), st.integers(1, 200)),
    latency_ms=st.floats(0, 30_000),
)


@pytest.mark.slow
@given(RECORDS)
def test_documents_hold_all_samples_once_and_only_documented_dimensions(record: CallRecord) -> None:
    expected = Counter((each.metric.name, tuple(each.labels.items()), each.value) for each in samples(record))

    lines = MetricLines(NAMESPACE).format(logging.makeLogRecord({"call": record})).splitlines()
    documents = [json.loads(line) for line in lines]

    found = Counter(
        (name, tuple(labels.items()), value)
        for document in documents
        for labels, name, values in extracted(document)
        for value in values
    )
    assert found == expected
    assert len(documents) <= max(1, len(record.facts_written))
    for document in documents:
        named = [each["Dimensions"] for each in document["_aws"]["CloudWatchMetrics"]]
        assert all(named.count(each) == 1 for each in named)
    documented = {metric.dimensions for metric in METRICS}
    assert {tuple(name for name, _ in labels) for _, labels, _ in found} <= documented
    assert all(len(document) <= 100 for document in documents)
    assert PERSONAL not in str(lines)


@pytest.mark.usefixtures("services")
def test_a_metric_that_cannot_be_written_fails_no_call(
    event_of: EventOf, emitted: Emitted, log: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> NoReturn:
        raise RuntimeError("no metrics today")

    monkeypatch.setattr(metric_lines, "documents", broken)

    assert AFTER.handler(event_of("/", AFTER.example), None)["statusCode"] == 200
    assert emitted.documents() == []
    assert json.loads(log.getvalue().splitlines()[-1])["status"] == "OK"


def test_what_is_done_outside_a_call_is_counted_nowhere() -> None:
    tally = CallTally()

    tally.compaction()
    tally.turn_conflict()
    tally.facts_written({Tier.L0: 1})


@pytest.mark.usefixtures("services")
@pytest.mark.parametrize(("namespace", "lines"), [(None, 3), (NAMESPACE, 4)])
def test_metrics_go_to_standard_error_where_a_namespace_is_given(
    namespace: str | None, lines: int, event_of: EventOf, capsys: pytest.CaptureFixture[str]
) -> None:
    logging.getLogger("cairn").handlers = []
    logs.configure(namespace)

    BEFORE.handler(event_of("/", BEFORE.example), None)

    output = capsys.readouterr()
    documents = [json.loads(line) for line in output.err.splitlines()]
    assert output.out == ""
    assert len(documents) == lines
    assert ["_aws" in document for document in documents] == [False, False, False, True][:lines]
