"""How one embedder's cosines are brought to the range that the ranker was fitted on."""

from __future__ import annotations

from typing import NamedTuple


class Calibration(NamedTuple):
    """A cosine counts as `shift + scale * cosine`."""

    shift: float = 0.0
    scale: float = 1.0
