"""The processor's time of a piece of work, on a machine that others use as well."""

import time
from collections.abc import Callable


def seconds_of(work: Callable[[], object], runs: int = 3) -> float:
    """Return the processor's time of the fastest of some runs, in seconds.

    Neighbours on a machine take a piece of work's caches and its clock, so that one run alone may take several times
    what the work needs.
    """
    return min(_once(work) for _ in range(runs))


def _once(work: Callable[[], object]) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started
