"""Send jobs to an SQS queue, which invokes the worker."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from cairn.aws.failures import aws_failures
from cairn.ground.errors import Unavailable

if TYPE_CHECKING:
    from mypy_boto3_sqs.type_defs import SendMessageBatchRequestEntryTypeDef

    from cairn.aws.clients import Clients
    from cairn.ground.jobs import Job

_BATCH = 10
"""The most messages of one request; ten jobs are far below its 1 MB."""


class SqsJobs:
    """Sends to one standard queue; the client is created with the first job, since most processes send none."""

    def __init__(self, clients: Clients, queue_url: str | None) -> None:
        """Use the queue with this URL; without one every job is refused."""
        self._clients = clients
        self._queue_url = queue_url

    def send(self, jobs: Sequence[Job]) -> None:
        """Send the jobs in as few requests as hold them; Unavailable if any was not taken, others may have been."""
        for first in range(0, len(jobs), _BATCH):
            self._send_batch(jobs[first : first + _BATCH])

    def _send_batch(self, jobs: Sequence[Job]) -> None:
        from cairn.ground.jobs import encoded  # noqa: PLC0415 - most processes send no jobs

        if self._queue_url is None:
            raise Unavailable("there is no queue for jobs")
        entries: list[SendMessageBatchRequestEntryTypeDef] = [
            {"Id": str(number), "MessageBody": encoded(job), "DelaySeconds": job.delay_seconds}
            for number, job in enumerate(jobs)
        ]
        with aws_failures():
            answer = self._clients.sqs.send_message_batch(QueueUrl=self._queue_url, Entries=entries)
        if refused := answer.get("Failed"):
            raise Unavailable(f"the queue refused {len(refused)} of {len(jobs)} jobs: {refused[0]['Code']}")
