"""Names of logs may be made of any text, and items may be any JSON."""

from __future__ import annotations

import json
from itertools import combinations
from typing import Any

import pytest

from cairn.client.log_data import given, held, log_name
from cairn.items.model import log_name as checked

PARTS = ["", "a", "a/b", "b", "a%2Fb", "Grüße 🌱", "\x00\n\ud800", "x" * 60, "x" * 61, "x" * 500, "🌱" * 100, "!~."]


def nested(levels: int) -> Any:
    value: Any = "deep"
    for _ in range(levels):
        value = [value]
    return value


PLAIN: list[Any] = [
    None,
    True,
    0,
    -1,
    1.5,
    "",
    "Grüße 🌱",
    [],
    {},
    {"role": "user", "content": [{"text": "Beans."}]},
    nested(20),
]
HELD: list[Any] = [
    *("\x00", "half \ud83c", {"\x00": 1}, [float("inf")], 2**70, nested(21), [0] * 1001),
    *({"cairn/json": "1"}, {"cairn/json": {"cairn/json": "1"}}),
]


def test_names_of_other_parts_are_other_names() -> None:
    names = [log_name("kind", *parts) for size in (1, 2) for parts in combinations(PARTS, size)]

    assert len(set(names)) == len(names)
    assert [name for name in names if checked(name) != name] == []


def test_a_name_of_three_long_parts_is_one_that_a_log_may_have() -> None:
    name = log_name("claude-subagents", *["🌱" * 500] * 3)

    assert checked(name) == name


def test_no_short_part_has_the_name_of_a_long_one() -> None:
    assert log_name(log_name("x" * 500)) != log_name("x" * 500)


@pytest.mark.parametrize("item", PLAIN, ids=repr)
def test_what_a_server_takes_is_held_as_it_is(item: Any) -> None:
    assert held(item) == item
    assert given(held(item)) == item


@pytest.mark.parametrize("item", HELD, ids=ascii)
def test_what_a_server_refuses_is_held_as_text(item: Any) -> None:
    kept = held(item)

    assert list(kept) == ["cairn/json"]
    assert json.dumps(kept, ensure_ascii=False).encode().isascii()
    assert given(kept) == item
