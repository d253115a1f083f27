"""Call again what failed for a while, with the same arguments, so that what was done after all is not done twice."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Any, Final

from cairn.client.door import Door
from cairn.ground.errors import CairnError, KeyUnusable
from cairn.ground.ports import Clock

_FIRST_SECONDS: Final = 0.1
_LONGEST_SECONDS: Final = 5.0
MOST_SECONDS: Final = 30.0
"""How long calls of one kind are repeated before the last error is the answer."""
MOST_CALLS: Final = 6


class Retries:
    """Repeats calls that fail with an error that says it is retryable."""

    def __init__(self, door: Door, clock: Clock, spread: Callable[[], float] = random.random) -> None:
        """Call at this door and wait by this clock; `spread`, from 0 to 1, keeps many callers from coming at once."""
        self._door = door
        self._clock = clock
        self._spread = spread

    def call(self, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Return the tool's answer, or raise the last error after six calls, or where waiting would take too long.

        A server that says when to come again is believed.
        """
        began = self._clock.now()
        for number in range(MOST_CALLS):
            try:
                return self._door.call(tool, arguments)
            except CairnError as error:
                wait = self._wait(error, number)
                spent = (self._clock.now() - began).total_seconds()
                if wait is None or spent + wait > MOST_SECONDS:
                    raise
            self._clock.sleep(wait)
        raise AssertionError("the last call returns or raises")

    def _wait(self, error: CairnError, number: int) -> float | None:
        """Return after how many seconds to try again, None for not at all."""
        if not error.retryable or isinstance(error, KeyUnusable) or number == MOST_CALLS - 1:
            return None
        asked = error.details.get("retry_after_ms")
        if isinstance(asked, int):
            return asked / 1000
        longest = min(_FIRST_SECONDS * 2**number, _LONGEST_SECONDS)
        return longest * (1 + self._spread()) / 2
