"""Find the numbers by which states know people: by form and check digits, or by the words around them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from cairn.detection.european_ids import EUROPE
from cairn.detection.national_id_kinds import Kind
from cairn.detection.overseas_ids import OVERSEAS
from cairn.detection.personal_labels import WORD
from cairn.detection.rules import Hit, compiled

_FEWEST_DIGITS: Final = 4
# How far from a number a word may stand that tells what the number is.
_BEFORE, _BEHIND = 64, 32
_LONGEST_LABEL: Final = 3
"""In words."""
# Groups of letters and digits, each with a digit, joined by one separator, and perhaps a check letter behind them.
# Letters before the first digit are looked at from there backwards.
_RUN: Final = (
    r"\d(?<![\d_$€£]\d)[^\W_]{0,19}(?:[ ./-][^\W\d_]{0,3}\d[^\W_]{0,19}){0,7}"
    r"(?P<letters>[ -][A-Z]{1,3}(?!\w))?(?![\w@]|[./-]\w)"
)
_GROUP: Final = re.compile(r"[^\W_]+")
# What stands before a number, from right to left: letters of its own, or capitals set off by a space or a hyphen.
_PREFIX: Final = re.compile(r"(?P<own>[A-Za-z]{0,6})(?P<off>[ -](?:[A-Z]{1,4}|[a-z](?=\W|$)))?")
_PART_OF_MORE: Final = re.compile(r"\w|[./+@-]\w|\+")
_SHAPE: Final = {code: "9" if chr(code).isdigit() else "A" for code in range(128) if chr(code).isalnum()}
_ONE_SEPARATOR: Final = str.maketrans(" ./", "---")
_NO_SEPARATORS: Final = str.maketrans("", "", " ./-")


class _Place(NamedTuple):
    text: str
    start: int
    end: int
    is_whole: bool
    """Whether no group of the run was left out: only a word makes a part of a longer row a number of its own."""


def hits(text: str, _lower: str) -> Iterator[Hit]:
    """Yield the national ids in a text."""
    alone, labelled = _ALONE, _LABELLED
    for run in compiled(_RUN).finditer(text):
        if sum(map(str.isdecimal, run[0])) < _FEWEST_DIGITS:
            continue
        near: frozenset[str] | None = None
        for part in _parts(text, run):
            shape = part.text.translate(_SHAPE)
            kinds = alone.get(shape, ()) if part.is_whole else ()
            kind = next((kind for kind in kinds if _holds(kind, part.text)), None)
            others = labelled.get(shape.translate(_ONE_SEPARATOR), ())
            if kind is None and others:
                near = _near(text, run.start(), run.end()) if near is None else near
                kind = next((kind for kind in others if _labelled(kind, near) and _holds(kind, part.text)), None)
            if kind is not None:
                yield Hit(kind.name, "personal", part.start, part.end)
                break


def _holds(kind: Kind, text: str) -> bool:
    compact = text.translate(_NO_SEPARATORS).upper()
    # A row of one digit fulfils most sums and belongs to nobody.
    return len(set(compact)) > 1 and kind.check(compact)


def _labelled(kind: Kind, near: frozenset[str]) -> bool:
    return not kind.words.isdisjoint(near)


def _parts(text: str, run: re.Match[str]) -> Iterator[_Place]:
    """Yield what a run may be: with or without letters around it, and without its first or last group."""
    reversed_before = text[max(0, run.start() - 12) : run.start()][::-1]
    prefix = _PREFIX.match(reversed_before)
    own, off = (len(prefix["own"]), len(prefix["off"] or "")) if prefix else (0, 0)
    if _PART_OF_MORE.match(reversed_before[own:]) and not (off and reversed_before[own] == "-"):
        return
    begin = run.start() - own
    end = run.start("letters") if run["letters"] else run.end()
    groups = [match.span() for match in _GROUP.finditer(text, begin, end)]
    starts = [begin - off, begin] if off else [begin]
    ends = [run.end(), end] if run["letters"] else [end]
    if len(groups) > 1:
        starts += [groups[1][0]] if text[groups[1][0] - 1] == " " else []
        ends += [groups[-2][1]] if text[groups[-2][1]] == " " else []
    for first in starts:
        for last in ends:
            if last - first >= _FEWEST_DIGITS:
                yield _Place(text[first:last], first, last, first <= begin and last >= end)


def _near(text: str, start: int, end: int) -> frozenset[str]:
    """Return all runs of one to three words around a place, in lower case."""
    before = text[max(0, start - _BEFORE) : start].rpartition("\0")[2]
    behind = text[end : end + _BEHIND].partition("\0")[0]
    words = [word.lower() for word in compiled(WORD).findall(before)]
    after = [word.lower() for word in compiled(WORD).findall(behind)]
    return frozenset(
        " ".join(each[at : at + length])
        for each in (words, after)
        for at in range(len(each))
        for length in range(1, _LONGEST_LABEL + 1)
    )


def _by_shape(*, alone: bool) -> Mapping[str, tuple[Kind, ...]]:
    kinds: dict[str, list[Kind]] = defaultdict(list)
    for kind in (*EUROPE, *OVERSEAS):
        for shape in kind.alone if alone else {each.translate(_ONE_SEPARATOR) for each in (*kind.alone, *kind.shapes)}:
            kinds[shape].append(kind)
    return {shape: tuple(each) for shape, each in kinds.items()}


_ALONE: Final = _by_shape(alone=True)
_LABELLED: Final = _by_shape(alone=False)
