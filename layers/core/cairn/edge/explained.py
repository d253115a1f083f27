"""The explanation of a recalled item, as tools answer it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Final, TypeAlias

from pydantic import BaseModel, Field

from cairn.ground.explanation import Explanation

DIGITS: Final = 4
"""The decimals of a score as an answer shows it."""


def is_absent(value: object) -> bool:
    """Tell whether a field of an answer is to be left out."""
    return value is None


Receipt: TypeAlias = Annotated[
    str | None, Field(description="Asks an operator why this was answered.", exclude_if=is_absent)
]
"""The receipt of an answer from memory; what runs tools fills it in, where one could be kept."""


class Explained(BaseModel):
    """Why something was recalled."""

    rank: Annotated[int, Field(description="Its place among all that match.")]
    signals: Annotated[dict[str, float], Field(description="What each signal adds to its score.")]
    rank_without: Annotated[dict[str, int], Field(description="Its place without that signal.")]
    features: Annotated[dict[str, float], Field(description="The signals in detail, the weightiest first.")]

    @classmethod
    def of(cls, why: Explanation) -> Explained:
        """Return the explanation in numbers that can be read."""
        return cls(
            rank=why.rank,
            signals=_rounded(why.signals),
            rank_without=dict(why.rank_without),
            features={name: value for name, value in _rounded(why.features).items() if value},
        )


def _rounded(values: Mapping[str, float]) -> dict[str, float]:
    return {name: round(value, DIGITS) for name, value in values.items()}
