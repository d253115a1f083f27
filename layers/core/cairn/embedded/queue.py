"""Run jobs in the background of one process."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

from cairn.ground.jobs import Job


class InProcessJobs:
    """Runs one job at a time on a thread that starts with the first; jobs that wait when the process ends are lost.

    That is harmless: what a job is about stays in the store, where the next run of maintenance finds it.
    """

    def __init__(self, work: Callable[[Job], object]) -> None:
        """Hand each job to `work`, which reports its own failures."""
        self._work = work
        self._executor = ThreadPoolExecutor(1, thread_name_prefix="jobs")

    def send(self, jobs: Sequence[Job]) -> None:
        """Let the jobs be done after those sent before."""
        for job in jobs:
            self._executor.submit(self._work, job)

    def close(self) -> None:
        """Let the running job end and drop those that wait."""
        self._executor.shutdown(cancel_futures=True)
