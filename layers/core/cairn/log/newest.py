"""When the newest entry of a log was made: what lets an append through only behind all that were made before."""

from __future__ import annotations

from dataclasses import dataclass

from cairn.ground.attributes import number
from cairn.ground.table import Attributes


@dataclass(frozen=True, slots=True)
class Newest:
    """The moment at which a log's newest entry was made, in milliseconds since 1970 UTC."""

    made: int

    @classmethod
    def of(cls, item: Attributes) -> Newest:
        """Return what an item says of its log; CorruptData where it says nothing."""
        return cls(number(item, "newest"))

    def attributes(self) -> dict[str, int]:
        """Return the attributes that say so."""
        return {"newest": self.made}
