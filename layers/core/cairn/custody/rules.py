"""What a bundle's records may be like: shapes of their attributes, and what is wrong where one is otherwise."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from cairn.custody.pieces import Piece
from cairn.ground import codec

_MOST = 2**53
CONTENT = frozenset({"content"})
"""The body of what is sealed."""
Kind: TypeAlias = Callable[[object], bool]
Shape: TypeAlias = Mapping[str, Kind]


class Refused(ValueError):
    """What is wrong with a record."""


def is_count(value: object) -> bool:
    """Tell whether a value is a number of things."""
    return type(value) is int and 0 <= value < _MOST


def is_text(value: object) -> bool:
    """Tell whether a value is text."""
    return isinstance(value, str)


def is_flag(value: object) -> bool:
    """Tell whether a value is true or false."""
    return isinstance(value, bool)


def is_moment(value: object) -> bool:
    """Tell whether a value is a moment as codec.rfc3339() writes it."""
    try:
        return isinstance(value, str) and codec.rfc3339(codec.moment(value)) == value
    except (ValueError, OverflowError):
        return False


@dataclass(frozen=True, slots=True)
class Rule:
    """What a record is like: its attributes, those that it must have, its body's name, and a further check."""

    shape: Shape
    needed: frozenset[str]
    body: frozenset[str] = frozenset()
    check: Callable[[Piece], object] = id
    may_lack_body: bool = False
    is_made_anew: bool = False
    """Whether it follows from other records, so that it is passed over."""


def need(holds: object, otherwise: str) -> None:
    """Raise what is wrong with a record unless something holds of it."""
    if not holds:
        raise Refused(otherwise)


def only_content(piece: Piece) -> Any:
    """Return the one content of a record that may have it as bytes."""
    need(len(piece.body) == 1, "has two contents")
    if "bytes" in piece.body:
        return codec.unpack(base64.b64decode(piece.body["bytes"], validate=True))
    return piece.body.get("content")
