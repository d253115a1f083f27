"""A transaction that appends to a log is tried again where that helps, and no longer than it does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from cairn.ground.adapters import Adapters
from cairn.ground.errors import NotFound, Refusal, TransactionRefused, Unavailable
from cairn.ground.table import Key, Put, Update, Write
from cairn.log.layout import NEWEST
from cairn.sessions.transacting import transact
from conftest import FakeClock
from support.turns import cold

WRITES: Sequence[Write] = (Put({"pk": "acme#a", "sk": "1"}), Update(Key("acme#m", NEWEST), set={"newest": 1}))
OUTRUN = (None, Refusal("condition", {"newest": 2}))
TAKEN = (Refusal("condition", {"is": "taken"}), None)
BUSY = (Refusal("conflict"), None)


class Refusing:
    """A table that refuses some transactions before it takes one."""

    def __init__(self, *reasons: Sequence[Refusal | None]) -> None:
        self.reasons = list(reasons)
        self.taken: list[Sequence[Write]] = []

    def transact(self, writes: Sequence[Write]) -> None:
        if self.reasons:
            raise TransactionRefused(self.reasons.pop(0))
        self.taken.append(writes)


def taken(_: Sequence[Write], refused: TransactionRefused) -> object:
    reason = refused.reasons[0]
    return reason.item if reason is not None and reason.code == "condition" else None


def attempt(adapters: Adapters, table: Refusing, settled: Any = taken) -> object:
    standing_in: Any = table
    return transact(cold(replace(adapters, table=standing_in)), lambda: WRITES, settled)


@pytest.mark.parametrize(
    ("refusals", "seconds"), [([], 0), ([OUTRUN], 0), ([OUTRUN, OUTRUN], 0.1), ([BUSY], 0.05), ([BUSY, BUSY], 0.15)]
)
def test_who_was_outrun_once_tries_again_at_once_and_others_wait_longer_each_time(
    refusals: list[Any], seconds: float, adapters: Adapters, clock: FakeClock
) -> None:
    table, began = Refusing(*refusals), clock.now()
    assert attempt(adapters, table) is None
    assert table.taken == [WRITES]
    assert (clock.now() - began).total_seconds() == pytest.approx(seconds)


@pytest.mark.parametrize("reasons", [OUTRUN, BUSY])
def test_a_store_that_refuses_each_time_is_unavailable(reasons: Any, adapters: Adapters) -> None:
    table = Refusing(*[reasons] * 9)
    with pytest.raises(Unavailable):
        attempt(adapters, table)
    assert (len(table.reasons), table.taken) == (3, [])


def test_what_a_refusal_settles_ends_it(adapters: Adapters) -> None:
    table = Refusing(BUSY, TAKEN)
    assert attempt(adapters, table) == {"is": "taken"}
    assert table.taken == []

    def absent(*_: object) -> None:
        raise NotFound("no such thing")

    with pytest.raises(NotFound):
        attempt(adapters, Refusing(TAKEN), absent)


def test_a_log_that_was_outrun_settles_nothing(adapters: Adapters) -> None:
    def never(*_: object) -> str:
        return "settled"

    table = Refusing(OUTRUN)
    assert attempt(adapters, table, never) is None
    assert table.taken == [WRITES]
