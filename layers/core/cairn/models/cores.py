"""How many cores a model may use."""

from __future__ import annotations

import os
import sys

_MEGABYTES_OF_A_CORE = 1769
"""What buys a function the time of one core, says AWS' guide to Lambda; it sees two, however little it has."""


def cores() -> int:
    """Return how many cores' time this process has: in Lambda what its memory buys, elsewhere where it may run."""
    megabytes = os.environ.get("AWS_LAMBDA_FUNCTION_MEMORY_SIZE")
    if megabytes is not None:
        return max(1, int(megabytes) // _MEGABYTES_OF_A_CORE)
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
