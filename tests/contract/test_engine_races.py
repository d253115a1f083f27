"""Threads that do all that the engine does at once, over each store: every turn once, every count right."""

from __future__ import annotations

import pytest

from cairn.embedded.keyring import LocalKeyRing
from cairn.ground.adapters import Adapters
from cairn.ground.ports import Table
from cairn.process.system import SystemEntropy, in_turn
from support.doubles import RecordingJobs
from support.memory_store import MemoryBlobs
from support.races import SystemClock, problems_of_race


@pytest.mark.slow
@pytest.mark.req("R039")
@pytest.mark.req("R040")
def test_clients_that_commit_prepare_maintain_and_index_at_once_lose_and_double_nothing(
    table: Table,
) -> None:
    keys = LocalKeyRing(bytes(32))
    adapters = Adapters(table, MemoryBlobs(), keys, SystemClock(), SystemEntropy(), in_turn, RecordingJobs())
    assert not problems_of_race(adapters, clients=4, turns=3)
