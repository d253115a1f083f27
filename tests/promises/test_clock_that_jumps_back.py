"""A clock that is set back at any moment of any call: everything is kept, found, in order, and soundly on record."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from cairn import wiring
from cairn.ground.adapters import Adapters
from cairn.ground.ids import Project, SessionId, Tenant
from cairn.ground.session import Session
from cairn.settings.settings import Settings
from cairn_tools.catalog import CATALOG
from support.canaries import EventOf, http
from support.doubles import FakeClock
from support.services import services_over

ACME = Tenant("acme")
TOOLS = {tool.name: tool for tool in CATALOG}
BACK = {"a second": 1, "an hour": 3600, "a year": 365 * 86400}
NAMES = {"project": "garden", "session_id": "monday", "user_id": "ada"}
OWNER = {"project": "garden", "user_id": "ada"}
LOG = {**OWNER, "log": "thread"}
PLACE = {"namespace": "session.monday", "key": "bed"}


class JumpingClock(FakeClock):
    """A clock that is set back before it is read for the so many-th time, and goes on a millisecond at each reading."""

    def __init__(self, at: int, seconds: float) -> None:
        super().__init__()
        self.readings = 0
        self._at, self._seconds = at, seconds

    def now(self) -> datetime:
        self.readings += 1
        self.advance(milliseconds=1)
        if self.readings == self._at:
            self.advance(seconds=-self._seconds)
        return self.time


class Flow:
    """Calls by two processes, in turn, each of which remembers what it read."""

    def __init__(self, adapters: Adapters, settings: Settings, event_of: EventOf) -> None:
        self.processes = [services_over(adapters, settings) for _ in range(2)]
        self._http = http(event_of)

    def ask(self, process: int, tool: str, arguments: Mapping[str, Any]) -> Any:
        wiring.provide(self.processes[process])
        response = self._http(TOOLS[tool], dict(arguments))
        assert response["statusCode"] == 200, (tool, response["body"])
        return json.loads(response["body"])

    def run(self) -> None:
        """Say, keep, append, put and index by both processes; each reads what the other wrote."""
        for number, fruit in enumerate(("plums", "figs", "pears")):
            writer, reader = number % 2, (number + 1) % 2
            for process in (writer, reader):
                self.ask(process, "memory_before_turn", {**NAMES, "turn_id": f"t{number}", "current_input": "Fruit?"})
            self.ask(writer, "memory_after_turn", {**NAMES, "turn_id": f"t{number}", **turn(f"I like {fruit}.")})
            self.ask(writer, "remember", {**NAMES, "content": f"The {fruit} stand by the wall.", "scope": "user"})
            self.ask(writer, "memory_append_items", {**LOG, "items": [{"id": fruit, "data": fruit}]})
            put = {"documents": [{"collection": ["fruit"], "key": fruit, "value": {"text": f"A bowl of {fruit}."}}]}
            self.ask(writer, "memory_put_documents", {**OWNER, **put})
            self.ask(writer, "putMemory", {**PLACE, "value": fruit, "ttl_seconds": 600})
            self._is_found(reader, fruit)
            self.processes[writer].indexer.run(ACME, Project("garden"), "u:ada")
            self._is_found(reader, fruit)

    def _is_found(self, process: int, fruit: str) -> None:
        assert fruit in json.dumps(self.ask(process, "recall", {**NAMES, "query": fruit}))
        assert self.ask(process, "getMemory", PLACE)["value"] == fruit
        found = self.ask(process, "memory_search_documents", {**OWNER, "collection": ["fruit"], "query": fruit})
        assert fruit in json.dumps(found)

    def told_in_order(self) -> None:
        """Fail where anything is missing, out of order or not on record."""
        session = Session(ACME, Project("garden"), SessionId("monday"))
        assert [seq for seq, _ in self.processes[0].sessions.history(session)] == [1, 2, 3]
        items = self.ask(1, "memory_read_items", LOG)["items"]
        assert [each["data"] for each in items] == ["plums", "figs", "pears"]


def turn(text: str) -> dict[str, Any]:
    return {
        "input_items": [{"role": "user", "content": text}],
        "output_items": [{"role": "assistant", "content": "Noted."}],
    }


@pytest.fixture
def flow(new_adapters: Any, settings: Settings, event_of: EventOf) -> Callable[[int, float], tuple[Flow, JumpingClock]]:
    def make(at: int, seconds: float) -> tuple[Flow, JumpingClock]:
        clock = JumpingClock(at, seconds)
        _, adapters = new_adapters()
        return Flow(replace(adapters, clock=clock), settings, event_of), clock

    return make


@pytest.mark.req("R303")
@pytest.mark.slow
@pytest.mark.parametrize("seconds", BACK.values(), ids=BACK)
def test_whenever_the_clock_is_set_back_nothing_is_lost_out_of_order_or_off_the_record(
    flow: Any, seconds: float
) -> None:
    first, clock = flow(0, seconds)
    first.run()
    wrong: list[str] = []
    step = 7
    for at in range(1 + int(seconds) % step, clock.readings, step):
        tried, jumping = flow(at, seconds)
        try:
            tried.run()
            tried.told_in_order()
            jumping.advance(seconds=seconds + 7200)
            tried.processes[0].sealer.seal(ACME, timedelta(hours=1))
            verified = tried.processes[0].audit.verify(ACME)
            assert not verified.findings
        except AssertionError as error:
            wrong.append(f"reading {at} of {clock.readings}: {str(error)[:300]}")
    wiring.provide(None)
    assert not wrong, "\n".join(wrong)
