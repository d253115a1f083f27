"""A call of mem0's clients takes so many round trips of the store, the check of its key among them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from cairn import wiring
from cairn.ground.adapters import Adapters
from cairn.services import Services
from cairn.settings.settings import Settings
from metering import Meter, metered
from support.mem0 import HERS, client
from support.services import services_over

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "move-from-mem0.md"
ROW = re.compile(r"^\| `([^`]+)` \|.*\| (\d+) \|$", re.MULTILINE)


@pytest.fixture
def meter() -> Meter:
    return Meter()


@pytest.fixture
def counted(adapters: Adapters, settings: Settings, meter: Meter) -> Iterator[Services]:
    built = services_over(metered(adapters, meter), settings)
    wiring.provide(built)
    yield built
    wiring.provide(None)


def test_a_call_takes_the_round_trips_that_the_page_says(counted: Services, meter: Meter) -> None:
    mem0 = client(counted)
    homes = [mem0.add("I live in Oslo.", metadata={"a": 1}, user_id=user)[0]["id"] for user in ("eve", "ada")]
    calls: dict[str, Callable[[int], object]] = {
        "MemoryClient()": lambda _: mem0.ok("GET", "/v1/ping/"),
        "add": lambda n: mem0.add(f"I like {n} teas.", **HERS),
        "add, infer=False": lambda n: mem0.add(f"We grow {n} figs.", infer=False, **HERS),
        "search": lambda _: mem0.search("Where does she live?", HERS),
        "get_all": lambda _: mem0.all(HERS),
        "get": lambda n: mem0.get(homes[n]),
        "update": lambda n: mem0.update(homes[n], text="Lives in Porto"),
        "history": lambda n: mem0.history(homes[n]),
        "users": lambda _: mem0.ok("GET", "/v1/entities/"),
        "delete": lambda n: mem0.delete(homes[n]),
    }
    taken = {name: _rounds(ask, meter) for name, ask in calls.items()}

    assert taken == {name: int(rounds) for name, rounds in ROW.findall(PAGE.read_text())}


def _rounds(ask: Callable[[int], object], meter: Meter) -> int:
    """Return how many round trips a call takes in a process that answered another like it before."""
    ask(0)
    meter.reset()
    ask(1)
    return meter.rounds
