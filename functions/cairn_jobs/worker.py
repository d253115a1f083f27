"""The Lambda behind the queue: Powertools' batch processor hands over each message, which is one job.

A message that is malformed or whose job fails is handed back alone; the queue sends it again, and after some times to
the dead letters.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from cairn import wiring
from cairn.edge.guard import guarded
from cairn.ground.jobs import EmbedLog, IndexLog, Job, MaintainShard, RunTask, SealAudit, decoded
from cairn.services import Services
from cairn.telemetry.record import CallRecord
from cairn.tool.maintenance_runs import maintain_shard

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.batch.types import PartialItemFailureResponse
    from aws_lambda_powertools.utilities.data_classes.sqs_event import SQSRecord

MARGIN = timedelta(seconds=30)
"""Kept of the function's time for the step that is under way when a job's time is up."""


class Invocation(Protocol):
    """The part of Lambda's context object that is read."""

    def get_remaining_time_in_millis(self) -> int:
        """Return how long the function may go on."""
        ...


def _maintain_shard(services: Services, job: MaintainShard, within: timedelta, record: CallRecord) -> None:
    counts = maintain_shard(services, job.shard, within, record.request_id)
    record.counts = {**counts}


def _index_log(services: Services, job: IndexLog, within: timedelta, record: CallRecord) -> None:
    record.name_tenant(job.tenant)
    record.project = services.journal.names.name(job.tenant, job.project)
    record.counts = {"entries": services.indexer.do(job, within).entries}


def _embed_log(services: Services, job: EmbedLog, within: timedelta, record: CallRecord) -> None:
    record.name_tenant(job.tenant)
    record.project = services.journal.names.name(job.tenant, job.project)
    record.counts = {"entries": services.tail_vectors.store(job, within)}


def _seal_audit(services: Services, job: SealAudit, within: timedelta, record: CallRecord) -> None:
    record.name_tenant(job.tenant)
    record.counts = {"records": services.sealer.seal(job.tenant, within)}


def _run_task(services: Services, job: RunTask, within: timedelta, record: CallRecord) -> None:
    """Run a task to its end, however long that takes: tasks are of one machine, where nothing cuts it off."""
    del within
    record.name_tenant(job.tenant)
    record.counts = {**services.tasks.run(job.tenant, job.task_id)}


WORK: Mapping[type[Job], Callable[[Services, Any, timedelta, CallRecord], None]] = {
    MaintainShard: _maintain_shard,
    IndexLog: _index_log,
    EmbedLog: _embed_log,
    SealAudit: _seal_audit,
    RunTask: _run_task,
}


def handler(event: dict[str, Any], context: Invocation) -> PartialItemFailureResponse:
    """Do the event's jobs and return which of its messages are to come again."""
    from aws_lambda_powertools.utilities.batch import BatchProcessor, EventType  # noqa: PLC0415 - Powertools is loaded by a call, not before

    # A processor keeps messages and exceptions, so each event gets a new one. Where every job fails, each message is
    # handed back by its id; by default the processor would fail the whole call instead.
    processor = BatchProcessor(EventType.SQS, raise_on_entire_batch_failure=False)
    with processor(event["Records"], partial(_work, context=context)):
        processor.process()  # pyright: ignore[reportUnknownMemberType] - it returns bare tuples
    return processor.response()


def work(services: Services, job: Job, within: timedelta, request_id: str) -> None:
    """Do a job with these services, which need not be those of the process; a CairnError where it fails."""
    with guarded(request_id) as call:
        call.name_job(job.kind)
        WORK[type(job)](services, job, within, call)


def _work(record: SQSRecord, context: Invocation) -> None:
    """Do a message's job; the processor hands the message back where this raises."""
    with guarded(record.message_id) as call:
        job = decoded(record.body)
        call.name_job(job.kind)
        within = timedelta(milliseconds=context.get_remaining_time_in_millis()) - MARGIN
        WORK[type(job)](wiring.services(), job, within, call)
