"""Try a conditional write again: how long to wait before, and which version comes next."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Final

from cairn.ground.adapters import Adapters

ATTEMPTS: Final = 16
"""How often a call writes that others are faster than, before it gives up."""
RETRY_SECONDS: Final = 0.02
MOST_RETRY_SECONDS: Final = 0.5
_EPOCH: Final = datetime.fromtimestamp(0, UTC)
_MICROSECOND: Final = timedelta(microseconds=1)


def wait(adapters: Adapters, attempt: int) -> None:
    """Wait after an attempt that others were faster than, longer each time and never quite as long as they do."""
    pause = min(RETRY_SECONDS * 2**attempt, MOST_RETRY_SECONDS)
    adapters.clock.sleep(pause * (1 + adapters.entropy.token(1)[0] / 256))


def next_version(now: datetime, before: int) -> int:
    """Return the version of what is written now, later than the one before.

    It tells the time in microseconds, so that none comes again where the record of earlier ones is gone.
    """
    return max((now - _EPOCH) // _MICROSECOND, before + 1)
