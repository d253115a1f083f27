"""How many round trips the archive takes, and how long."""

from __future__ import annotations

from dataclasses import replace
from time import process_time
from typing import Any

import pytest

from cairn.ground.adapters import Adapters
from support.archive import ACME, SESSION, archive_of, deposit
from support.doubles import Counted


@pytest.mark.req("R183")
def test_storing_takes_two_round_trips_a_query_one_without_blobs_and_reading_one(adapters: Adapters) -> None:
    calls: list[str] = []
    rounds: list[int] = []

    def parallel(given: Any) -> list[object]:
        before = len(calls)
        results = [call() for call in given]
        rounds.append(len(calls) - before)
        return results

    table: Any = Counted(adapters.table, calls)
    blobs: Any = Counted(adapters.blobs, calls)
    archive = archive_of(replace(adapters, table=table, blobs=blobs, parallel=parallel))
    archive.store(ACME, deposit(session_id="earlier"))
    calls.clear()

    digest = archive.store(ACME, deposit("garden")).digest
    assert calls == ["put", "transact"]
    calls.clear()
    for text, tags in (("", []), ("", ["garden"]), ("monday", []), ("mon", ["gard"])):
        rounds.clear()
        calls.clear()
        assert archive.query(ACME, text, tags, 10)
        assert rounds == [len(calls)]
        assert set(calls) == {"query"}
    rounds.clear()
    calls.clear()
    archive.retrieve(ACME, digest)
    assert (rounds, calls) == ([2], ["get", "get"])


@pytest.mark.req("R206")
@pytest.mark.req("R207")
@pytest.mark.slow
def test_with_hundreds_of_sessions_there_all_three_are_fast(adapters: Adapters, clock: Any) -> None:
    """The bounds are the contract's; as a rule it takes hundredths of them.

    The processor's time is measured, so that a busy machine is no failure.
    """
    archive = archive_of(adapters)
    for number in range(200):
        clock.advance(seconds=1)
        archive.store(ACME, deposit(f"t{number % 7}", session_id=f"s{number}"))

    started = process_time()
    digest = archive.store(ACME, deposit("last")).digest
    stored = process_time()
    assert len(archive.query(ACME, "s19", ["t3"], 100)) > 0
    queried = process_time()
    assert archive.retrieve(ACME, digest) == SESSION
    retrieved = process_time()

    assert stored - started < 5
    assert queried - stored < 0.1
    assert retrieved - queried < 1
