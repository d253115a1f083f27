"""Match values against filters, as LangGraph's stores do: by equality, by comparison, and nested.

A filter's fields all have to hold. A mapping without operators matches as a subset, a list element by element.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from operator import ge, gt, le, lt
from typing import Any, Final, cast

from cairn.ground.errors import InvalidArgument

_ORDERS: Final[Mapping[str, Callable[[float, float], bool]]] = {"$gt": gt, "$gte": ge, "$lt": lt, "$lte": le}
OPERATORS: Final = ("$eq", "$ne", *_ORDERS)


def check_filter(wanted: object, where: str = "filter") -> None:
    """Raise InvalidArgument where a filter holds an operator that there is not."""
    if isinstance(wanted, dict):
        parts = cast("dict[str, object]", wanted)
        unknown = [name for name in parts if name.startswith("$") and name not in OPERATORS]
        if unknown:
            raise InvalidArgument(where, f"has an unknown operator; there are {', '.join(OPERATORS)}")
        if any(name in parts for name in OPERATORS) and not all(name in OPERATORS for name in parts):
            raise InvalidArgument(where, "mixes operators and fields in one place")
        for name, part in parts.items():
            if name not in OPERATORS:
                check_filter(part, f"{where}.{name}")
    elif isinstance(wanted, list):
        for number, part in enumerate(cast("list[object]", wanted)):
            check_filter(part, f"{where}[{number}]")


def matches(value: Any, wanted: Mapping[str, Any]) -> bool:
    """Tell whether each field of a filter holds of a value's field of that name; null stands for one that is not."""
    if not wanted:
        return True
    return isinstance(value, dict) and all(
        _agrees(cast("dict[str, Any]", value).get(name), part) for name, part in wanted.items()
    )


def _agrees(found: Any, wanted: Any) -> bool:
    if isinstance(wanted, dict):
        parts = cast("dict[str, Any]", wanted)
        if any(name in OPERATORS for name in parts):
            return all(_holds(found, name, part) for name, part in parts.items())
        inner = cast("dict[str, Any]", found) if isinstance(found, dict) else None
        return inner is not None and all(_agrees(inner.get(name), part) for name, part in parts.items())
    if isinstance(wanted, list):
        ours, theirs = cast("Sequence[Any]", found), cast("list[Any]", wanted)
        is_alike = isinstance(found, list) and len(ours) == len(theirs)
        return is_alike and all(map(_agrees, ours, theirs))
    return bool(found == wanted)


def _holds(found: Any, operator: str, wanted: Any) -> bool:
    if operator in _ORDERS:
        one, other = _number(found), _number(wanted)
        return one is not None and other is not None and _ORDERS[operator](one, other)
    return bool(found == wanted) == (operator == "$eq")


def _number(value: Any) -> float | None:
    """Return a value as a number, be it written as text; None where it is none."""
    try:
        return float(value) if isinstance(value, int | float | str) else None
    except (ValueError, OverflowError):
        return None
