"""Lines over amounts that grow tenfold: a point for each amount with its number, and how far most of it reaches."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import svg
from scales import shown, ticks
from svg import MARGIN, WIDTH, Series, Words

_TALL: Final = 230
_LEFT: Final = MARGIN + 34
_RIGHT: Final = WIDTH - MARGIN
_INSIDE: Final = 50
"""In pixels, from an edge to the first and to the last point."""


@dataclass(frozen=True, slots=True)
class Point:
    """A value at an amount, and how high the marks above it reach."""

    amount: float
    value: float
    high: float


@dataclass(frozen=True, slots=True)
class Line:
    """Points of a series, the smallest amount first."""

    name: str
    series: Series
    points: Sequence[Point]


@dataclass(frozen=True, slots=True)
class LineChart:
    """A chart; the amounts stand on a logarithmic axis, the values on one from 0 on."""

    words: Words
    across: str
    upwards: str
    lines: Sequence[Line]

    def drawn(self) -> str:
        """Return the picture."""
        _, top = svg.head(self.words)
        top += 24
        bottom = top + _TALL
        amounts = sorted({point.amount for line in self.lines for point in line.points})
        scale = ticks(max(point.high for line in self.lines for point in line.points))
        frame = _Frame(top, bottom, amounts, scale)
        marks = [
            svg.text((MARGIN, top - 14), self.upwards, "small"),
            *frame.grid(),
            svg.text(((_LEFT + _RIGHT) / 2, bottom + 36), self.across, "small", "middle"),
            *(mark for line in self.lines for mark in frame.line(line)),
        ]
        return svg.picture(self.words, marks, bottom + 42, self._told())

    def _told(self) -> str:
        lines = (
            f"{line.name}: "
            + "; ".join(f"at {each.amount:,} {each.value} to {each.high}" for each in line.points)
            + "."
            for line in self.lines
        )
        return " ".join([self.words.reading, f"{self.upwards} by {self.across}.", *lines])


@dataclass(frozen=True, slots=True)
class _Frame:
    top: float
    bottom: float
    amounts: Sequence[float]
    ticks: Sequence[float]

    def grid(self) -> Iterator[str]:
        for tick in self.ticks:
            y = self._y(tick)
            yield svg.path(((_LEFT, y), (_RIGHT, y)), "grid")
            yield svg.text((_LEFT - 8, y + 4), shown(tick), "small", "end")
        for amount in self.amounts:
            yield svg.text((self._x(amount), self.bottom + 18), shown(amount), "small", "middle")

    def line(self, line: Line) -> Iterator[str]:
        for point in line.points:
            x = self._x(point.amount)
            yield svg.path(((x, self._y(point.value)), (x, self._y(point.high))), f"range {line.series}")
        places = [(self._x(point.amount), self._y(point.value)) for point in line.points]
        yield svg.path(places, f"line {line.series}")
        for place, point in zip(places, line.points, strict=True):
            yield svg.dot(place, line.series)
            yield svg.text((place[0] - 8, place[1] - 8), str(point.value), anchor="end")

    def _x(self, amount: float) -> float:
        first, last = math.log10(self.amounts[0]), math.log10(self.amounts[-1])
        share = (math.log10(amount) - first) / (last - first) if last > first else 0.5
        return _LEFT + _INSIDE + (_RIGHT - _LEFT - 2 * _INSIDE) * share

    def _y(self, value: float) -> float:
        return self.bottom - (self.bottom - self.top) * value / self.ticks[-1]
