"""Horizontal bars with their numbers beside them: panels of rows, each row with bars in one column or several.

A column has a scale of its own, from 0 on.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Final

import svg
from scales import shown, ticks
from svg import MARGIN, WIDTH, Series, Words, width_of

_BETWEEN_COLUMNS: Final = 26
_BETWEEN_BARS: Final = 2
_BETWEEN_PANELS: Final = 20
_LINE: Final = 14
_LEAST: Final = 20
"""In pixels, of a scale."""
_BESIDE: Final = 6
"""In pixels, between a bar and its text."""
_NARROW: Final = 250
"""In pixels: a column below has fewer ticks."""


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar: its value, None where nothing was measured, the text beside it, whose it is, and its interval."""

    value: float | None
    text: str
    series: Series
    interval: tuple[float, float] | None = None

    @property
    def end(self) -> float:
        """Return how far its marks reach."""
        return max(self.value or 0, *(self.interval or (0,)))


@dataclass(frozen=True, slots=True)
class Row:
    """A row: its name, what is said of it in small, and for each column its bars."""

    name: str
    columns: Sequence[Sequence[Bar]]
    small: str = ""


@dataclass(frozen=True, slots=True)
class Panel:
    """Rows under a heading."""

    heading: str
    rows: Sequence[Row]


@dataclass(frozen=True, slots=True)
class Column:
    """What the bars of a column measure, and which way is better; `most` is where its axis ends, if that is known."""

    heading: str
    better: str
    most: float | None = None


@dataclass(frozen=True, slots=True)
class Look:
    """How thick bars are, how far rows stand apart, and how wide the names are, in pixels."""

    thick: float = 13
    apart: float = 9
    names: float = 190


@dataclass(frozen=True, slots=True)
class BarChart:
    """A chart."""

    words: Words
    columns: Sequence[Column]
    panels: Sequence[Panel]
    look: Look = Look()

    def drawn(self) -> str:
        """Return the picture."""
        _, y = svg.head(self.words)
        marks: list[str] = []
        places = self._places()
        if any(each.heading for each in self.columns):
            y += 12
            marks += (mark for place in places for mark in place.headings(y))
            y += 8 + _LINE * max(len(place.better) for place in places)
        for panel in self.panels:
            if panel.heading:
                y += _BETWEEN_PANELS
                marks.append(svg.text((MARGIN, y), panel.heading, "strong"))
                y += 8
            rows = self._rows(panel, y)
            bottom = rows[-1][1] + self._tall(panel.rows[-1])
            for at, place in enumerate(places):
                marks += place.axis(y, bottom + 4)
                marks += (mark for row, top in rows for mark in place.bars(row.columns[at], top, self.look.thick))
            marks += (mark for row, top in rows for mark in self._name(row, top))
            y = bottom + 20
        return svg.picture(self.words, marks, y, self._told())

    def _places(self) -> list[_Place]:
        left = MARGIN + self.look.names
        count = len(self.columns)
        room = (WIDTH - MARGIN - left - _BETWEEN_COLUMNS * (count - 1)) / count
        starts = (left + at * (room + _BETWEEN_COLUMNS) for at in range(count))
        places = [
            _place(column, start, room, list(self._bars(at)))
            for at, (column, start) in enumerate(zip(self.columns, starts, strict=True))
        ]
        # Columns with one scale are as wide, so that a reader may compare across them.
        return [replace(place, wide=min(each.wide for each in places if each.ticks == place.ticks)) for place in places]

    def _bars(self, at: int) -> Iterator[Bar]:
        return (bar for panel in self.panels for row in panel.rows for bar in row.columns[at])

    def _rows(self, panel: Panel, y: float) -> list[tuple[Row, float]]:
        """Return each row with its upper edge."""
        steps = (self._tall(row) + self.look.apart for row in panel.rows[:-1])
        return list(zip(panel.rows, accumulate(steps, initial=y + 4), strict=True))

    def _tall(self, row: Row) -> float:
        count = max(map(len, row.columns))
        return count * self.look.thick + (count - 1) * _BETWEEN_BARS

    def _name(self, row: Row, top: float) -> Iterator[str]:
        middle = top + self._tall(row) / 2 + 4.5
        yield svg.text((MARGIN, middle - 6 * bool(row.small)), row.name)
        if row.small:
            yield svg.text((MARGIN, middle + 7), row.small, "small")

    def _told(self) -> str:
        """Return all numbers in words."""
        return " ".join([self.words.reading, *(f"{each}." for panel in self.panels for each in self._lines(panel))])

    def _lines(self, panel: Panel) -> Iterator[str]:
        names = dict(self.words.legend)
        for row in panel.rows:
            told = (
                " ".join(filter(None, (column.heading, names.get(bar.series, "") if len(bars) > 1 else "", bar.text)))
                for column, bars in zip(self.columns, row.columns, strict=True)
                for bar in bars
            )
            yield f"{f'{panel.heading}, ' if panel.heading else ''}{row.name}: {'; '.join(told)}"


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a column stands: its left edge, how wide its scale is and what is in all, and its scale."""

    column: Column
    left: float
    wide: float
    room: float
    ticks: Sequence[float]

    @property
    def better(self) -> list[str]:
        """Return which way is better, in lines."""
        return svg.wrapped(self.column.better, self.room)

    def headings(self, y: float) -> Iterator[str]:
        yield svg.text((self.left, y), self.column.heading, "strong")
        for number, line in enumerate(self.better, 1):
            yield svg.text((self.left, y + number * _LINE), line, "small")

    def axis(self, top: float, bottom: float) -> Iterator[str]:
        for tick in self.ticks:
            x = self._x(tick)
            yield svg.path(((x, top), (x, bottom)), "grid")
            yield svg.text((x, bottom + 13), shown(tick), "small", "middle")

    def bars(self, bars: Sequence[Bar], top: float, thick: float) -> Iterator[str]:
        for number, bar in enumerate(bars):
            y = top + number * (thick + _BETWEEN_BARS)
            if bar.value:
                yield svg.bar((self.left, y), (self._x(bar.value) - self.left, thick), bar.series)
            if bar.interval:
                yield svg.path(((self._x(each), y + thick / 2) for each in bar.interval), "range")
            yield svg.text((self._x(bar.end) + _BESIDE, y + thick / 2 + 4.2), bar.text)

    def _x(self, value: float) -> float:
        return self.left + self.wide * value / self.ticks[-1]


def _place(column: Column, left: float, room: float, bars: Sequence[Bar]) -> _Place:
    """Return a column whose scale is as wide as the texts beside its bars allow."""
    scale = ticks(column.most or max(bar.end for bar in bars), 4 if room > _NARROW else 3)
    wides = ((room - _BESIDE - width_of(bar.text)) * scale[-1] / bar.end for bar in bars if bar.end)
    wide = min(room - width_of(shown(scale[-1]), svg.SMALL) / 2, *wides)
    return _Place(column, left, max(_LEAST, wide), room, scale)
