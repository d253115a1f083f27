"""Have the functions of a loaded module run the code of a changed source."""

from __future__ import annotations

import gc
from collections.abc import Sequence
from functools import cache
from inspect import CO_OPTIMIZED
from pathlib import Path
from types import CodeType, FunctionType
from typing import TypeAlias

Change: TypeAlias = tuple[CodeType, CodeType]

_Cached = type(cache(len))


def swapped(file: Path, source: str, changed: str) -> bool:
    """Swap, and tell whether that is all of the change: what stands in no function has run already."""
    old, new = (compile(text, str(file), "exec", dont_inherit=True) for text in (source, changed))
    changes = _changes(old, new)
    functions = [each for each in gc.get_objects() if _is_of(file, each)] if changes else []
    for before, after in changes or ():
        of_it = [each for each in functions if each.__code__ == before]
        if not of_it or any(each.__code__.co_freevars != after.co_freevars for each in of_it):
            return False
        for each in of_it:
            each.__code__ = after
    for each in gc.get_objects():
        if isinstance(each, _Cached) and _is_of(file, each.__wrapped__):
            each.cache_clear()
    return bool(changes)


def _is_of(file: Path, found: object) -> bool:
    return isinstance(found, FunctionType) and found.__code__.co_filename == str(file)


def _changes(old: CodeType, new: CodeType) -> Sequence[Change] | None:
    """Return the outermost functions that differ, None where what stands in no function does."""
    if old.co_flags & CO_OPTIMIZED:
        return [(old, new)] if old != new else []
    if _outside(old) != _outside(new):
        return None
    found = list[Change]()
    for pair in zip(_inside(old), _inside(new), strict=True):
        if (changes := _changes(*pair)) is None:
            return None
        found += changes
    return found


def _outside(code: CodeType) -> tuple[object, ...]:
    return code.co_code, [repr(each) for each in code.co_consts if not isinstance(each, CodeType)], code.co_names


def _inside(code: CodeType) -> list[CodeType]:
    return [each for each in code.co_consts if isinstance(each, CodeType)]
