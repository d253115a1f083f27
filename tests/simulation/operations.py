"""The operations of clients beside turns, and how far they know that each was done."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any, Literal, TypeAlias

from cairn.ground.errors import CairnError, Conflict, NotFound, ResourceBusy, Unavailable

Kind: TypeAlias = Literal[
    "remember",
    "forget",
    "recall",
    "value",
    "archive",
    "append",
    "state",
    "document",
    "count",
    "items",
    "taken",
    "cut",
    "cleared",
    "looked",
    "noted",
    "keyed",
    "planned",
    "applied",
    "undone",
    "due",
    "branched",
    "said",
    "merged",
    "dropped",
    "seen",
    "stated",
    "backed up",
    "restored",
    "erased",
    "jarred",
]
REFUSALS: tuple[type[CairnError], ...] = (Conflict, ResourceBusy)
NOT_THERE = (*REFUSALS, NotFound)


@dataclass(eq=False, slots=True)
class Operation:
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
class Operations:
    """Every such call, in the order in which they began."""

    all: list[Operation] = field(default_factory=list[Operation])
    _numbers: count[int] = field(default_factory=lambda: count(1))

    def number(self) -> int:
        """Return a number that no other has: of a moment, or in a text."""
        return next(self._numbers)

    def begin(self, operation: Operation) -> Operation:
        """Note that a call is made."""
        self.all.append(operation)
        return operation

    def make(
        self,
        operation: Operation,
        call: Callable[[], object],
        refusals: tuple[type[CairnError], ...] = REFUSALS,
    ) -> Operation:
        """Make a call once, and note what it answered; one that gets no answer does not end."""
        self.begin(operation)
        try:
            operation.answer = call()
            operation.ok = True
        except refusals as error:
            operation.refused, operation.answer = True, error
        except Unavailable:
            return operation
        operation.ended = self.number()
        return operation

    def of(self, kind: Kind) -> list[Operation]:
        return [operation for operation in self.all if operation.kind == kind]


def last_ones(operations: Sequence[Operation]) -> list[Operation]:
    """Return which of these calls, each of which replaces what the one before it did, may have been the last one.

    A call whose answer is not known may be made at any time; one that was refused is not made.
    """
    made = [operation for operation in operations if not operation.refused]
    newest = max((operation.begun for operation in made if operation.ok), default=0)
    return [operation for operation in made if not operation.ok or newest <= (operation.ended or 0)]
