"""Tasks that take turns: each on a thread of its own, only one of them at a time; a seed says who goes next."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from random import Random
from threading import Lock, Thread

HUNG_SECONDS = 120.0
"""How long, by the machine's time, a schedule may take: those that end take a tenth of a second."""


def _taken() -> Lock:
    lock = Lock()
    lock.acquire()
    return lock


@dataclass(eq=False, slots=True)
class _Task:
    """A piece of work; `wake` is when it goes on, its lock is free once it may."""

    wake: datetime
    turn: Lock = field(default_factory=_taken)


class Scheduler:
    """Time that moves only when nobody is ready, and the order in which those who are ready go on."""

    def __init__(self, random: Random, now: datetime) -> None:
        self.now = now
        self._random = random
        self._tasks: list[_Task] = []
        self._threads: list[Thread] = []
        self._current: _Task | None = None
        self._later: list[tuple[datetime, Callable[[], None]]] = []
        self._ended = _taken()

    def add(self, work: Callable[[], None]) -> None:
        """Have this done as a task of its own once `run` is called; it raises nothing."""
        task = _Task(self.now)

        def begin() -> None:
            task.turn.acquire()
            try:
                work()
            finally:
                self._tasks.remove(task)
                self._hand_over()

        self._tasks.append(task)
        self._threads.append(Thread(target=begin, daemon=True))

    def run(self) -> None:
        """Return when every task has ended, and all that was to happen later has happened."""
        for thread in self._threads:
            thread.start()
        self._hand_over()
        if not self._ended.acquire(timeout=HUNG_SECONDS):
            raise RuntimeError("a process waits for a lock that another one holds during a call to the store")
        for thread in self._threads:
            thread.join()
        self._current = None
        while self._later:
            self._advance(min(when for when, _ in self._later))

    def pause(self, seconds: float = 0.0) -> None:
        """Let the current task wait, and others go on; where there are none, let the time go by."""
        until = self.now + timedelta(seconds=seconds)
        task = self._current
        if task is None:
            self._advance(until)
            return
        task.wake = until
        following = self._next()
        if following is not task:
            self._current = following
            following.turn.release()
            task.turn.acquire()

    def later(self, seconds: float, call: Callable[[], None]) -> None:
        """Have something happen after this time, whoever is at it then."""
        self._later.append((self.now + timedelta(seconds=seconds), call))

    def _hand_over(self) -> None:
        if not self._tasks:
            self._ended.release()
            return
        self._current = self._next()
        self._current.turn.release()

    def _next(self) -> _Task:
        ready = [task for task in self._tasks if task.wake <= self.now]
        if not ready:
            self._advance(min(task.wake for task in self._tasks))
            ready = [task for task in self._tasks if task.wake <= self.now]
        return self._random.choice(ready)

    def _advance(self, until: datetime) -> None:
        """Move the time on, and let happen on the way what is due."""
        due = sorted((each for each in self._later if each[0] <= until), key=lambda each: each[0])
        self._later = [each for each in self._later if each[0] > until]
        for when, call in due:
            self.now = max(self.now, when)
            call()
        self.now = max(self.now, until)
