"""A page takes no more sequential round trips of the store than the slowest tool it asks, and one for the sign-in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from cairn import wiring
from cairn.access.api_keys import Grant
from cairn.access.callers import Caller
from cairn.ground.adapters import Adapters
from cairn.ground.ids import Tenant
from cairn.services import Services
from cairn.settings.settings import Settings
from cairn.tool.call import Call, execute
from cairn_console import visit
from cairn_console.catalog import PAGES
from cairn_tools.catalog import CATALOG
from metering import Meter, metered
from support.console import Browser, Garden
from support.services import services_over

SIGN_IN_ROUNDS = 1
PLACE = {"project": "garden", "user": "ada"}


@pytest.fixture
def meter() -> Meter:
    return Meter()


@pytest.fixture
def counted(adapters: Adapters, settings: Settings, meter: Meter) -> Iterator[Services]:
    """Services whose round trips are counted, over a store in which two people have talked."""
    built = services_over(metered(adapters, meter), settings)
    wiring.provide(built)
    yield built
    wiring.provide(None)


@pytest.fixture
def garden(counted: Services, caller: Caller) -> Garden:
    told = Garden(Call(caller, counted))
    told.tell("I live in Oslo.")
    told.tell("I moved to Bergen.", session="tuesday")
    told.tell("I prefer tea.", user="eve")
    told.ask("remember", content="Tea it is.", type="decision", scope="user", user_id="ada", session_id="monday")
    return told


def query_of(page_name: str, garden: Garden) -> Mapping[str, str]:
    [fact] = garden.ask("memory_list_known", user_id="ada")["facts"]
    more = {
        "search": {"q": "Where does Ada live?", "expected": "Lisbon"},
        "statement": {"id": fact["id"]},
        "session": {"session": "monday"},
        "values": {"namespace": "agent.notes"},
        "replay": {"receipt": garden.ask("recall", user_id="ada", session_id="monday", query="tea")["receipt"]},
    }
    return {**PLACE, **more.get(page_name, {})}


@pytest.mark.req("R316")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_page_takes_the_rounds_of_the_slowest_tool_it_asks_and_one_for_the_sign_in(
    page: Any, garden: Garden, counted: Services, meter: Meter, monkeypatch: pytest.MonkeyPatch
) -> None:
    browser, query = Browser(), query_of(page.name, garden)
    browser.sign_in(counted.credentials.create(Tenant("acme"), Grant(scopes=("read", "write", "admin"))).text)
    asked: list[tuple[str, Mapping[str, Any], Call]] = []

    def noted(catalog: Any, tool: str, given: Mapping[str, Any], call: Call) -> dict[str, Any]:
        asked.append((tool, given, call))
        return execute(catalog, tool, given, call)

    assert browser.get(page.path, **query).status == 200
    monkeypatch.setattr(visit, "execute", noted)
    meter.reset()
    assert browser.get(page.path, **query).status == 200
    rounds = meter.rounds

    assert asked
    assert 0 < rounds <= SIGN_IN_ROUNDS + max(rounds_of(meter, *each) for each in asked)


def rounds_of(meter: Meter, tool: str, given: Mapping[str, Any], call: Call) -> int:
    meter.reset()
    execute(CATALOG, tool, given, call)
    return meter.rounds
