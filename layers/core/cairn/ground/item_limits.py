"""What the attributes of an item may be and how large they count, so that every store has the same limits.

Sizes and limits are DynamoDB's: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

_Scalar: TypeAlias = str | int | bytes | bool

RESERVED_NAME = "_rid"
KEY_BYTES = {"pk": 2048, "sk": 1024, "ipk": 2048, "isk": 1024}
_INTEGER_LIMIT = 10**38


def item_bytes(item: Mapping[str, _Scalar]) -> int:
    """Return how many bytes the names and values of an item count; ValueError where text is not valid Unicode."""
    return sum(len(name.encode()) + _value_bytes(value) for name, value in item.items())


def check_attributes(item: Mapping[str, _Scalar]) -> None:
    """Raise ValueError where a name is empty or reserved, a key is no text of its size, or a number is too long."""
    if "" in item or RESERVED_NAME in item:
        raise ValueError(f'an attribute is not named "" or "{RESERVED_NAME}"')
    for name, limit in KEY_BYTES.items():
        value = item.get(name, "-")
        if not isinstance(value, str) or not 1 <= len(value.encode()) <= limit:
            raise ValueError(f"{name} must be text of 1-{limit} bytes")
    if any(abs(value) >= _INTEGER_LIMIT for value in item.values() if isinstance(value, int)):
        raise ValueError("a number has at most 38 digits")


def _value_bytes(value: _Scalar) -> int:
    if isinstance(value, bool):
        return 1
    if isinstance(value, int):
        significant = len(str(abs(value)).rstrip("0"))
        return (significant + 1) // 2 + 1 + (value < 0)
    return len(value.encode()) if isinstance(value, str) else len(value)
