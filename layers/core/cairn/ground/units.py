"""What calls used of table and blobs, in DynamoDB's capacity units and S3's requests, and how that is written down."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from cairn.ground import codec


class Units(NamedTuple):
    """What some calls used: how many they are, their capacity units and their requests for blobs."""

    calls: int = 0
    read_units: float = 0
    write_units: float = 0
    blob_reads: int = 0
    blob_writes: int = 0
    blob_deletes: int = 0

    def plus(self, other: Units) -> Units:
        """Return what both used."""
        return Units(
            self.calls + other.calls,
            self.read_units + other.read_units,
            self.write_units + other.write_units,
            self.blob_reads + other.blob_reads,
            self.blob_writes + other.blob_writes,
            self.blob_deletes + other.blob_deletes,
        )

    def figures(self) -> list[float]:
        """Return the figures in their order as JSON has them at their shortest, without zeros at the end."""
        figures = [int(each) if each == int(each) else each for each in self]
        while figures and not figures[-1]:
            figures.pop()
        return figures

    @classmethod
    def of(cls, figures: Sequence[float]) -> Units:
        """Return what figures() was called on; ValueError where it was none."""
        calls, reads, writes, *blobs = [*figures, *[0] * (len(cls._fields) - len(figures))]
        gets, puts, deletes = map(int, blobs)
        return cls(int(calls), float(reads), float(writes), gets, puts, deletes)


def written_down(by_tool: Mapping[str, Units]) -> str:
    """Return what was used by tool as it is stored: canonical JSON of each one's figures, empty for none."""
    return codec.canonical({tool: used.figures() for tool, used in by_tool.items()}).decode() if by_tool else ""


def read_back(text: str) -> dict[str, Units]:
    """Return what written_down() was given; ValueError, TypeError or AttributeError for another text."""
    return {str(tool): Units.of(figures) for tool, figures in json.loads(text).items()} if text else {}
