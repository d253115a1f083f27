"""Run jobs on this machine, with the handler that Lambda runs behind the queue."""

from __future__ import annotations

import secrets
from datetime import timedelta

from cairn.ground.jobs import Job, encoded
from cairn.local.server.doors import Invocation, load
from cairn.services import Services

_MILLISECONDS = 60_000
_WITHIN = timedelta(seconds=30)


def work(job: Job) -> None:
    """Run the job. A failure is logged; the next maintenance finds the work again."""
    message = {"messageId": secrets.token_hex(8), "body": encoded(job)}
    load("cairn_jobs.worker.handler")({"Records": [message]}, Invocation(_MILLISECONDS))


def work_for(services: Services, job: Job) -> None:
    """Run the job of a store that is open beside the process's own; what fails is found again likewise."""
    load("cairn_jobs.worker.work")(services, job, _WITHIN, secrets.token_hex(8))
