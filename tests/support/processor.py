"""The processor's time of a piece of work, on a machine that others use as well."""

import time
from collections.abc import Callable

_RUNS = 3


def seconds_of(work: Callable[[], object]) -> float:
    """Return the processor's time of the fastest of some runs, in seconds.

    Neighbours on a machine take a piece of work's caches and its clock, so that one run alone may take several times
    what the work needs.
    """
    return min(_once(work) for _ in range(_RUNS))


def is_within(work: Callable[[], object], bound: Callable[[], float], at_least: float) -> bool:
    """Tell whether `seconds_of` the work is below a bound, which is never below `at_least`.

    The first run below it decides, since the fastest is no slower; the bound is measured where that much is passed.
    """
    first = _once(work)
    if first < at_least:
        return True
    most = bound()
    return first < most or any(_once(work) < most for _ in range(_RUNS - 1))


def _once(work: Callable[[], object]) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started
