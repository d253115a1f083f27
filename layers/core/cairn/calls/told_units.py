"""What calls used, as records of calls tell it: how much of it goes into one, and the sum of many."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from typing import Final, NamedTuple

from cairn.calls.record import END, TAG, UNITS, UNRECORDED
from cairn.ground import codec
from cairn.ground.attributes import text
from cairn.ground.damage import MALFORMED
from cairn.ground.table import REQUEST_MARK_BYTES, WRITE_UNIT_BYTES, Attributes, Key, item_bytes
from cairn.ground.units import Units, read_back

MOST_BYTES: Final = 100
"""How long what a record tells is at most."""
_LEAST_TAG_BYTES: Final = len(TAG) + len("1.") + 32
_MOST_TAG_BYTES: Final = len(TAG) + len("999999.") + 32


def room_of(item: Attributes) -> int:
    """Return how many bytes a record without its tag has for what was used: none that would begin another kilobyte.

    That would be a write unit more. It may be 0 or less.
    """
    size = item_bytes(item)
    kilobytes = -(-(size + _LEAST_TAG_BYTES) // WRITE_UNIT_BYTES)
    left = kilobytes * WRITE_UNIT_BYTES - size - _MOST_TAG_BYTES - REQUEST_MARK_BYTES
    return min(left - len(UNITS), MOST_BYTES)


class Use(NamedTuple):
    """What a tool's calls used: how many are on record, and the units of those that told them."""

    calls: int = 0
    units: Units = Units()

    def plus(self, other: Use) -> Use:
        """Return what both used."""
        return Use(self.calls + other.calls, self.units.plus(other.units))


class Uses:
    """What calls used, by tool, summed up record by record in the order of the log."""

    def __init__(self, by_tool: Mapping[str, Use] | None = None, before: str = "") -> None:
        """Begin with what is known, behind the record at this sort key."""
        self.by_tool = dict(by_tool or {})
        self._call = before.removesuffix(END)

    def add(self, record: Attributes) -> None:
        """Add what a stored record says; one that is damaged says nothing."""
        with suppress(*MALFORMED):
            sk = Key.of(record).sk
            call, self._call = self._call, sk.removesuffix(END)
            told = read_back(text(record, UNITS) if UNITS in record else "")
            self._count(text(record, "tool"), Use(_calls(record, is_same=call == self._call)))
            for tool, units in told.items():
                self._count(tool, Use(0, units))

    def add_all(self, by_tool: Mapping[str, Use]) -> None:
        """Add what was summed up elsewhere."""
        for tool, use in by_tool.items():
            self._count(tool, use)

    def _count(self, tool: str, use: Use) -> None:
        if use.calls or any(use.units):
            self.by_tool[tool] = self.by_tool.get(tool, Use()).plus(use)


def _calls(record: Attributes, *, is_same: bool) -> int:
    """Return how many calls a record stands for: none if it is an operator's command or the end of a call before."""
    if text(record, "outcome") == UNRECORDED:
        return int(json.loads(text(record, "arguments"))["calls"])
    return int(bool(text(record, "request_id")) and not is_same)


def summed_up(by_tool: Mapping[str, Use]) -> str:
    """Return uses as a digest's item has them: canonical JSON of each one's calls and figures."""
    listed = {tool: [use.calls, *use.units.figures()] for tool, use in by_tool.items()}
    return codec.canonical(listed).decode()


def taken_apart(text: str) -> Mapping[str, Use]:
    """Return what summed_up() was given; ValueError, TypeError or AttributeError for another text."""
    listed = json.loads(text)
    return {str(tool): Use(int(calls), Units.of(figures)) for tool, (calls, *figures) in listed.items()}
