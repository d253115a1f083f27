"""A summary is stored once for what it covers; a store that refuses it otherwise is busy."""

from __future__ import annotations

import pytest

from cairn.conversation.highlights import Highlights
from cairn.ground.adapters import Adapters
from cairn.ground.errors import Refusal, TransactionRefused, Unavailable
from cairn.sessions.summary import Summary
from support.doubles import FakeClock
from support.services import services_over
from support.turns import SESSION

SUMMARY = Summary(through=4, turns=4, highlights=Highlights(names=("Joe",)))


def test_a_summary_that_another_process_stored_first_stands(adapters: Adapters, clock: FakeClock) -> None:
    for _ in range(2):
        services_over(adapters).sessions.store_summary(SESSION, SUMMARY, clock.now())
    assert services_over(adapters).sessions.summary(SESSION) == SUMMARY


def test_a_summary_that_the_store_is_too_busy_for_is_to_be_stored_again(
    adapters: Adapters, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise TransactionRefused([Refusal("throttled")])

    monkeypatch.setattr(type(adapters.table), "transact", refuse)
    with pytest.raises(Unavailable):
        services_over(adapters).sessions.store_summary(SESSION, SUMMARY, clock.now())
