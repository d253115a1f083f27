"""Track when a log's newest entry was made, so that appends are let in only behind all earlier ones."""

from __future__ import annotations

from dataclasses import dataclass

from cairn.ground.attributes import number
from cairn.ground.table import Attributes


@dataclass(frozen=True, slots=True)
class Newest:
    """The time of a log's newest entry, in milliseconds since 1970 UTC."""

    made: int

    @classmethod
    def of(cls, item: Attributes) -> Newest:
        """Return what an item says of its log; CorruptData where it says nothing."""
        return cls(number(item, "newest"))

    def attributes(self) -> dict[str, int]:
        """Return the attributes that say so."""
        return {"newest": self.made}
