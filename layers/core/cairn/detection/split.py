"""Find secrets that are split over neighbours: two fields of an object, or the entries of a list."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import groupby, pairwise
from typing import Final

from cairn.detection.leaves import Leaf
from cairn.detection.vendor_formats import PREFIXES

_BEGINS: Final = re.compile(rf"(?:{'|'.join(map(re.escape, sorted(PREFIXES, key=len, reverse=True)))})")
# What a secret is made of, and nothing else: a sentence is no part of one.
_PART: Final = re.compile(r"[\w+/=.-]{1,400}")
# Pieces of at most 8 characters, three or more of them, are put together whole: one by one they look like nothing.
_SHORT: Final = 8
_FEWEST_SHORT: Final = 3
# Fields come in any order: the two behind the beginning and the one before it are tried.
_NEXT, _BEFORE = 2, 1
# Bounds the time that a list of nothing but beginnings takes.
_MOST_BEGUN: Final = 5_000


def joins(leaves: Sequence[Leaf], found: Collection[int]) -> Iterator[list[int]]:
    """Yield which leaves of one object or list might be one secret when put together, by their number.

    That is one that begins as a vendor's token does with a neighbour, two rows of digits, and a row of short ones.
    Leaves that hold a finding of their own are no parts of another. Of one value, some thousands of beginnings are
    followed up.
    """
    values = (at for at, leaf in enumerate(leaves) if leaf.is_text and not leaf.is_key)
    begun = 0
    for _, siblings in groupby(values, key=lambda at: leaves[at].path[:-1]):
        parts = [at for at in siblings if at not in found and _PART.fullmatch(leaves[at].text)]
        for place, first in enumerate(parts):
            if _BEGINS.match(leaves[first].text) and begun < _MOST_BEGUN:
                begun += 1
                others = (*parts[place + 1 : place + 1 + _NEXT], *parts[max(0, place - _BEFORE) : place])
                yield from ([first, other] for other in others)
        for first, second in pairwise(parts):
            if (leaves[first].text + leaves[second].text).isdecimal():
                yield [first, second]
        short = [at for at in parts if len(leaves[at].text) <= _SHORT]
        if len(short) >= _FEWEST_SHORT:
            yield short
