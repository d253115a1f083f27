"""Secrets cut over neighbours: two fields of an object, the entries of a list."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import groupby
from typing import Final

from cairn.domain.detection.leaves import Leaf
from cairn.domain.detection.vendor_tokens import PREFIXES

_BEGINS: Final = re.compile(rf"(?:{'|'.join(map(re.escape, sorted(PREFIXES, key=len, reverse=True)))})[\w+/=.-]*+")
_PART: Final = re.compile(r"[\w+/=.-]{1,400}")
_SHORT: Final = 8
_FEWEST_SHORT: Final = 3
_NEIGHBOURS: Final = 3


def joins(leaves: Sequence[Leaf], found: Collection[Leaf]) -> Iterator[list[Leaf]]:
    """Yield leaves of one object or list whose texts might be one secret when put together.

    That is one with a vendor's prefix and a neighbour, and a row of short ones. Leaves that hold a finding of their own
    are no parts of another.
    """
    values = [leaf for leaf in leaves if leaf.is_text and not leaf.is_key]
    for _, siblings in groupby(values, key=lambda leaf: leaf.path[:-1]):
        parts = [leaf for leaf in siblings if _PART.fullmatch(leaf.text) and leaf not in found]
        for at, leaf in enumerate(parts):
            if _BEGINS.fullmatch(leaf.text):
                others = (*parts[at + 1 : at + 1 + _NEIGHBOURS], *parts[max(0, at - _NEIGHBOURS) : at])
                yield from ([leaf, other] for other in others)
        short = [leaf for leaf in parts if len(leaf.text) <= _SHORT]
        if len(short) >= _FEWEST_SHORT:
            yield short
