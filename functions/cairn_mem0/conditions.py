"""A filter's condition on one value: that it is this one, is any, or is as mem0's operators say."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from functools import partial
from typing import Final, NoReturn, TypeAlias, cast

from cairn.ground.errors import InvalidArgument

Holds: TypeAlias = Callable[[object], bool]
TIMES: Final = ("created_at", "updated_at")
ANY: Final = "*"
"""The value of a condition that any value meets."""
MISSING: Final = object()
"""What stands for a value that is not there, and meets no condition."""


def condition(name: str, wanted: object) -> Holds:
    """Return whether a value is the one that is wanted, is any, or is as the operators say."""
    if wanted == ANY:
        return lambda held: held is not None and held is not MISSING
    if not isinstance(wanted, dict):
        return lambda held: held is not MISSING and _same(wanted, held)
    checks = [_check(name, operator, operand) for operator, operand in cast("dict[str, object]", wanted).items()]
    return lambda held: held is not MISSING and all(check(held) for check in checks)


def _check(name: str, operator: str, operand: object) -> Holds:
    match operator:
        case "eq":
            holds: Holds = partial(_same, operand)
        case "ne":
            holds = lambda held: not _same(operand, held)  # noqa: E731 - one of several
        case "in":
            listed = _listed(name, operand)
            holds = lambda held: any(_same(each, held) for each in listed)  # noqa: E731 - as above
        case "contains":
            holds = partial(_is_in, operand)
        case "icontains":
            holds = lambda held: _is_in(_folded(operand), _folded(held))  # noqa: E731 - as above
        case "gt" | "gte" | "lt" | "lte":
            holds = _compared(operator, _moment(operand) if name in TIMES else operand, is_time=name in TIMES)
        case _:
            refuse("know eq, ne, in, gt, gte, lt, lte, contains and icontains")
    return holds


def _compared(operator: str, operand: object, *, is_time: bool) -> Holds:
    if isinstance(operand, bool) or not isinstance(operand, (int, float, str)):
        refuse(f"must compare numbers, texts or times under {operator}")

    def check(held: object) -> bool:
        value = _moment(held) if is_time else held
        if isinstance(value, bool) or not isinstance(value, (int, float, str)):
            return False
        if isinstance(value, str) != isinstance(operand, str):
            return False
        place = cast("float", value), cast("float", operand)  # both are texts, or both numbers
        is_less, is_more = place[0] < place[1], place[0] > place[1]
        return {"gt": is_more, "gte": not is_less, "lt": is_less, "lte": not is_more}[operator]

    return check


def _same(wanted: object, held: object) -> bool:
    """Tell whether two values of JSON are the same; a truth value is no number."""
    return isinstance(held, bool) == isinstance(wanted, bool) and held == wanted


def _is_in(wanted: object, held: object) -> bool:
    if isinstance(held, str):
        return isinstance(wanted, str) and wanted in held
    return isinstance(held, list) and any(_same(wanted, each) for each in cast("list[object]", held))


def _folded(value: object) -> object:
    return value.casefold() if isinstance(value, str) else value


def _listed(name: str, value: object) -> Iterable[object]:
    if not isinstance(value, list):
        refuse(f"must hold a list of values for {name}")
    return cast("list[object]", value)


def _moment(value: object) -> float:
    """Return a time in seconds; InvalidArgument for what is none."""
    try:
        moment = datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        moment = None
    if moment is None:
        refuse("must compare created_at and updated_at with times, such as 2026-03-01 or 2026-03-01T12:00:00Z")
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def refuse(problem: str) -> NoReturn:
    """Raise the error that says what is wrong with a filter."""
    raise InvalidArgument("filters", problem)
