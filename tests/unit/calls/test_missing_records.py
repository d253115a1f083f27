"""A record that is removed before it is sealed leaves a gap; nothing that a process meets looks like one."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from threading import Thread
from typing import Any

import pytest

from cairn.calls import layout
from cairn.calls.journal import PURPOSE
from cairn.calls.record import message_of
from cairn.ground.adapters import Adapters
from cairn.ground.errors import CairnError, Unavailable
from cairn.ground.paging import every
from cairn.ground.table import Attributes, Delete, Key, Put, Query
from cairn.tool.call import Call
from cairn_tools.getContext import getContext
from cairn_tools.memory_after_turn import EXAMPLE, memory_after_turn
from support.calls import ACME, HOUR, TODAY, log_of, sealer_of, stored
from support.faults import FAULTS, FaultyStore, Stopped
from support.memory_store import MemoryTable
from support.services import services_over

CALLS = 4


def findings(adapters: Adapters) -> set[tuple[str, str, str]]:
    return {(each.kind, each.what, each.name) for each in log_of(adapters).verify(ACME).findings}


def turns(call: Call, times: int = CALLS) -> None:
    for number in range(times):
        memory_after_turn.execute({**EXAMPLE, "turn_id": f"t{number}"}, call)


def remove(adapters: Adapters, items: list[Attributes]) -> None:
    for item in items:
        adapters.table.delete(Delete(Key.of(item)))


def counts(adapters: Adapters) -> list[Attributes]:
    return list(every(adapters.table, Query(layout.audit_pk(ACME), *layout.writer_range())))


def by_number(adapters: Adapters) -> list[Attributes]:
    return sorted(stored(adapters), key=lambda each: int(each["number"]))


@pytest.mark.req("R309")
@pytest.mark.parametrize("is_sealed_then", [False, True], ids=["not sealed", "sealed afterwards"])
@pytest.mark.parametrize("which", [[0], [1, 2], [CALLS - 1], list(range(CALLS))], ids=["first", "two", "last", "all"])
def test_records_that_were_removed_before_they_were_sealed_are_named(
    call: Call, adapters: Adapters, clock: Any, which: list[int], *, is_sealed_then: bool
) -> None:
    turns(call)
    items = by_number(adapters)
    assert findings(adapters) == set()

    remove(adapters, [items[number] for number in which])
    if is_sealed_then:
        clock.advance(minutes=10)
        sealer_of(adapters).seal(ACME, HOUR)

    wanted = {f"{TODAY}/{items[number]['writer']}#{number + 1}" for number in which}
    assert findings(adapters) == {("missing", "record", name) for name in wanted}


@pytest.mark.req("R309")
@pytest.mark.parametrize("which", [[0], [1, 2], list(range(CALLS))], ids=["first", "two", "all"])
def test_a_store_that_counts_at_a_price_shows_all_but_the_last_of_a_writer_s_removed_records(
    call: Call, adapters: Adapters, which: list[int]
) -> None:
    priced = replace(adapters, table=MemoryTable())
    turns(replace(call, services=services_over(priced, call.services.settings)))
    items = by_number(priced)

    remove(priced, [items[number] for number in which])

    named = which if len(which) < CALLS else [0]
    wanted = {f"{TODAY}/{items[number]['writer']}#{number + 1}" for number in named}
    assert findings(priced) == {("missing", "record", name) for name in wanted}


@pytest.mark.req("R309")
def test_a_record_that_was_removed_before_those_that_were_sealed_is_named_when_they_are_gone_too(
    call: Call, adapters: Adapters, clock: Any
) -> None:
    priced = replace(adapters, table=MemoryTable())
    turns(replace(call, services=services_over(priced, call.services.settings)))
    first, second, *others = by_number(priced)
    remove(priced, [second])
    clock.advance(minutes=10)
    sealer_of(priced).seal(ACME, HOUR)

    remove(priced, others)

    names = [*(str(item["sk"]) for item in others), f"{TODAY}/{first['writer']}#2"]
    assert findings(priced) == {("missing", "record", name) for name in names}


@pytest.mark.req("R309")
def test_a_count_that_was_lowered_and_a_day_that_was_taken_off_are_found(call: Call, adapters: Adapters) -> None:
    turns(call)
    (count,) = counts(adapters)

    adapters.table.put(Put({**count, "count": 1}))
    adapters.table.delete(Delete(Key(layout.audit_pk(ACME), layout.day_sk(TODAY))))

    assert findings(adapters) == {("changed", "count", str(count["sk"])), ("missing", "day", TODAY)}


@pytest.mark.req("R309")
def test_calls_at_once_are_numbered_without_a_gap(call: Call, adapters: Adapters) -> None:
    def ask() -> None:
        for _ in range(10):
            getContext.execute(dict(getContext.example), call)

    turns(call, 1)
    threads = [Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    found = log_of(adapters).verify(ACME)
    assert (found.unsealed, list(found.findings)) == (41, [])


@pytest.mark.slow
@pytest.mark.req("R309")
@pytest.mark.parametrize("fault", FAULTS)
def test_a_process_that_dies_or_whose_store_fails_at_any_call_leaves_no_false_alarm(
    fault: Callable[[Callable[[], object]], object], call: Call, adapters: Adapters
) -> None:
    for at in range(1, 40):
        table = MemoryTable()
        made = replace(adapters, table=table)
        store = FaultyStore(made, at, fault)
        services = services_over(replace(made, table=store), call.services.settings)
        for number in range(4):
            with suppress(CairnError, Unavailable, Stopped):
                memory_after_turn.execute({**EXAMPLE, "turn_id": f"t{number}"}, replace(call, services=services))
        assert findings(made) == set(), at
        numbers = [(item["writer"], item["number"]) for item in stored(made)]
        assert len(numbers) == len(set(numbers)), at
        after = replace(call, services=services_over(made, call.services.settings))
        memory_after_turn.execute({**EXAMPLE, "turn_id": "after", "session_id": "tuesday"}, after)
        assert findings(made) == set(), at
        if at > store.calls:
            return


@pytest.mark.req("R309")
def test_a_day_of_which_records_have_expired_is_not_missed(call: Call, adapters: Adapters, clock: Any) -> None:
    turns(call)
    clock.advance(days=365)
    remove(adapters, by_number(adapters)[:2])

    assert findings(adapters) == set()


def test_records_without_numbers_which_older_releases_wrote_verify(call: Call, adapters: Adapters) -> None:
    vault = call.services.vault
    turns(call, 2)
    for item in stored(adapters):
        older = {name: value for name, value in item.items() if name not in {"writer", "number", "tag"}}

        adapters.table.put(Put({**older, "tag": vault.sign(ACME, PURPOSE, message_of(older))}))
    remove(adapters, counts(adapters))

    assert findings(adapters) == set()
    assert log_of(adapters).verify(ACME).unsealed == 2
