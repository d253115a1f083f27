"""Match dotted names against patterns in which `*` stands for whole segments."""

from __future__ import annotations

import re

_PATTERN = re.compile(r"(?:\*|[A-Za-z0-9_-]+)(?:\.(?:\*|[A-Za-z0-9_-]+))*")


def matches(pattern: str, name: str) -> bool:
    """Tell whether a name is of a pattern: each `*` stands for one dotted segment, the last for one or more."""
    wanted, given = pattern.split("."), name.split(".")
    if wanted[-1] == "*":
        given = given[: len(wanted)]
    return len(wanted) == len(given) and all(want in {"*", have} for want, have in zip(wanted, given, strict=True))


def is_pattern(value: str) -> bool:
    """Tell whether a text is a pattern of dotted names: segments of letters, digits, `_` and `-`, or `*`."""
    return _PATTERN.fullmatch(value) is not None
