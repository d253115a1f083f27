"""How far a task's run is: told to its record once a second, by which the run also learns that it is over."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import timedelta
from typing import TypeVar

from cairn.custody.task import Task
from cairn.custody.task_records import TaskRecords
from cairn.ground.adapters import Adapters
from cairn.ground.errors import Unavailable

T = TypeVar("T")

EVERY = timedelta(seconds=1)
"""How often progress is stored at most, and how long a run pauses at once."""


class TaskProgress:
    """Is told what a run does; it ends the run where the process ends, or another run has taken the task over."""

    def __init__(self, adapters: Adapters, records: TaskRecords, task: Task) -> None:
        """Have told of nothing yet."""
        self._adapters = adapters
        self._records = records
        self._stored_at = adapters.clock.now()
        self.task = task
        self.was_stopped = False

    def told(self, what: str, done: int, of: int) -> None:
        """Take note of how far the run is; Unavailable where the process ends, ResourceBusy where it is taken over."""
        self.task = replace(self.task, what=what, done=done, of=of)
        self.goes_on()

    def goes_on(self) -> None:
        """Take note that the run goes on; it raises what told() does."""
        if self._adapters.is_ending():
            self.was_stopped = True
            raise Unavailable("The process ends; start the task again in another")
        now = self._adapters.clock.now()
        if abs(now - self._stored_at) >= EVERY:
            self._records.beat(self.task)
            self._stored_at = now

    def each(self, steps: Iterable[T]) -> Iterator[T]:
        """Yield the steps, taking note at each that the run goes on."""
        for step in steps:
            self.goes_on()
            yield step

    def pause(self, length: timedelta) -> None:
        """Wait for so long, in whole seconds."""
        seconds = int(length.total_seconds())
        for waited in range(seconds):
            self.told("seconds of waiting", waited, seconds)
            self._adapters.clock.sleep(EVERY.total_seconds())
