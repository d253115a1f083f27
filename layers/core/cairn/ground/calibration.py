"""Calibrate an embedder's cosines, so that they can be compared with those of the default embedder."""

from __future__ import annotations

from typing import NamedTuple


class Calibration(NamedTuple):
    """Maps a cosine to `shift + scale * cosine`, the range that the ranker was fitted on.

    Those of an embedder that knows English alone say less than words do of a question in another script.
    """

    shift: float = 0.0
    scale: float = 1.0
    english_only: bool = False
