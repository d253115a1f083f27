"""Run jobs on this machine, with the handler that Lambda runs behind the queue."""

from __future__ import annotations

import secrets

from cairn.ground.jobs import Job, encoded
from cairn.local.server.doors import load

_MILLISECONDS = 60_000


class _Context:
    """An invocation that may take a minute."""

    def get_remaining_time_in_millis(self) -> int:
        return _MILLISECONDS


def work(job: Job) -> None:
    """Run the job. A failure is logged; the next maintenance finds the work again."""
    message = {"messageId": secrets.token_hex(8), "body": encoded(job)}
    load("cairn_jobs.worker.handler")({"Records": [message]}, _Context())
