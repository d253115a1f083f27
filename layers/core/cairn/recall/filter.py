"""Narrow a recall: by words or meaning, by type, confidence and time."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, TypeAlias

from cairn.ground.trust import Trust
from cairn.log.memories import Ending, MemoryType, RecalledType

SearchMode: TypeAlias = Literal["hybrid", "text", "semantic"]
"""By words and meaning, by words alone, by meaning alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """Restricts which memories may be recalled, before any limit; `at` is the time whose beliefs are asked for.

    Without one all counts that is on record: whoever kept a memory may have a clock a little ahead. What is trusted
    less than `min_trust` is not recalled.
    """

    at: datetime | None = None
    type: RecalledType | None = None
    min_confidence: float = 0.0
    include_superseded: bool = False
    min_trust: Trust = Trust.OUTSIDE

    def excludes(self, ending: Ending) -> bool:
        """Tell whether what ended so does not count; what something newer replaced may be asked for."""
        replaced = self.include_superseded and ending.replacement_id is not None
        return (self.at is None or ending.at <= self.at) and not replaced

    def covers(self, kind: MemoryType, confidence: float) -> bool:
        """Tell whether a fact of this type and confidence is asked for."""
        return confidence >= self.min_confidence and self.type in {None, kind}
