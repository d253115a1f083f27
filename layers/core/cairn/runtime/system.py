"""The clock, the entropy and the threads of this process, alike in a Lambda and on one machine."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import AbstractContextManager
from contextvars import copy_context
from datetime import UTC, datetime
from types import TracebackType


class SystemClock:
    """The time of the machine."""

    def now(self) -> datetime:
        """Return the time in UTC, aware."""
        return datetime.now(UTC)

    def sleep(self, seconds: float) -> None:
        """Wait."""
        time.sleep(seconds)


class SystemEntropy:
    """The random bytes of the operating system, drawn anew at each call, so that no snapshot repeats them."""

    def token(self, size: int) -> bytes:
        """Return `size` random bytes."""
        return secrets.token_bytes(size)


class ThreadedParallel:
    """Runs the calls at once on threads that are kept; a call must not itself use the same instance.

    Each call sees the caller's context: what it logs carries the request's id, what it counts is the request's.
    """

    def __init__(self, workers: int) -> None:
        """Allow this many calls at once; threads start when first needed."""
        self._executor = ThreadPoolExecutor(workers, thread_name_prefix="parallel")

    def __call__(self, calls: Sequence[Callable[[], object]]) -> list[object]:
        """Return the results in the order of the calls, or raise the first error once all have ended."""
        futures = [self._executor.submit(copy_context().run, call) for call in calls]
        wait(futures)
        return [future.result() for future in futures]

    def close(self) -> None:
        """Let running calls end, then end the threads."""
        self._executor.shutdown()


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
