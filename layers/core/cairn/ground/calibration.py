"""What is to be known of an embedder's cosines before they are compared."""

from __future__ import annotations

from typing import NamedTuple


class Calibration(NamedTuple):
    """A cosine counts as `shift + scale * cosine`, which brings it to the range that the ranker was fitted on.

    Those of an embedder that knows English alone say less than words do of a question in another language.
    """

    shift: float = 0.0
    scale: float = 1.0
    english_only: bool = False
