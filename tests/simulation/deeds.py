"""What clients had done beside turns, and how far they know that it was."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any, Literal, TypeAlias

Kind: TypeAlias = Literal["remember", "forget", "recall", "value", "archive", "append", "state"]


@dataclass(eq=False, slots=True)
class Deed:
    """One call: what it was about and, once it was answered, what it said; `content` is None for what removes."""

    kind: Kind
    about: Any
    begun: int
    content: str | None = None
    expires: bool = False
    ok: bool = False
    refused: bool = False
    answer: Any = None
    ended: int | None = None


@dataclass(slots=True)
class Deeds:
    """Every such call, in the order in which they began."""

    all: list[Deed] = field(default_factory=list[Deed])
    _numbers: count[int] = field(default_factory=lambda: count(1))

    def number(self) -> int:
        """Return a number that no other has: of a moment, or in a text."""
        return next(self._numbers)

    def begin(self, deed: Deed) -> Deed:
        """Note that a call is made."""
        self.all.append(deed)
        return deed

    def of(self, kind: Kind) -> list[Deed]:
        return [deed for deed in self.all if deed.kind == kind]


def last_ones(deeds: Sequence[Deed]) -> list[Deed]:
    """Return which of these calls, each of which replaces what the one before it did, may have been the last one.

    A call whose answer is not known may be made at any time; one that was refused is not made.
    """
    made = [deed for deed in deeds if not deed.refused]
    newest = max((deed.begun for deed in made if deed.ok), default=0)
    return [deed for deed in made if not deed.ok or newest <= (deed.ended or 0)]
