"""Define the metrics: name, unit, dimensions and meaning of each, and which of them a call changes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from cairn.ground.errors import InternalError, Unavailable
from cairn.telemetry.record import CallRecord

Unit: TypeAlias = Literal["Count", "Milliseconds", "Seconds"]


@dataclass(frozen=True, slots=True)
class Metric:
    """One metric; none of its dimensions takes more than a few dozen values."""

    name: str
    unit: Unit
    dimensions: tuple[str, ...]
    meaning: str

    def sample(self, value: float, *labels: str) -> Sample:
        """Return a value under one label for each dimension."""
        return Sample(self, value, dict(zip(self.dimensions, labels, strict=True)))


@dataclass(frozen=True, slots=True)
class Sample:
    """A value of a metric under the labels of its dimensions."""

    metric: Metric
    value: float
    labels: Mapping[str, str]


BEFORE_TURN: Final = Metric(
    "mcp_memory_before_turn_total", "Count", ("status",), "Calls of memory_before_turn, by how they ended."
)
AFTER_TURN: Final = Metric(
    "mcp_memory_after_turn_total", "Count", ("status",), "Calls of memory_after_turn, by how they ended."
)
AFTER_TURN_DURATION: Final = Metric(
    "mcp_memory_after_turn_duration_ms", "Milliseconds", (), "How long a call of memory_after_turn took."
)
MAINTENANCE: Final = Metric(
    "mcp_memory_maintenance_total", "Count", ("status",), "Runs of a session's maintenance, called or scheduled."
)
COMPACTION: Final = Metric(
    "mcp_memory_compaction_total", "Count", (), "Compact summaries stored, by before_turn and by maintenance."
)
FACT_WRITE: Final = Metric("mcp_memory_fact_write_total", "Count", ("tier",), "Facts written, by tier: L0, L1, L2.")
IDEMPOTENCY_CONFLICTS: Final = Metric(
    "mcp_memory_idempotency_conflicts_total",
    "Count",
    (),
    "A turn_id came again: it was committed, was being committed, or had another payload.",
)
REQUESTS: Final = Metric(
    "memory_tool_requests_total",
    "Count",
    ("tool_name", "namespace", "status"),
    "Calls of a tool through any door; the namespace is the tool's family.",
)
SUCCESS: Final = Metric(
    "memory_tool_success",
    "Count",
    (),
    "1 for a call that succeeded, 0 for one that ended in a failure of Cairn; its average is the success rate.",
)
LATENCY: Final = Metric(
    "memory_tool_latency_seconds",
    "Seconds",
    ("tool_name",),
    "How long a call took. CloudWatch keeps the distribution: ask it for p50, p95, p99 or any other quantile.",
)
DENIES: Final = Metric(
    "memory_tool_permission_denies_total",
    "Count",
    ("tool_name", "reason"),
    "Calls that were not allowed: `authorization` (no authorizer spoke for them), `scope`, `project`, "
    "`user`, `session`, `policy` or `read_only`.",
)
REDACTIONS: Final = Metric(
    "memory_tool_pii_redactions_total",
    "Count",
    ("tool_name",),
    "Findings of personal data and secrets that a tool masked, or refused to store.",
)

ANOMALIES: Final = Metric(
    "memory_access_anomalies_total",
    "Count",
    (),
    "Accesses by someone who made over 10 in a minute to over 5 namespaces, as one process saw it; and "
    "calls denied since the stored policy is older than one that was in force.",
)
UNRECORDED: Final = Metric(
    "memory_audit_failures_total",
    "Count",
    (),
    "Calls whose audit record could not be written: one that writes gave no answer, one that reads was answered and is"
    " recorded beside a later call.",
)
DAMAGE: Final = Metric(
    "memory_damage_total",
    "Count",
    (),
    "Stored records that calls and jobs found damaged, and went round where they could; `cairn check` finds them all.",
)
RECALLS: Final = Metric(
    "memory_recall_total",
    "Count",
    ("by",),
    "Questions put to memory, by what their answers went by: `hybrid` (words and meaning), `text` or `semantic`.",
)
WITHOUT_VECTOR: Final = Metric(
    "memory_recall_without_vector_total",
    "Count",
    (),
    "Texts, memories and facts that questions were put to and that had no vector yet: words alone could find them.",
)
READ_UNITS: Final = Metric(
    "memory_table_read_units_total",
    "Count",
    (),
    "DynamoDB's read units that calls and jobs used of tenants' own items; on one machine what they would be.",
)
WRITE_UNITS: Final = Metric(
    "memory_table_write_units_total",
    "Count",
    (),
    "Its write units, those of the index among them; on one machine what they would be.",
)
BLOB_REQUESTS: Final = Metric(
    "memory_blob_requests_total",
    "Count",
    (),
    "Requests to S3 that calls and jobs made: reads, writes and deletes; on one machine what they would be.",
)
BUDGET_WARNINGS: Final = Metric(
    "memory_budget_warnings_total",
    "Count",
    (),
    "How often a tenant's month was added up and found to have cost `budget.warning_share` of its budget or more.",
)
ENRICHMENT: Final = Metric(
    "memory_enrichment_total",
    "Count",
    ("reason",),
    "Calls of standard tools, by what came of looking for what they may be told; none where enrichment is off.",
)
ENRICHMENT_LATENCY: Final = Metric(
    "memory_enrichment_latency_ms", "Milliseconds", (), "How long a look-up of a tool that is told something took."
)
ENRICHMENT_ERRORS: Final = Metric(
    "memory_enrichment_errors", "Count", (), "1 for a look-up that failed, 0 for any other; its average is the share."
)
ENRICHMENT_TIMEOUTS: Final = Metric(
    "memory_enrichment_timeouts", "Count", (), "1 for a look-up that took too long, 0 for any other."
)

METRICS: Final = (
    BEFORE_TURN,
    AFTER_TURN,
    AFTER_TURN_DURATION,
    MAINTENANCE,
    COMPACTION,
    FACT_WRITE,
    IDEMPOTENCY_CONFLICTS,
    REQUESTS,
    SUCCESS,
    LATENCY,
    DENIES,
    REDACTIONS,
    ANOMALIES,
    UNRECORDED,
    RECALLS,
    WITHOUT_VECTOR,
    DAMAGE,
    READ_UNITS,
    WRITE_UNITS,
    BLOB_REQUESTS,
    BUDGET_WARNINGS,
    ENRICHMENT,
    ENRICHMENT_LATENCY,
    ENRICHMENT_ERRORS,
    ENRICHMENT_TIMEOUTS,
)
OK: Final = "OK"
FAILURES: Final = (InternalError.code, Unavailable.code)
"""Whose calls count against the success rate: what callers did wrong counts neither way."""
_CALLS_OF: Final = {
    "memory_before_turn": BEFORE_TURN,
    "memory_after_turn": AFTER_TURN,
    "memory_run_maintenance": MAINTENANCE,
    "maintain_session": MAINTENANCE,
}


def samples(record: CallRecord) -> Iterator[Sample]:
    """Yield what a call or a job adds to the metrics; nothing for one that reached no tool."""
    if record.tool is not None:
        yield from _of_call(record, record.tool)
        yield from _of_enrichment(record)
        yield from _counted(record, record.tool)


def _of_call(record: CallRecord, tool: str) -> Iterator[Sample]:
    if record.namespace is not None:
        yield REQUESTS.sample(1, tool, record.namespace, record.status)
        if record.status in (OK, *FAILURES):
            yield SUCCESS.sample(float(record.status == OK))
        yield LATENCY.sample(record.latency_ms / 1000, tool)
    if record.denied:
        yield DENIES.sample(1, tool, record.denied)
    if tool in _CALLS_OF:
        yield _CALLS_OF[tool].sample(1, record.status)
    if tool == "memory_after_turn":
        yield AFTER_TURN_DURATION.sample(record.latency_ms)


def _counted(record: CallRecord, tool: str) -> Iterator[Sample]:
    for by, number in sorted(record.recalls.items()):
        yield RECALLS.sample(number, by)
    for tier, number in sorted(record.facts_written.items()):
        yield FACT_WRITE.sample(number, tier)
    for metric, number, labels in (
        (COMPACTION, record.compactions, ()),
        (IDEMPOTENCY_CONFLICTS, record.turn_conflicts, ()),
        (ANOMALIES, record.access_anomalies, ()),
        (UNRECORDED, record.unrecorded, ()),
        (WITHOUT_VECTOR, record.without_vector, ()),
        (DAMAGE, record.damaged, ()),
        (READ_UNITS, record.read_units, ()),
        (WRITE_UNITS, record.write_units, ()),
        (BLOB_REQUESTS, record.blob_requests, ()),
        (BUDGET_WARNINGS, record.budget_warnings, ()),
        (REDACTIONS, record.redactions, (tool,)),
    ):
        if number:
            yield metric.sample(number, *labels)


def _of_enrichment(record: CallRecord) -> Iterator[Sample]:
    if record.enrichment is None:
        return
    yield ENRICHMENT.sample(1, record.enrichment)
    if record.enrichment != "not-eligible":
        yield ENRICHMENT_LATENCY.sample(record.enrichment_ms)
        yield ENRICHMENT_ERRORS.sample(float(record.enrichment == "error"))
        yield ENRICHMENT_TIMEOUTS.sample(float(record.enrichment == "timeout"))
