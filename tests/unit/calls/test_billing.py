"""What calls cost this month: the sums of digests and of records that are not sealed yet, each record once."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from cairn.calls import billing, layout, sealing
from cairn.calls.bill import Bill, Dollars
from cairn.calls.billing import Billing
from cairn.calls.record import UNRECORDED
from cairn.calls.told_units import Use, summed_up, taken_apart
from cairn.ground.adapters import Adapters
from cairn.ground.errors import ConditionFailed, PermissionDenied, Unavailable
from cairn.ground.ids import Tenant
from cairn.ground.session import Subject
from cairn.ground.table import Key, Page, Put, Query
from cairn.ground.units import Units
from cairn.services import Services
from cairn.tool.call import Call
from cairn_tools.memory_after_turn import EXAMPLE, memory_after_turn
from cairn_tools.memory_before_turn import memory_before_turn
from support.calls import ACME, EXAMPLE_BEFORE, HOUR, log_of, stored

MARCH = datetime(2026, 3, 1, tzinfo=UTC)


class Untold:
    """Says what a process has not told."""

    def __init__(self, adapters: Adapters) -> None:
        self._meter = adapters.meter

    def untold(self, tenant: Tenant = ACME) -> Units:
        taken = self._meter.take(tenant)
        self._meter.give_back(tenant, taken)
        return together(taken)


class Reading:
    """A table that counts what is read of it."""

    def __init__(self, adapters: Adapters) -> None:
        self._table = adapters.table
        self.items = 0

    def query(self, query: Query) -> Page:
        page = self._table.query(query)
        self.items += len(page.items)
        return page


def together(by_tool: Mapping[str, Units]) -> Units:
    total = Units()
    for units in by_tool.values():
        total = total.plus(units)
    return total


def bill_of(adapters: Adapters, tenant: Tenant = ACME) -> Bill:
    """Return the bill that a new process reads."""
    return Billing(adapters).bill(tenant)


def turns(call: Call, clock: Any, count: int, minutes: int = 1) -> None:
    for _ in range(count):
        clock.advance(minutes=minutes)
        named = {**EXAMPLE, "turn_id": clock.now().isoformat()}
        memory_after_turn.execute(named, call)


def failing(services: Services, call: Call) -> None:
    def fail() -> None:
        raise Unavailable("gone")

    with pytest.raises(Unavailable):
        services.journal.run(services.journal.begin(call.caller, "recall"), (), fail)


@pytest.fixture
def meter(adapters: Adapters) -> Untold:
    return Untold(adapters)


def test_the_sums_are_what_records_told_whether_sealed_or_not(
    services: Services, call: Call, adapters: Adapters, clock: Any, meter: Untold
) -> None:
    kept = Billing(adapters)
    written = 0.0
    for round_ in range(6):
        turns(call, clock, 3)
        memory_before_turn.execute(EXAMPLE_BEFORE, call)
        if round_ % 2:
            clock.advance(minutes=4)
            services.sealer.seal(ACME, HOUR)
        bill = kept.bill(ACME)
        assert bill == bill_of(adapters), "what a process keeps changes nothing"
        assert bill.whole
        assert (bill.by_tool["memory_after_turn"].calls, bill.by_tool["memory_before_turn"].calls) == (
            3 * (round_ + 1),
            round_ + 1,
        )
        assert bill.use.units.calls + meter.untold().calls == bill.use.calls
        assert bill.use.units.write_units > written
        written = bill.use.units.write_units


def test_all_that_is_counted_is_told_once(call: Call, adapters: Adapters, clock: Any, meter: Untold, log: Any) -> None:
    for _ in range(4):
        turns(call, clock, 2)
        clock.advance(minutes=6)
        call.services.sealer.seal(ACME, HOUR)
    turns(call, clock, 2)
    lines = [json.loads(line) for line in log.getvalue().splitlines()]
    counted = sum(line.get("write_units", 0) for line in lines if line["message"] == "call")

    assert bill_of(adapters).use.units.write_units + meter.untold().write_units == counted > 0


def test_only_this_month_counts_though_a_seal_covers_two(
    services: Services, call: Call, adapters: Adapters, clock: Any, meter: Untold
) -> None:
    clock.advance(days=30, hours=23 - clock.now().hour)
    turns(call, clock, 3, minutes=10)
    march = bill_of(adapters)
    clock.advance(hours=1)
    turns(call, clock, 2, minutes=10)
    clock.advance(hours=1)
    before, untold = bill_of(adapters), meter.untold()
    assert services.sealer.seal(ACME, HOUR) == 5
    after = bill_of(adapters)

    assert (march.month, march.use.calls, march.since) == ("2026-03", 3, MARCH)
    assert (before.month, before.use.calls, before.since) == ("2026-04", 2, datetime(2026, 4, 1, tzinfo=UTC))
    assert after.use.calls == 2
    assert after.use.units == before.use.units.plus(untold), "the digest of this month tells what was left"
    assert not log_of(adapters).verify(ACME).findings


def test_a_digest_of_an_older_release_says_nothing_and_counting_begins_behind_it(
    services: Services, call: Call, adapters: Adapters, clock: Any
) -> None:
    turns(call, clock, 2)
    last = clock.now()
    clock.advance(minutes=6)
    services.sealer.seal(ACME, HOUR)
    key = Key(layout.audit_pk(ACME), layout.digest_sk(1))
    item = dict(adapters.table.get(key) or {})
    del item["used"]
    adapters.table.put(Put(item))
    turns(call, clock, 1)

    bill = bill_of(adapters)

    assert (bill.since, bill.use.calls) == (last, 1)


def test_a_call_counts_once_however_it_ends_and_a_command_not_at_all(
    services: Services, call: Call, adapters: Adapters, clock: Any
) -> None:
    turns(call, clock, 1)
    refused = replace(call, caller=replace(call.caller, scopes=frozenset()))
    with pytest.raises(PermissionDenied):
        memory_after_turn.execute(EXAMPLE, refused)
    failing(services, call)
    with services.journal.command(ACME, "erase_user", Subject()):
        clock.advance(seconds=1)
    gap = {"outcome": UNRECORDED, "request_id": "", "arguments": '{"calls":7,"first_ms":1,"last_ms":2}'}
    record = {**stored(adapters)[0], **gap, "tool": "getContext"}
    adapters.table.put(Put({**record, "sk": services.journal.begin(call.caller, "getContext").id}))

    counted = {tool: use.calls for tool, use in bill_of(adapters).by_tool.items() if use.calls}

    assert counted == {"memory_after_turn": 2, "recall": 1, "getContext": 7}


def test_an_admitted_call_that_fails_counts_once_though_a_digest_ends_between_its_records(
    services: Services, call: Call, adapters: Adapters, clock: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sealing, "MOST_RECORDS", 1)
    for _ in range(2):
        clock.advance(minutes=1)
        failing(services, call)
    assert len(stored(adapters)) == 4
    before = bill_of(adapters)
    clock.advance(minutes=6)
    services.sealer.seal(ACME, HOUR)

    assert before.use.calls == bill_of(adapters).use.calls == 2


def test_a_reading_takes_only_what_came_since_the_one_before(
    services: Services, call: Call, adapters: Adapters, clock: Any
) -> None:
    turns(call, clock, 5)
    clock.advance(minutes=6)
    services.sealer.seal(ACME, HOUR)
    turns(call, clock, 20)
    clock.advance(minutes=6)
    table = Reading(adapters)
    kept = Billing(replace(adapters, table=table))
    kept.bill(ACME)
    assert table.items > 20
    turns(call, clock, 2)
    table.items = 0

    bill = kept.bill(ACME)

    assert bill == bill_of(adapters)
    assert table.items == 2 + 1, "two records, and that there are any on this day"


def test_a_record_that_comes_late_is_counted_by_who_has_read_newer_ones(
    services: Services, call: Call, adapters: Adapters, clock: Any
) -> None:
    late, kept = services.journal.begin(call.caller, "recall"), Billing(adapters)
    turns(call, clock, 3)
    assert kept.bill(ACME).use.calls == 3

    services.journal.run(late, (), lambda: None)

    assert kept.bill(ACME) == bill_of(adapters)
    assert kept.bill(ACME).use.calls == 4


def test_at_most_so_many_records_are_read_and_the_next_reading_goes_on(
    call: Call, adapters: Adapters, clock: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    turns(call, clock, 5)
    whole, kept = bill_of(adapters), Billing(adapters)
    clock.advance(minutes=6)
    monkeypatch.setattr(billing, "MOST_READ", 2)

    bills = [kept.bill(ACME) for _ in range(3)]

    assert [(bill.use.calls, bill.whole) for bill in bills] == [(2, False), (4, False), (5, True)]
    assert bills[0].until == MARCH + timedelta(hours=12, minutes=2)
    assert bills[-1].by_tool == whole.by_tool
    assert "asking again reads on" in next(bills[0].left_out())


def test_another_tenant_is_charged_nothing(call: Call, adapters: Adapters, clock: Any) -> None:
    turns(call, clock, 2)

    bill = bill_of(adapters, Tenant("other"))

    assert (bill.by_tool, bill.since, bill.whole) == ({}, MARCH, True)


def test_a_sealer_that_lost_its_place_tells_later(
    services: Services, call: Call, adapters: Adapters, clock: Any, meter: Untold
) -> None:
    turns(call, clock, 1)
    clock.advance(minutes=6)
    untold = meter.untold()

    table = Lost(adapters)
    lost = sealing.Sealer(replace(adapters, table=table), services.vault)
    assert lost.seal(ACME, HOUR) == 0

    assert meter.untold() == untold
    services.sealer.seal(ACME, HOUR)
    assert meter.untold() == Units()
    assert bill_of(adapters).use == Use(1, untold)


class Lost:
    """A table in which every place of the chain is taken."""

    def __init__(self, adapters: Adapters) -> None:
        self._table = adapters.table

    def __getattr__(self, name: str) -> Any:
        return getattr(self._table, name)

    def put(self, write: Put) -> None:
        raise ConditionFailed({**write.item, "blob": "0" * 64})


@pytest.mark.req("R278")
def test_a_sum_that_was_changed_in_the_chain_is_found(
    services: Services, call: Call, adapters: Adapters, clock: Any
) -> None:
    turns(call, clock, 2)
    clock.advance(minutes=6)
    services.sealer.seal(ACME, HOUR)
    assert not log_of(adapters).verify(ACME).findings
    key = Key(layout.audit_pk(ACME), layout.digest_sk(1))

    adapters.table.put(Put({**(adapters.table.get(key) or {}), "used": "{}"}))

    assert [(each.kind, each.name) for each in log_of(adapters).verify(ACME).findings] == [
        ("changed", layout.digest_sk(1))
    ]


def test_a_damaged_record_costs_nothing_and_spoils_no_sum(call: Call, adapters: Adapters, clock: Any) -> None:
    turns(call, clock, 3)
    for item, name, value in zip(stored(adapters), ("units", "tool"), ("[", 5), strict=False):
        adapters.table.put(Put({**item, name: value}))

    assert bill_of(adapters).use.calls == 1


@pytest.mark.parametrize(
    ("use", "parts"),
    [
        (Use(0, Units(1, 1_000_000)), ("0.125", "0", "0", "0", "0")),
        (Use(0, Units(1, 0, 1_000_000)), ("0", "0.625", "0", "0", "0")),
        (Use(0, Units(1, 0, 0, 1_000, 1_000, 1_000)), ("0", "0", "0.0004", "0.005", "0")),
        (Use(1_000_000), ("0", "0", "0", "0", "1.4")),
    ],
    ids=["reads", "writes", "blobs", "calls"],
)
def test_dollars_are_units_and_requests_at_their_list_prices(use: Use, parts: Sequence[str]) -> None:
    dollars = Dollars.of(use)

    assert list(dollars.by_part().values()) == [*map(Decimal, parts), sum(map(Decimal, parts))]


def test_the_dearest_tool_comes_first() -> None:
    by_tool = {"a": Use(1, Units(1, 1)), "b": Use(1, Units(1, 0, 9)), "c": Use(1, Units(1, 1))}
    bill = Bill(month="2026-03", since=MARCH, until=MARCH, by_tool=by_tool, whole=True)

    assert [tool for tool, *_ in bill.dearest_first()] == ["b", "a", "c"]
    assert bill.use == Use(3, Units(3, 2, 9))


def test_a_digest_s_sums_are_read_as_they_were_written() -> None:
    by_tool = {"recall": Use(3, Units(2, 1.5, 4)), "index_log": Use(0, Units(1, 0, 0, 2)), "forget": Use(1)}

    assert taken_apart(summed_up(by_tool)) == by_tool


def test_the_last_day_is_what_calls_of_it_used_whatever_is_sealed(
    adapters: Adapters, services: Services, call: Call, clock: Any
) -> None:
    turns(call, clock, 2)
    clock.advance(hours=20)
    turns(call, clock, 3)
    services.sealer.seal(ACME, HOUR)
    whole = Billing(adapters).last_day(ACME)
    clock.advance(hours=23)
    since = Billing(adapters).last_day(ACME)
    clock.advance(hours=2)

    assert whole.use.calls == 5
    assert (since.use.calls, since.until - since.since, since.whole) == (3, timedelta(days=1), True)
    assert 0 < since.use.units.calls <= 4  # the first of them told of one before
    assert Billing(adapters).last_day(ACME).use == Use()


def test_a_day_with_more_records_than_are_read_at_once_says_until_when_it_is(
    adapters: Adapters, call: Call, clock: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(billing, "MOST_READ", 2)
    turns(call, clock, 3)

    day = Billing(adapters).last_day(ACME)

    assert (day.use.calls, day.whole, day.until) == (2, False, clock.now() - timedelta(minutes=1))


def test_provisioned_capacity_is_told_for_the_same_units_and_from_which_use_on_it_costs_less() -> None:
    units = Units(calls=1, read_units=7200, write_units=3600)
    begin = MARCH
    bill = Bill(month="2026-03", since=begin, until=begin + HOUR, by_tool={"recall": Use(1, units)}, whole=True)

    told = bill.provisioned()

    # Two reads and a write a second for one hour: 2 x $0.00013 + $0.00065; on demand $0.0009 + $0.00225.
    assert (told["read_units_per_second"], told["write_units_per_second"]) == (2.0, 1.0)
    assert told["dollars"] == pytest.approx(0.00091)
    assert told["cheaper_from_share"] == pytest.approx(0.00091 / 0.00315, abs=1e-4)
    assert replace(bill, by_tool={}).provisioned()["cheaper_from_share"] == 0.0
