"""A write that failed has the same operation id if it is asked for again right after, and no other one has it."""

from __future__ import annotations

from typing import Any

import pytest

from cairn.client.again import Again
from cairn.ground.errors import Unavailable


def written(again: Again, asked: Any) -> str:
    return again.write(asked, lambda operation: operation)


def failed(again: Again, asked: Any) -> str:
    """Return the operation id of a write that fails."""
    operations: list[str] = []

    def do(operation: str) -> None:
        operations.append(operation)
        raise Unavailable("The test lets it fail")

    with pytest.raises(Unavailable):
        again.write(asked, do)
    return operations[0]


def test_a_write_that_failed_keeps_its_id_until_it_is_done() -> None:
    again = Again()

    tried = [failed(again, ["add", "x"]), failed(again, ["add", "x"]), written(again, ["add", "x"])]

    assert len(set(tried)) == 1
    assert written(again, ["add", "x"]) != tried[0]


def test_another_write_in_between_makes_it_a_new_one() -> None:
    again = Again()

    ids = [failed(again, "x"), failed(again, "y"), failed(again, "x"), written(again, "y"), written(again, "x")]

    assert len(set(ids)) == 5


def test_what_is_forgotten_is_new() -> None:
    again = Again()

    before = failed(again, "x")
    again.forget()

    assert written(again, "x") != before
