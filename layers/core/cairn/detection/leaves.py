"""Flatten a JSON value into its strings, numbers and keys, each with its path and the name that describes it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final, NamedTuple, cast

from cairn.ground.errors import DetectionFailed

Path = tuple[str | int, ...]

# Deeper values are refused unseen (decision 15): the walk is recursive, and Python's stack is not endless.
MOST_LEVELS: Final = 100
# {"name": "password", "value": "x"}: such a key says nothing, the name beside it does.
_GENERIC: Final = frozenset({"value", "number", "text", "content", "data", "current"})
_NAMES: Final = ("name", "key", "Name", "Key")
# A name is written before every value below it: a long one would make the text that is searched many times longer.
_MOST_OF_A_NAME: Final = 64


class Leaf(NamedTuple):
    """A string, a number as its text, or a key; `name` is the key that the value stands under, or its list."""

    path: Path
    text: str
    name: str = ""
    is_key: bool = False
    is_text: bool = True


def leaves(value: Any, exempt: Collection[Path] = ()) -> Iterator[Leaf]:
    """Yield all of a value's leaves in order, a key right before its value; DetectionFailed where it is no JSON.

    What stands at an exempt path is left out, with all below it; its key is not.
    """
    yield from _leaves(value, (), "", frozenset(exempt))


def _leaves(value: Any, path: Path, name: str, exempt: frozenset[Path]) -> Iterator[Leaf]:
    if len(path) > MOST_LEVELS:
        raise DetectionFailed("the value is nested too deeply")
    if path in exempt or value is None or isinstance(value, bool):
        return
    if isinstance(value, str):
        yield Leaf(path, value, name)
    elif isinstance(value, int | float):
        yield Leaf(path, _number(value), name, is_text=False)
    elif isinstance(value, Mapping):
        yield from _fields(cast("Mapping[Any, Any]", value), path, name, exempt)
    elif isinstance(value, list | tuple):
        for at, entry in enumerate(cast("list[Any]", value)):
            yield from _leaves(entry, (*path, at), name, exempt)
    else:
        raise DetectionFailed("the value is no JSON")


def _fields(value: Mapping[Any, Any], path: Path, name: str, exempt: frozenset[Path]) -> Iterator[Leaf]:
    named = next((value[key] for key in _NAMES if isinstance(value.get(key), str)), name)
    for key, entry in value.items():
        if not isinstance(key, str):
            raise DetectionFailed("the value is no JSON")
        yield Leaf((*path, key), key, is_key=True)
        field = named if key.lower() in _GENERIC else key
        yield from _leaves(entry, (*path, key), field[:_MOST_OF_A_NAME], exempt)


def _number(value: float) -> str:
    try:
        return str(value)
    except ValueError as error:
        # Python refuses to write whole numbers of over 4,300 digits, since that takes quadratic time.
        raise DetectionFailed("a number has too many digits") from error
