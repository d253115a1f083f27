"""How much the detector does grows with the length of what it looks through, counted in steps and not in seconds."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any, Final

import pytest

from cairn.detection.detector import mask, scan

# Twice as much to do is twice the steps; what is quadratic takes four times.
MOST_GROWTH: Final = 2.6


def lines_run(work: Callable[[], object]) -> int:
    """Return how many lines of Python a call runs."""
    count = 0

    def trace(_frame: FrameType, event: str, _argument: object) -> Any:
        nonlocal count
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


def mails(size: int) -> dict[str, Any]:
    return {f"ada{number}@mail.net": 1 for number in range(size)}


MADE: Final[dict[str, Callable[[int], Any]]] = {
    "keys that mask alike": mails,
    "and keys as they would be called": lambda size: {
        **{f"[redacted:email] #{number}": 1 for number in range(size)},
        **mails(size),
    },
    "values in a list": lambda size: {"list": [f"password=tiger{number}" for number in range(size)]},
    "secrets as keys": lambda size: {f"AKIA{number:016}": {"password": f"k{number}!"} for number in range(size)},
}


@pytest.mark.parametrize("name", MADE)
def test_masking_twice_as_much_takes_twice_the_steps(name: str) -> None:
    make = MADE[name]
    small, large = make(150), make(300)
    mask(make(10))  # compiles the patterns

    assert lines_run(lambda: mask(large)) < MOST_GROWTH * lines_run(lambda: mask(small))


@pytest.mark.parametrize(
    "seed",
    [
        "password=",
        'password="',
        "pw=a(",
        "token: ",
        "secret,",
        '"key", ',
        "api_key>",
        "== password ",
        'name="token" ',
        "a-",
        "/a",
    ],
)
def test_twice_the_text_takes_twice_the_steps(seed: str) -> None:
    scan(seed)
    small, large = seed * 300, seed * 600

    assert lines_run(lambda: scan(large)) < MOST_GROWTH * lines_run(lambda: scan(small)) + 500
