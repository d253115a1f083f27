"""The public suite for stores of the harness's memory, all of it, over Cairn."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
from pydantic_ai_memory_core.contract import *  # noqa: F403 # pyright: ignore[reportWildcardImportFromLibrary] - it is made to be taken in so

from cairn.frameworks.pydantic_ai_harness import CairnMemoryStore
from support.frameworks import Place

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    """Run what is awaited on asyncio, with the runner that anyio brings."""
    return "asyncio"


@pytest.fixture(autouse=True)
def loops(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Close the event loops that an agent's `run_sync` makes, and that `asyncio.run` then takes from it."""
    made, new = list[asyncio.AbstractEventLoop](), asyncio.new_event_loop

    def noted() -> asyncio.AbstractEventLoop:
        made.append(new())
        return made[-1]

    monkeypatch.setattr(asyncio, "new_event_loop", noted)
    yield
    for each in made:
        each.close()


@pytest.fixture
def store(place: Place) -> CairnMemoryStore:
    return CairnMemoryStore(place.memory(user="ada"))
