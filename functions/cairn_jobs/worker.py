"""The Lambda behind the queue: each message is one job, guarded on its own.

A message that is malformed or whose job fails is handed back alone; the queue sends it again, and after some times to
the dead letters.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any, Protocol

from cairn import wiring
from cairn.edge.guard import guarded
from cairn.ground.errors import CairnError
from cairn.ground.jobs import IndexLog, Job, MaintainShard, SealAudit, decoded
from cairn.telemetry.record import CallRecord
from cairn.tool.maintenance_runs import maintain_shard

MARGIN = timedelta(seconds=30)
"""Kept of the function's time for the step that is under way when a job's time is up."""


class Invocation(Protocol):
    """What Lambda tells of an invocation."""

    def get_remaining_time_in_millis(self) -> int:
        """Return how long the function may go on."""
        ...


def _maintain_shard(job: MaintainShard, within: timedelta, record: CallRecord) -> None:
    counts = maintain_shard(wiring.services(), job.shard, within, record.request_id)
    record.counts = {**counts}


def _index_log(job: IndexLog, within: timedelta, record: CallRecord) -> None:
    record.name_tenant(job.tenant)
    record.project = job.project
    record.counts = {"entries": wiring.services().indexer.do(job, within).entries}


def _seal_audit(job: SealAudit, within: timedelta, record: CallRecord) -> None:
    record.name_tenant(job.tenant)
    record.counts = {"records": wiring.services().sealer.seal(job.tenant, within)}


WORK: Mapping[type[Job], Callable[[Any, timedelta, CallRecord], None]] = {
    MaintainShard: _maintain_shard,
    IndexLog: _index_log,
    SealAudit: _seal_audit,
}


def handler(event: dict[str, Any], context: Invocation) -> dict[str, Any]:
    """Do the event's jobs and return which of its messages are to come again."""
    failed = [message["messageId"] for message in event["Records"] if not _is_done(message, context)]
    return {"batchItemFailures": [{"itemIdentifier": message_id} for message_id in failed]}


def _is_done(message: Mapping[str, Any], context: Invocation) -> bool:
    try:
        with guarded(message["messageId"]) as record:
            job = decoded(message["body"])
            record.name_job(job.kind)
            within = timedelta(milliseconds=context.get_remaining_time_in_millis()) - MARGIN
            WORK[type(job)](job, within, record)
    except CairnError:
        return False
    return True
