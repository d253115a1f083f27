"""Axes of a picture: where they end, and which round numbers stand at them."""

from __future__ import annotations

import math
from typing import Final

_STEPS: Final = (1, 2, 2.5, 5, 10)


def ticks(most: float, about: int = 4) -> list[float]:
    """Return round numbers from 0 on, some `about` steps, the last of which is not below `most`."""
    if most <= 0:
        return [0.0, 1.0]
    rough = most / about
    power = 10 ** math.floor(math.log10(rough))
    step = next(each * power for each in _STEPS if each * power >= rough * (1 - 1e-9))
    count = math.ceil(most / step - 1e-9)
    return [round(step * number, 10) for number in range(count + 1)]


def shown(number: float) -> str:
    """Return a number at an axis: without a fraction that is none."""
    return f"{number:,.10g}" if number == int(number) else f"{number:g}"
