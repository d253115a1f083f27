"""Tell from the numbers of a tenant's records which records are gone, sealed or not."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from cairn.calls.chain import Finding

_MOST_NAMED = 1000
"""How many missing records are named of one writer."""


class Numbering:
    """The numbers of the records that are known, of each day and writer."""

    def __init__(self) -> None:
        """Start with none."""
        self._found: dict[tuple[str, str], set[int]] = defaultdict(set)
        self._last: dict[tuple[str, str], int] = defaultdict(int)

    def add(self, day: str, writer: str, number: int, *, genuine: bool = True) -> None:
        """Note a record; one that is not genuine fills its place, and says nothing of records before it."""
        if writer:
            self._found[day, writer].add(number)
            if genuine:
                self.count(day, writer, number)

    def count(self, day: str, writer: str, count: int) -> None:
        """Note how many records a writer stored at least."""
        self._last[day, writer] = max(self._last[day, writer], count)

    def gaps(self) -> Mapping[str, Sequence[Finding]]:
        """Return which records are missing, by their day."""
        found: dict[str, list[Finding]] = defaultdict(list)
        for (day, writer), last in sorted(self._last.items()):
            known = self._found[day, writer]
            if last > len(known):
                absent = (number for number in range(1, last + 1) if number not in known)
                found[day] += _named(day, writer, absent)
        return found


def _named(day: str, writer: str, numbers: Iterable[int]) -> Sequence[Finding]:
    named = (Finding("missing", "record", f"{day}/{writer}#{number}") for number in numbers)
    return [finding for finding, _ in zip(named, range(_MOST_NAMED), strict=False)]
