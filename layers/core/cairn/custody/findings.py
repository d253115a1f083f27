"""What a check of a store finds, and what mends it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

FindingKind: TypeAlias = Literal["key", "record", "blob", "segment", "missing", "counter", "orphan", "chain"]
"""What is wrong: a data key, a stored item, a blob that nothing names, an index of a log, something that should be
there, a count, something that belongs to nothing, the audit log's chain."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A thing that is wrong, where, and what mends it, None where nothing can."""

    kind: FindingKind
    where: str
    problem: str
    mend: Callable[[], None] | None = field(default=None, repr=False, compare=False)
