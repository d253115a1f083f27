"""DynamoDB's index may be behind its table: what is found through it is checked in the table before it is acted on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from hashlib import sha256
from typing import Any

import pytest

from cairn.calls.session_calls import SessionCalls
from cairn.ground.adapters import Adapters
from cairn.ground.ids import Namespace, Project, SessionId, Tenant
from cairn.ground.session import Session
from cairn.ground.table import Delete
from cairn.keyvalue.changes import GRACE
from cairn.keyvalue.model import KeyName, Place
from cairn.tool.call import Call
from cairn.upkeep.every_due import EveryDue
from cairn_tools.memory_after_turn import EXAMPLE, memory_after_turn
from support.calls import ACME, HOUR, log_of
from support.custody import Household
from support.documents import ADA, counted, documents, put, value_of
from support.doubles import LateBlobs
from support.keyvalue import confirm, key_value
from support.lagging import lagging
from support.services import services_over
from support.tasks import done, kept_items, office
from support.upkeep import MATES, SHARD, end_state, entry, run, say

LAG = timedelta(minutes=2)
NOISE = "".join(sha256(bytes([number % 256, number // 256])).hexdigest() for number in range(1250))
"""80 KB that compress to more than an item holds."""
PLACE = Place(Tenant("acme"), Namespace("session.monday"), KeyName("k"))


@pytest.fixture
def behind(adapters_in_memory: Callable[[], Adapters]) -> Adapters:
    return lagging(adapters_in_memory(), LAG)


@pytest.fixture
def noted(adapters_in_memory: Callable[[], Adapters], clock: Any) -> Adapters:
    """Return a store with a value whose blob was noted before it was written, which only the index still tells.

    The value's transaction, half a minute later, took the note away.
    """
    made = lagging(adapters_in_memory(), GRACE)
    slow = replace(made, blobs=LateBlobs(made.blobs, lambda: clock.advance(seconds=30)))
    key_value(slow).put(PLACE, NOISE)
    clock.advance(seconds=GRACE.total_seconds() - 10)
    return made


def collected(collector: Any, tenant: Tenant) -> int:
    """Collect what the index lists as due, once; return how much that was."""
    return collector.collect(tenant, collector.due(tenant))


@pytest.mark.req("R151")
@pytest.mark.parametrize("after", [30, 60, 90])
def test_a_key_that_was_put_again_is_kept_though_the_index_still_says_when_it_expired(
    after: int, behind: Adapters, clock: Any
) -> None:
    memory = key_value(behind)
    memory.put(PLACE, "v", ttl_seconds=60)
    clock.advance(seconds=after)
    memory.put(PLACE, "w")
    clock.advance(seconds=LAG.total_seconds() - 1)

    assert memory.collection.due(ACME)
    assert collected(memory.collection, ACME) == 0
    assert memory.get(PLACE).value == "w"
    confirm(memory, ACME)
    clock.advance(seconds=after + 1)
    assert memory.collection.due(ACME) == ()


@pytest.mark.req("R153")
def test_a_blob_that_a_value_has_taken_over_is_kept_though_the_index_still_says_that_it_is_of_no_use(
    noted: Adapters,
) -> None:
    memory = key_value(noted)

    assert memory.collection.due(ACME)
    assert collected(memory.collection, ACME) == 0
    assert memory.get(PLACE).value == NOISE


@pytest.mark.req("R153")
def test_a_blob_that_was_just_replaced_outlives_its_value_though_the_index_still_has_its_first_note(
    noted: Adapters, clock: Any
) -> None:
    memory = key_value(noted)

    def replaced() -> None:
        memory.put(PLACE, "another")
        assert memory.collection.due(ACME)
        assert collected(memory.collection, ACME) == 0

    assert key_value(replace(noted, blobs=LateBlobs(noted.blobs, replaced))).get(PLACE).value == NOISE
    clock.advance(seconds=2 * GRACE.total_seconds())
    assert collected(memory.collection, ACME) == 1


@pytest.mark.parametrize("after", [30, 60, 90])
def test_a_document_that_was_put_again_is_kept_though_the_index_still_says_when_it_expired(
    after: int, behind: Adapters, clock: Any
) -> None:
    store = documents(behind)
    put(store, (), "north", "Beans.", ttl_seconds=60)
    clock.advance(seconds=after)
    put(store, (), "north", NOISE)
    clock.advance(seconds=LAG.total_seconds() - 1)

    assert store.collector.due(ADA.tenant)
    assert collected(store.collector, ADA.tenant) == 0
    assert value_of(store, (), "north") == NOISE
    kept, recounted = counted(behind)
    assert kept == recounted


def test_what_was_collected_is_collected_once_though_the_index_still_lists_it(behind: Adapters, clock: Any) -> None:
    memory, store = key_value(behind), documents(behind)
    for value in (NOISE, "another"):
        memory.put(PLACE, value, ttl_seconds=60)
        put(store, (), "north", value, ttl_seconds=60)
    clock.advance(seconds=GRACE.total_seconds())

    assert collected(memory.collection, ACME) == collected(store.collector, ADA.tenant) == 2
    assert memory.collection.due(ACME)
    assert store.collector.due(ADA.tenant)
    assert collected(memory.collection, ACME) == collected(store.collector, ADA.tenant) == 0
    confirm(memory, ACME)


@pytest.mark.req("R253")
@pytest.mark.req("R070")
def test_a_session_that_was_just_maintained_is_left_alone_though_the_index_still_lists_it(
    behind: Adapters, clock: Any
) -> None:
    for where in MATES:
        say(behind, where, "t1", "Today I need to buy stamps.")
    assert EveryDue(behind).due_shards() == []
    clock.advance(hours=1)
    run(behind)
    entries, state = [entry(behind, where) for where in MATES], end_state(behind)

    assert EveryDue(behind).due_shards() == [SHARD]
    run(behind)

    assert ([entry(behind, where) for where in MATES], end_state(behind)) == (entries, state)
    clock.advance(seconds=LAG.total_seconds())
    assert EveryDue(behind).due_shards() == []


@pytest.mark.req("R250")
def test_a_turn_that_is_stored_while_the_index_is_behind_is_found_by_a_later_run(behind: Adapters, clock: Any) -> None:
    where = MATES[0]
    say(behind, where, "t1")
    clock.advance(hours=1)
    run(behind)
    say(behind, where, "t2", "I live in Bergen.")
    due = entry(behind, where)
    run(behind)

    assert entry(behind, where) == due is not None
    clock.advance(hours=1)
    assert EveryDue(behind).due_shards() == [SHARD]
    assert run(behind) == {"maintained": 1}


def test_a_session_that_is_gone_is_not_made_anew_though_the_index_still_lists_it(behind: Adapters, clock: Any) -> None:
    where, table = MATES[0], behind.table
    say(behind, where, "t1")
    clock.advance(hours=1)
    services = services_over(behind)
    held = services.sessions.lease(where, "eraser", services.settings.memory)
    table.delete(Delete(held.key(), held.held()))

    assert EveryDue(behind).due_shards() == [SHARD]
    run(behind)

    assert table.get(held.key()) is None


@pytest.mark.req("R309")
def test_a_log_that_was_just_sealed_stays_as_it_is_though_the_index_still_lists_its_day(call: Call, clock: Any) -> None:
    made = lagging(call.services.adapters, LAG)
    process = replace(call, services=services_over(made, call.services.settings))
    memory_after_turn.execute(EXAMPLE, process)
    assert process.services.sealer.due() == []
    clock.advance(days=2)
    assert process.services.sealer.due() == [call.caller.tenant]
    assert process.services.sealer.seal(call.caller.tenant, HOUR) == 1

    assert process.services.sealer.due() == [call.caller.tenant]
    assert process.services.sealer.seal(call.caller.tenant, HOUR) == 0
    assert log_of(made).verify(call.caller.tenant).findings == []
    clock.advance(seconds=LAG.total_seconds())
    assert process.services.sealer.due() == []


def test_a_bundle_that_is_gone_is_removed_once_though_the_index_still_lists_its_parts(
    adapters: Adapters, store: Any
) -> None:
    house = Household.over(adapters, store.directory).move_in()
    services = office(replace(house, adapters=lagging(house.adapters, LAG)), house.inventory)
    task = done(services, "export")
    house.later(days=1, minutes=1)

    assert services.tasks.bundles.remove_overdue() == task.parts
    assert services.tasks.bundles.remove_overdue() == 0
    assert kept_items(house, "part#") == []


@pytest.mark.req("R145")
def test_a_session_s_context_tells_of_each_call_once_when_the_index_has_caught_up(call: Call, clock: Any) -> None:
    made = lagging(call.services.adapters, LAG)
    process = replace(call, services=services_over(made, call.services.settings))
    session = Session(call.caller.tenant, Project("garden"), SessionId("monday"))
    kept, began = SessionCalls(made), clock.now()
    for number in range(20):
        memory_after_turn.execute({**EXAMPLE, "turn_id": f"t{number}"}, process)
        clock.advance(seconds=20)
        assert len(kept.of(session).calls) <= number
    clock.advance(seconds=LAG.total_seconds())

    assert kept.of(session) == SessionCalls(made).of(session)
    assert ([each.turn_id for each in kept.of(session).calls], kept.of(session).started_at) == (
        [f"t{number}" for number in range(20)],
        began,
    )
