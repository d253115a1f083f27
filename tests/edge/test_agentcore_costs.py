"""What AgentCore's operations take of the store and cost, as the page says."""

from __future__ import annotations

import io
import json
import logging
import re
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from cairn import wiring
from cairn.access.api_keys import Grant
from cairn.ground.adapters import Adapters
from cairn.ground.ids import Tenant
from cairn.services import Services
from cairn.settings.settings import Settings
from metering import Meter, metered
from prices import LIST
from support.agentcore import MEMORY, Gateway, client, signing_at
from support.doubles import FakeClock
from support.services import services_over

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "move-from-agentcore.md"
ROW = re.compile(r"^\| ([^|]+) \| (\d+) \| (\d+) \| (\d+) \| \$([\d.]+) \|", re.MULTILINE)
NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
SESSION = {"memoryId": MEMORY, "actorId": "ada", "sessionId": "monday"}
ASKED = "I would like to know which beds get enough sun for beans this year. " * 5
ANSWER = "The south bed gets seven hours of sun, so plant the beans there. " * 8
PRICES = {each["name"]: each["dollars"] / each["units"] for each in json.loads(LIST.read_text())["prices"]}


def turn(number: int) -> list[dict[str, Any]]:
    texts = (("USER", f"{number} {ASKED}"), ("ASSISTANT", f"{number} {ANSWER}"))
    return [{"conversational": {"role": role, "content": {"text": text}}} for role, text in texts]


def test_an_operation_takes_and_costs_what_the_page_says(
    new_adapters: Callable[[], tuple[Any, Adapters]],
    settings: Settings,
    clock: FakeClock,
    log: io.StringIO,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(logging.getLogger("botocore"), "propagate", False)
    meter = Meter()
    counted, plain = (replace(new_adapters()[1], clock=clock) for _ in range(2))
    with signing_at(clock):
        rounds = of_each(services_over(metered(counted, meter), settings), meter.reset, lambda: (meter.rounds,))
        units = of_each(services_over(plain, settings), partial(emptied, log), partial(used, log))

    told = {name: tuple(map(float, figures)) for name, *figures in ROW.findall(PAGE.read_text())}
    assert {name: (*rounds[name], *units[name]) for name in rounds} == told


def of_each(
    services: Services, reset: Callable[[], object], read: Callable[[], tuple[float, ...]]
) -> dict[str, tuple[float, ...]]:
    """Return what is read after each operation in a process that made another like it, by the page's name for it."""
    wiring.provide(services)
    agentcore = client(services.credentials.create(Tenant("acme"), Grant(), derived=True), Gateway())
    create = partial(agentcore.create_event, **SESSION, eventTimestamp=NOW)
    criteria = {"searchQuery": "Which bed is sunny?", "topK": 10}
    for number in range(20):
        create(payload=turn(number))
    calls: dict[str, Callable[[int], object]] = {
        "an event in which two speak, 850 bytes": lambda number: create(payload=turn(100 + number)),
        "an event with a blob of 2 KB": lambda number: create(payload=[{"blob": f"{number}{'x' * 2000}"}]),
        "the newest 20 events": lambda _: agentcore.list_events(**SESSION, maxResults=20),
        "what is found for a question": lambda _: agentcore.retrieve_memory_records(
            memoryId=MEMORY, namespace="/facts/ada", searchCriteria=criteria
        ),
    }
    found: dict[str, tuple[float, ...]] = {}
    for name, call in calls.items():
        call(0)
        reset()
        call(1)
        found[name] = read()
    wiring.provide(None)
    return found


def emptied(log: io.StringIO) -> None:
    log.truncate(0)
    log.seek(0)


def used(log: io.StringIO) -> tuple[float, ...]:
    """Return the read and write units that the log tells, and dollars a million."""
    lines = [json.loads(line) for line in log.getvalue().splitlines() if line.startswith("{")]
    read, write = (sum(line.get(name, 0) for line in lines) for name in ("read_units", "write_units"))
    each = read * PRICES["dynamodb_read"] + write * PRICES["dynamodb_write"]
    each += PRICES["http_api"] + 2 * PRICES["lambda_request"]
    return round(read), round(write), round(each * 1e6, 1)
