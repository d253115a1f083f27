"""What calls used of table and blobs is told by later records, and in the end by none twice and none less."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from cairn.calls.record import TAG, UNITS
from cairn.calls.told_units import MOST_BYTES, room_of
from cairn.ground.adapters import Adapters
from cairn.ground.errors import Unavailable
from cairn.ground.ids import Tenant
from cairn.ground.table import REQUEST_MARK_BYTES, Put, Write, item_bytes, key_of
from cairn.ground.units import Units, read_back, written_down
from cairn.services import Services
from cairn.settings.settings import Settings
from cairn.telemetry.record import MOST_TENANTS, CallMeter, CallRecord, recorded
from cairn.tool.call import Call
from cairn_tools.getContext import getContext
from cairn_tools.memory_after_turn import EXAMPLE, memory_after_turn
from cairn_tools.memory_before_turn import memory_before_turn
from support.calls import ACME, EXAMPLE_BEFORE, log_of, stored
from support.services import services_over

USED: Mapping[str, Any] = {"read_units": 2.5, "write_units": 3, "blob_reads": 1}


class Refusing:
    """A table that takes no records while it is closed."""

    def __init__(self, adapters: Adapters) -> None:
        self._table = adapters.table
        self.is_closed = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._table, name)

    def put(self, write: Put) -> None:
        self._check([write])
        self._table.put(write)

    def transact(self, writes: Sequence[Write]) -> None:
        self._check(writes)
        self._table.transact(writes)

    def _check(self, writes: Sequence[Write]) -> None:
        if self.is_closed and any("#audit#" in key_of(each).pk for each in writes):
            raise Unavailable("closed")


def told(adapters: Adapters) -> list[Mapping[str, Units]]:
    return [read_back(str(item.get(UNITS, ""))) for item in stored(adapters)]


def in_a_call(meter: CallMeter, tool: str | None = "recall", tenant: Tenant = ACME, owner: Tenant = ACME) -> CallRecord:
    """Return the record of a call of a tenant that used something of what the owner stores."""
    with recorded("request-1") as record:
        record.ran = True
        record.name_tenant(tenant)
        record.tool = tool
        meter.used(owner, **USED)
    return record


def test_a_record_tells_what_the_calls_before_it_used_by_tool(call: Call, adapters: Adapters, clock: Any) -> None:
    memory_after_turn.execute(EXAMPLE, call)
    clock.advance(seconds=1)
    memory_before_turn.execute(EXAMPLE_BEFORE, call)
    clock.advance(seconds=1)
    getContext.execute(dict(getContext.example), call)

    first, second, third = told(adapters)
    assert first == {}
    assert list(second) == ["memory_after_turn"]
    assert list(third) == ["memory_before_turn"]
    assert second["memory_after_turn"].calls == third["memory_before_turn"].calls == 1
    assert second["memory_after_turn"].write_units > third["memory_before_turn"].write_units > 0


@pytest.mark.req("R278")
def test_what_a_record_tells_is_under_its_tag(call: Call, adapters: Adapters, clock: Any) -> None:
    memory_after_turn.execute(EXAMPLE, call)
    clock.advance(seconds=1)
    memory_before_turn.execute(EXAMPLE_BEFORE, call)
    item = stored(adapters)[1]
    assert not log_of(adapters).verify(ACME).findings

    adapters.table.put(Put({**item, UNITS: '{"memory_after_turn":[1]}'}))

    assert [each.name for each in log_of(adapters).verify(ACME).findings] == [item["sk"]]


def test_a_call_s_log_line_says_the_units_that_are_told_of_it(
    call: Call, adapters: Adapters, clock: Any, log: Any
) -> None:
    memory_after_turn.execute(EXAMPLE, call)
    clock.advance(seconds=1)
    memory_before_turn.execute(EXAMPLE_BEFORE, call)
    units = told(adapters)[1]["memory_after_turn"]

    lines = [json.loads(line) for line in log.getvalue().splitlines()]
    line = next(line for line in lines if line.get("tool") == "memory_after_turn")
    assert (line["read_units"], line["write_units"]) == (units.read_units, units.write_units)
    assert "blob_requests" not in line


@pytest.mark.parametrize("size", [*range(400, 700, 7), *range(880, 1024), *range(1900, 2049)])
def test_what_a_record_tells_never_begins_another_kilobyte(size: int) -> None:
    item = {"pk": "p", "sk": "s" * (size - 5)}
    room = room_of(item)
    for tag in ("1." + "f" * 32, "999999." + "f" * 32):
        whole = {**item, TAG: tag}
        for mark in (0, REQUEST_MARK_BYTES):
            bare = math.ceil((item_bytes(whole) + mark) / 1024)
            telling = {**whole, **({UNITS: "x" * room} if room > 0 else {})}
            assert math.ceil((item_bytes(telling) + mark) / 1024) == bare
    assert room <= MOST_BYTES


def test_what_finds_no_room_waits_for_the_next_record() -> None:
    meter = CallMeter()
    for tool in ("memory_list_dir_with_abstract", "recall"):
        in_a_call(meter, tool)
    alone = len(written_down({"recall": Units(1, **USED)}))

    assert meter.take(ACME, alone - 1) == {}
    assert list(meter.take(ACME, alone)) == ["recall"]
    assert list(meter.take(ACME)) == ["memory_list_dir_with_abstract"]
    assert meter.take(ACME) == {}


def test_what_a_record_cannot_tell_the_next_one_does(
    adapters: Adapters, settings: Settings, call: Call, clock: Any
) -> None:
    table = Refusing(adapters)
    refused = replace(call, services=services_over(replace(adapters, table=table), settings))
    memory_after_turn.execute(EXAMPLE, refused)

    table.is_closed = True
    with pytest.raises(Unavailable):
        memory_after_turn.execute({**EXAMPLE, "turn_id": "t2"}, refused)
    table.is_closed = False
    clock.advance(seconds=1)
    memory_before_turn.execute(EXAMPLE_BEFORE, refused)

    assert told(adapters)[-1]["memory_after_turn"].calls == 2


@pytest.mark.parametrize(
    ("tool", "owner"), [(None, ACME), ("recall", Tenant("~policies")), ("recall", Tenant("other"))]
)
def test_what_is_no_tool_s_or_not_the_tenant_s_own_is_counted_for_nobody(tool: str | None, owner: Tenant) -> None:
    meter = CallMeter()

    record = in_a_call(meter, tool, owner=owner)
    meter.used(ACME, **USED)

    assert meter.take(owner) == meter.take(ACME) == {}
    assert record.read_units == 0


def test_each_tenant_s_records_tell_of_its_own_calls_alone(
    services: Services, call: Call, adapters: Adapters, clock: Any
) -> None:
    other = replace(call, caller=replace(call.caller, tenant=Tenant("other")))
    memory_after_turn.execute(EXAMPLE, call)
    memory_before_turn.execute(EXAMPLE_BEFORE, other)
    clock.advance(seconds=1)
    memory_before_turn.execute(EXAMPLE_BEFORE, call)

    assert list(told(adapters)[-1]) == ["memory_after_turn"]
    assert list(services.adapters.meter.take(Tenant("other"))) == ["memory_before_turn"]


def test_a_process_keeps_what_it_has_not_told_of_so_many_tenants() -> None:
    meter = CallMeter()
    for number in range(MOST_TENANTS + 1):
        tenant = Tenant(f"t{number}")
        in_a_call(meter, tenant=tenant, owner=tenant)

    assert meter.take(Tenant("t0")) == {}
    assert meter.take(Tenant("t1")) != {}


@pytest.mark.parametrize(
    ("units", "figures"),
    [
        (Units(), []),
        (Units(1, 2.5, 3.0), [1, 2.5, 3]),
        (Units(1, 0, 0, 0, 0, 2), [1, 0, 0, 0, 0, 2]),
    ],
)
def test_figures_are_written_at_their_shortest_and_read_back(units: Units, figures: list[float]) -> None:
    assert units.figures() == figures
    assert Units.of(figures) == units
    assert read_back(written_down({"recall": units})) == {"recall": units}
