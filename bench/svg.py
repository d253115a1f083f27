"""Pictures as SVG that stand alone: no font, script or file is fetched, and dark where the reader's page is.

A picture has its own ground, so that it is readable too where page and system disagree on dark. Colours are of Okabe
and Ito's palette, which the colour-blind tell apart, and greys.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Final, Literal, TypeAlias

WIDTH: Final = 760
"""In pixels, of every picture."""
MARGIN: Final = 24
Series: TypeAlias = Literal["cairn", "second", "other"]
"""Whose a mark is: Cairn's, Cairn's by another way, or another's."""
_FONT: Final = 'system-ui,-apple-system,"Segoe UI",Roboto,Helvetica,Arial,sans-serif'
_LIGHT: Final = {
    "ground": "#ffffff",
    "edge": "#d0d7de",
    "ink": "#1f2328",
    "faint": "#59636e",
    "grid": "#e1e5ea",
    "cairn": "#0072b2",
    "second": "#d55e00",
    "other": "#8c959f",
}
_DARK: Final = {
    "ground": "#0d1117",
    "edge": "#3d444d",
    "ink": "#f0f6fc",
    "faint": "#9ea7b0",
    "grid": "#272d35",
    "cairn": "#56b4e9",
    "second": "#e69f00",
    "other": "#7d8590",
}
SMALL: Final = 11
_SIZES: Final = {"title": 17, "head": 13, "label": 12.5, "small": SMALL}
_CHARACTER: Final = 0.58
"""Of the size of a font, how wide its characters are on average, in the widest of the fonts."""


@dataclass(frozen=True, slots=True)
class Words:
    """What stands around the marks: a title, how to read them, what each series is, and what a reader has to know."""

    title: str
    reading: str
    legend: Sequence[tuple[Series, str]]
    notes: Sequence[str]


def width_of(words: str, size: float = 12.5) -> float:
    """Return about how wide a text is, in pixels."""
    return len(words) * size * _CHARACTER


def wrapped(words: str, room: float = WIDTH - 2 * MARGIN) -> list[str]:
    """Return a small text in its lines, or more of them where one is wider than `room` pixels."""
    most = max(1, int(room / (SMALL * _CHARACTER)))
    return [line for each in words.splitlines() for line in textwrap.wrap(each, most)]


def text(at: tuple[float, float], words: str, style: str = "label", anchor: str = "start") -> str:
    """Return a text whose line stands at `at`."""
    aligned = "" if anchor == "start" else f' text-anchor="{anchor}"'
    return f'<text x="{_px(at[0])}" y="{_px(at[1])}" class="{style}"{aligned}>{escape(words, quote=False)}</text>'


def bar(at: tuple[float, float], size: tuple[float, float], series: Series) -> str:
    """Return a bar from its upper left corner."""
    return (
        f'<rect x="{_px(at[0])}" y="{_px(at[1])}" width="{_px(size[0])}" height="{_px(size[1])}" rx="1.5" '
        f'class="{series}"/>'
    )


def path(points: Iterable[tuple[float, float]], style: str) -> str:
    """Return a line through points."""
    return f'<path d="M{" L".join(f"{_px(x)} {_px(y)}" for x, y in points)}" class="{style}"/>'


def dot(at: tuple[float, float], series: Series) -> str:
    """Return a dot."""
    return f'<circle cx="{_px(at[0])}" cy="{_px(at[1])}" r="4" class="{series}"/>'


def head(words: Words) -> tuple[list[str], float]:
    """Return title, reading and legend, and the height below which there is room."""
    y = MARGIN + 12.0
    drawn = [text((MARGIN, y), words.title, "title")]
    for line in wrapped(words.reading):
        y += 17
        drawn.append(text((MARGIN, y), line, "small"))
    x, y = float(MARGIN), y + 24 * bool(words.legend)
    for series, name in words.legend:
        drawn += [bar((x, y - 10), (12, 12), series), text((x + 18, y), name)]
        x += 18 + width_of(name) + 26
    return drawn, y + 14


def picture(words: Words, drawn: Iterable[str], height: float, told: str) -> str:
    """Return a whole picture: the marks, which end at `height`, between its words; `told` says them to who hears."""
    above, _ = head(words)
    lines = [line for note in words.notes for line in wrapped(note)]
    below = [text((MARGIN, height + 20 + 16 * number), line, "small") for number, line in enumerate(lines)]
    tall = round(height + 20 + 16 * len(lines) + 4)
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{tall}"',
            f' viewBox="0 0 {WIDTH} {tall}" role="img" aria-labelledby="title told">',
            f'<title id="title">{escape(words.title, quote=False)}</title>',
            f'<desc id="told">{escape(told, quote=False)}</desc>',
            f"<style>{_style()}</style>",
            f'<rect x="0.5" y="0.5" width="{WIDTH - 1}" height="{tall - 1}" rx="8" class="ground"/>',
            *above,
            *drawn,
            *below,
            "</svg>\n",
        ]
    )


def _style() -> str:
    sizes = "".join(f".{name}{{font-size:{size}px}}" for name, size in _SIZES.items())
    return (
        f"text{{font-family:{_FONT}}}{sizes}.title,.head,.strong{{font-weight:600}}.strong{{font-size:12.5px}}"
        "path{fill:none}.grid{stroke-width:1}.range{stroke-width:1.5}.line{stroke-width:2.5}"
        f"{_colours(_LIGHT)}@media(prefers-color-scheme:dark){{{_colours(_DARK)}}}"
    )


def _colours(of: dict[str, str]) -> str:
    series = "".join(
        f".{each}{{fill:{of[each]}}}path.{each}{{fill:none;stroke:{of[each]}}}" for each in ("cairn", "second", "other")
    )
    return (
        f".ground{{fill:{of['ground']};stroke:{of['edge']}}}.title,.head,.label,.strong{{fill:{of['ink']}}}"
        f".small{{fill:{of['faint']}}}.grid{{stroke:{of['grid']}}}.range{{stroke:{of['ink']}}}{series}"
    )


def _px(number: float) -> str:
    return f"{number:.1f}".removesuffix(".0")
