"""The clock, the entropy and the threads of this process, the same in a Lambda and on one machine."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager
from contextvars import copy_context
from datetime import UTC, datetime
from functools import partial
from threading import local
from types import TracebackType


class SystemClock:
    """Tells the machine's time."""

    def now(self) -> datetime:
        """Return the time in UTC, aware."""
        return datetime.now(UTC)

    def sleep(self, seconds: float) -> None:
        """Wait."""
        time.sleep(seconds)


class SystemEntropy:
    """Draws random bytes from the operating system at each call, so that no snapshot repeats them."""

    def token(self, size: int) -> bytes:
        """Return `size` random bytes."""
        return secrets.token_bytes(size)


class ThreadedParallel:
    """Runs calls at once on threads that are kept; calls made within them get threads of their own.

    The last call is made on the caller's own thread. Kept threads alone could all be waiting for calls that are
    waiting for a thread. Each call sees the caller's context: what it logs carries the request's id, what it counts is
    the request's.
    """

    def __init__(self, workers: int) -> None:
        """Allow this many calls at once; threads start when first needed."""
        self._workers = workers
        self._within = local()
        self._executor = self._threads()

    def __call__(self, calls: Sequence[Callable[[], object]]) -> list[object]:
        """Return the results in the order of the calls, or raise the first error once all have ended."""
        if not hasattr(self._within, "call"):
            return _results(self._executor, calls)
        with self._threads() as executor:
            return _results(executor, calls)

    def _threads(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(self._workers, "parallel", initializer=setattr, initargs=(self._within, "call", True))

    def close(self) -> None:
        """Let running calls end, then end the threads."""
        self._executor.shutdown()


def _results(executor: Executor, calls: Sequence[Callable[[], object]]) -> list[object]:
    ready = [partial(copy_context().run, call) for call in calls]
    futures = [executor.submit(call) for call in ready[:-1]]
    own, results = _FirstError(), list[object]()
    for call in ready[-1:]:
        with own:
            results.append(call())
    wait(futures)
    results = [*(future.result() for future in futures), *results]
    own.raise_if_any()
    return results


def in_turn(calls: Sequence[Callable[[], object]]) -> list[object]:
    """Run the calls one after another, all of them, then return their results or raise the first error."""
    results: list[object] = []
    first_error = _FirstError()
    for call in calls:
        with first_error:
            results.append(call())
    first_error.raise_if_any()
    return results


class _FirstError(AbstractContextManager["_FirstError"]):
    """Holds back the errors of several blocks and remembers the first."""

    def __init__(self) -> None:
        self._error: Exception | None = None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        if not isinstance(error, Exception):
            return False
        self._error = self._error or error
        return True

    def raise_if_any(self) -> None:
        """Raise the remembered error."""
        if self._error is not None:
            raise self._error
