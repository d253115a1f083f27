"""Who reaches for much in many places is counted as an anomaly; who does one of the two is not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from cairn.ground.adapters import Adapters, NoTally
from cairn.ground.errors import PermissionDenied
from cairn.tool.call import Call
from cairn_tools.memory_before_turn import memory_before_turn
from support.services import services_over


class Anomalies(NoTally):
    """Counts the anomalies."""

    def __init__(self) -> None:
        self.count = 0

    def access_anomaly(self) -> None:
        self.count += 1


@pytest.fixture
def anomalies(monkeypatch: pytest.MonkeyPatch) -> Anomalies:
    counted = Anomalies()
    monkeypatch.setattr("cairn.services.CallTally", lambda: counted)
    return counted


Access = Callable[..., None]


@pytest.fixture
def access(call: Call, adapters: Adapters, anomalies: Anomalies, clock: Any) -> Access:
    """Return a function that makes calls in a process whose anomalies are counted."""
    assert anomalies.count == 0
    process = replace(call, services=services_over(adapters, call.services.settings))

    def make(times: int, places: int, seconds: float = 0, credential: str = "") -> None:
        caller = replace(process.caller, credential=credential)
        for number in range(times):
            arguments = {**memory_before_turn.example, "project": f"p{number % places}"}
            memory_before_turn.execute(arguments, replace(process, caller=caller))
            clock.advance(seconds=seconds)

    return make


@pytest.mark.req("R281")
@pytest.mark.parametrize(
    ("accesses", "found"),
    [((11, 6), 1), ((13, 6, 5), 3), ((10, 10), 0), ((40, 5), 0), ((30, 10, 6), 0), ((12, 12), 2)],
)
def test_over_ten_accesses_in_a_minute_to_over_five_places_are_an_anomaly(
    accesses: tuple[int, ...], found: int, access: Access, anomalies: Anomalies
) -> None:
    access(*accesses)

    assert anomalies.count == found


@pytest.mark.req("R281")
def test_attempts_that_are_denied_count_too(call: Call, adapters: Adapters, anomalies: Anomalies) -> None:
    services = services_over(adapters, call.services.settings)
    denied = Call(replace(call.caller, projects=()), services)

    for number in range(11):
        with pytest.raises(PermissionDenied):
            memory_before_turn.execute({**memory_before_turn.example, "project": f"p{number}"}, denied)

    assert anomalies.count == 1


@pytest.mark.req("R281")
def test_each_key_is_looked_at_alone(access: Access, anomalies: Anomalies) -> None:
    for credential in ("a", "b", "c"):
        access(9, 9, credential=credential)

    assert anomalies.count == 0
