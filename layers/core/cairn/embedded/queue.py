"""Run jobs in the background of one process."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Event, Lock

from cairn.ground.ids import Tenant
from cairn.ground.jobs import IndexLog, Job, MaintainShard, RunTask


class InProcessJobs:
    """Runs one job at a time on a thread that starts with the first; jobs that wait when the process ends are lost.

    That is harmless: what a job is about stays in the store, where the next run of maintenance or the next question
    finds it. A log that waits to be indexed waits once. Operators' tasks, which may take long, are run one at a time
    beside the other jobs.
    """

    def __init__(self, work: Callable[[Job], object]) -> None:
        """Hand each job to `work`, which reports its own failures."""
        self._work = work
        self._executor = ThreadPoolExecutor(1, thread_name_prefix="jobs")
        self._tasks = ThreadPoolExecutor(1, thread_name_prefix="tasks")
        self._ending = Event()
        self._counting = Lock()
        self._waiting: Counter[Tenant] = Counter()
        self._to_index: set[IndexLog] = set()

    def waiting(self, tenant: Tenant) -> int:
        """Return how many jobs of a tenant were sent and have not begun, its operators' tasks among them."""
        return self._waiting[tenant]

    def is_ending(self) -> bool:
        """Tell whether this is being closed, so that a task is to stop at its next step."""
        return self._ending.is_set()

    def send(self, jobs: Sequence[Job]) -> None:
        """Let the jobs be done after those sent before."""
        for job in filter(self._takes, jobs):
            self._count(job, 1)
            (self._tasks if isinstance(job, RunTask) else self._executor).submit(self._begin, job)

    def _takes(self, job: Job) -> bool:
        """Tell whether a job has to wait in the queue: not where the same log waits to be indexed already."""
        if not isinstance(job, IndexLog):
            return True
        with self._counting:
            is_new = job not in self._to_index
            self._to_index.add(job)
        return is_new

    def _begin(self, job: Job) -> None:
        self._count(job, -1)
        if isinstance(job, IndexLog):
            with self._counting:
                self._to_index.discard(job)
        self._work(job)

    def _count(self, job: Job, more: int) -> None:
        if isinstance(job, MaintainShard):  # which is of no tenant
            return
        with self._counting:
            self._waiting[job.tenant] += more
            if not self._waiting[job.tenant]:
                del self._waiting[job.tenant]

    def close(self) -> None:
        """Let the running job end, the running task its step, and drop those that wait."""
        self._ending.set()
        self._executor.shutdown(cancel_futures=True)
        self._tasks.shutdown(cancel_futures=True)
