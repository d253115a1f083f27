"""Say what a kind of national id is: its forms, its check, and the words that announce it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from cairn.detection.check_digits import Check
from cairn.detection.personal_labels import spellings


class Kind(NamedTuple):
    """A kind of number, with 9 for a digit and A for a letter in its shapes.

    In an `alone` shape the form and the check say enough. In one of `shapes`, where any separator may stand for the
    hyphen, one of `words` has to stand near.
    """

    name: str
    alone: tuple[str, ...]
    shapes: tuple[str, ...]
    check: Check
    words: frozenset[str]


def kind(name: str, alone: str, shapes: str, check: Check, words: str) -> Kind:
    """Make a kind: bars part its alone shapes and its words, blanks its other shapes; ? is a digit or a letter."""
    told = tuple(full for shape in alone.split("|") for full in _spelled(shape)) if alone else ()
    return Kind(name, told, tuple(shapes.split()), check, frozenset(spellings(words).split("|")))


def _spelled(shape: str) -> Iterator[str]:
    """Yield a shape with a digit and with a letter at each question mark."""
    first, mark, rest = shape.partition("?")
    if not mark:
        yield shape
        return
    for ending in _spelled(rest):
        yield f"{first}9{ending}"
        yield f"{first}A{ending}"


def begins(*heads: str) -> Check:
    """Make a check that a number begins with one of some texts."""
    return lambda text: text.startswith(heads)
