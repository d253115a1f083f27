"""Worlds in memory, as many as a test wants: the embedded store's rules without its disk."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from builders import RecordingJobs
from cairn.embedded.keyring import LocalKeyRing
from cairn.runtime.system import in_turn
from cairn.service.world import World
from memory_store import MemoryBlobs, MemoryTable


@pytest.fixture
def world_in_memory(clock: Any, entropy: Any) -> Callable[[], World]:
    """Return a function that makes an empty world in memory; all of them share the test's clock."""
    return lambda: World(
        MemoryTable(), MemoryBlobs(), LocalKeyRing(bytes(32)), clock, entropy, in_turn, RecordingJobs()
    )
