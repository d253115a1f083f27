"""How well a number tells questions that can be answered from those that cannot."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]


def area(right: Numbers, wrong: Numbers) -> float:
    """Return how likely one of `right` is above one of `wrong`, ties counting half: the area under the ROC curve."""
    ordered = np.sort(wrong)
    below = np.searchsorted(ordered, right, side="left")
    up_to = np.searchsorted(ordered, right, side="right")
    return float((below + up_to).mean() / 2 / len(wrong))


def rejected(right: Numbers, wrong: Numbers, kept: float) -> float:
    """Return the share of `wrong` that is below the number above which this share of `right` is."""
    return float((wrong < np.quantile(right, 1 - kept)).mean())
