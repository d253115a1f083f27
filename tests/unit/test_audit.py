"""The audit log: what is recorded of a call, how records are sealed, and what is found of tampering."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any, NoReturn

import pytest

from cairn.domain import audit_layout as layout
from cairn.domain import codec
from cairn.domain.audit import SETTLED, Subject
from cairn.domain.errors import CairnError, Disabled, InvalidArgument, PermissionDenied, Unavailable
from cairn.domain.ids import Digest, Project, Tenant, UserId
from cairn.domain.table import Attributes, Delete, Key, Put, Query
from cairn.edge.tool import Call
from cairn.runtime import wiring
from cairn.runtime.settings import Settings
from cairn.runtime.wiring import Services
from cairn.service.audit import AuditLog
from cairn.service.journal import Journal
from cairn.service.paging import every
from cairn.service.sealing import Sealer
from cairn.service.vault import Vault
from cairn.service.world import World
from cairn_tools.memory_after_turn import EXAMPLE, memory_after_turn
from cairn_tools.memory_before_turn import memory_before_turn
from faults import FaultyBlobs, FaultyStore, refused

ACME = Tenant("acme")
EXAMPLE_BEFORE = dict(memory_before_turn.example)
HOUR = timedelta(hours=1)
TODAY = "2026-03-01"


def log_of(world: World) -> AuditLog:
    return AuditLog(world, Vault(world))


def sealer_of(world: World) -> Sealer:
    return Sealer(world, Vault(world))


def outcomes(world: World, tenant: Tenant = ACME) -> list[tuple[str, str]]:
    now = world.clock.now()
    return [(each.tool, each.outcome) for each in log_of(world).records(tenant, now - 24 * HOUR, now)]


def findings(world: World, holds: str | None = None) -> set[tuple[str, str]]:
    """Return what is found in a new process, as kinds and names."""
    return {(each.kind, each.name) for each in log_of(world).verify(ACME, holds).findings}


def stored(world: World, day: str = TODAY) -> list[Attributes]:
    return list(every(world.table, Query(layout.audit_day_pk(ACME, day), "0", "\U0010ffff")))


def digests(world: World) -> list[Attributes]:
    return list(every(world.table, Query(layout.audit_pk(ACME), *layout.digest_range())))


def key_of_item(item: Attributes) -> Key:
    return Key(str(item["pk"]), str(item["sk"]))


def without_blob(world: World, items: list[Attributes]) -> None:
    world.blobs.delete(ACME, Digest(str(items[0]["blob"])))


def without_first(world: World, items: list[Attributes]) -> None:
    world.table.delete(Delete(key_of_item(items[0])))


def swap(world: World, items: list[Attributes]) -> None:
    for item, place in zip(items, items[::-1], strict=True):
        world.table.put(Put({**item, "sk": place["sk"]}))


def forge(world: World, items: list[Attributes]) -> None:
    item = items[1]
    sealed = world.blobs.get(ACME, Digest(str(item["blob"])))
    world.table.put(Put({**item, "blob": world.blobs.put(ACME, sealed[:-1] + bytes([sealed[-1] ^ 1]))}))


@pytest.fixture
def sealed(call: Call, world: World, clock: Any) -> World:
    """Return a store with six calls of two days in two digests, and one call that no digest names yet."""
    for number in range(6):
        memory_after_turn.execute({**EXAMPLE, "turn_id": f"turn-{number}"}, call)
        clock.advance(hours=5)
        if number in {2, 5}:
            assert call.services.sealer.seal(ACME, HOUR) == 3
    memory_before_turn.execute(EXAMPLE_BEFORE, call)
    return world


@pytest.mark.req("R013")
@pytest.mark.req("R163")
def test_a_call_leaves_one_record_of_who_called_what_on_what_and_no_value(call: Call, world: World) -> None:
    caller = replace(call.caller, credential="0123456789abcdef")

    memory_after_turn.execute(EXAMPLE, replace(call, caller=caller))

    (record,) = log_of(world).records(ACME, world.clock.now() - HOUR, world.clock.now())
    assert (record.tool, record.outcome, record.credential) == ("memory_after_turn", "admitted", "0123456789abcdef")
    assert (record.subject.project, record.subject.session_id, record.subject.turn_id) == ("garden", "monday", "turn-1")
    assert (record.request_id, record.at) == ("request-1", world.clock.now())
    assert set(record.arguments) == set(EXAMPLE)
    assert record.arguments["project"] == len('"garden"')
    (item,) = stored(world)
    assert "beans" not in json.dumps(item)


@pytest.mark.req("R013")
def test_the_log_s_line_of_a_call_tells_the_size_of_each_argument_and_no_value(
    call: Call, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "cairn")

    memory_after_turn.execute(EXAMPLE, call)

    (line,) = [vars(each)["call"].line() for each in caplog.records if "call" in vars(each)]
    assert {"tool", "tenant", "status", "latency_ms", "arguments"} <= set(line)
    assert line["arguments"] == {name: len(json.dumps(value).encode()) for name, value in EXAMPLE.items()}
    assert "beans" not in json.dumps(line)


@pytest.mark.req("R163")
@pytest.mark.req("R164")
def test_denied_invalid_and_failed_calls_are_recorded_by_their_codes(call: Call, world: World, clock: Any) -> None:
    def fails(change: Call, arguments: dict[str, Any]) -> None:
        clock.advance(seconds=1)
        with pytest.raises(CairnError):
            memory_after_turn.execute(arguments, change)

    fails(replace(call, caller=replace(call.caller, scopes=frozenset({"read"}))), EXAMPLE)
    fails(replace(call, caller=replace(call.caller, projects=())), EXAMPLE)
    fails(call, {**EXAMPLE, "project": "../"})
    clock.advance(seconds=1)
    memory_after_turn.execute(EXAMPLE, call)
    fails(call, {**EXAMPLE, "input_items": []})

    found = [outcome for _, outcome in outcomes(world)][::-1]
    assert found == [
        *("PERMISSION_DENIED", "PERMISSION_DENIED", "INVALID_ARGUMENT"),
        *("admitted", "admitted", "CONFLICT"),
    ]
    assert [item.get("project") for item in stored(world)] == [None, "garden", None, "garden", "garden", "garden"]


def test_a_tool_that_is_off_leaves_no_record_as_one_that_does_not_exist(call: Call, world: World) -> None:
    off = replace(call, services=replace(call.services, settings=Settings(memory_enabled=False)))

    with pytest.raises(Disabled):
        memory_after_turn.execute(EXAMPLE, off)

    assert outcomes(world) == []


@pytest.mark.req("R163")
@pytest.mark.parametrize("tool", [memory_after_turn, memory_before_turn], ids=lambda tool: tool.name)
def test_no_call_is_answered_whose_record_cannot_be_written(tool: Any, call: Call, world: World) -> None:
    class NoAudit:
        def __getattr__(self, name: str) -> Any:
            return getattr(world.table, name)

        def transact(self, writes: Sequence[Any]) -> None:
            if "#audit" in str(writes[0]):
                raise Unavailable("throttled")
            world.table.transact(writes)

    services = wiring.build(call.services.settings, replace(world, table=NoAudit()))  # pyright: ignore[reportArgumentType]

    with pytest.raises(Unavailable, match="recorded"):
        tool.execute(dict(tool.example), replace(call, services=services))


@pytest.mark.req("R164")
def test_whoever_is_denied_is_told_so_even_where_that_cannot_be_recorded(call: Call, world: World) -> None:
    def refuse(_: object) -> NoReturn:
        raise Unavailable("throttled")

    class NoAudit:
        put = transact = staticmethod(refuse)

        def __getattr__(self, name: str) -> Any:
            return getattr(world.table, name)

    settings = replace(call.services.settings, rate_limits=replace(call.services.settings.rate_limits, **UNLIMITED))
    services = wiring.build(settings, replace(world, table=NoAudit()))  # pyright: ignore[reportArgumentType]
    denied = Call(replace(call.caller, scopes=frozenset()), services)

    with pytest.raises(PermissionDenied):
        memory_after_turn.execute(EXAMPLE, denied)


UNLIMITED: dict[str, Any] = {"tenant_per_second": 0.0, "tool_per_second": 0.0, "namespace_per_second": 0.0}


@pytest.mark.req("R278")
def test_an_untouched_log_verifies_in_a_new_process(sealed: World) -> None:
    found = log_of(sealed).verify(ACME)

    assert (found.digests, found.records, found.unsealed, list(found.findings)) == (2, 6, 1, [])
    assert found.head
    assert log_of(sealed).verify(ACME, found.head).findings == []


@pytest.mark.req("R163")
@pytest.mark.req("R278")
@pytest.mark.parametrize("name", ["outcome", "tool", "credential", "session_id", "arguments", "request_id", "tag"])
@pytest.mark.parametrize("which", [0, 2, -1])
def test_a_changed_record_is_found(sealed: World, name: str, which: int) -> None:
    item = (stored(sealed) + stored(sealed, "2026-03-02"))[which]
    sealed.table.put(Put({**item, name: f"{item[name]}x"}))

    assert findings(sealed) == {("changed", item["sk"])}


@pytest.mark.req("R278")
def test_a_changed_record_that_is_not_sealed_yet_is_found(sealed: World) -> None:
    (item,) = [each for each in stored(sealed, "2026-03-02") if each["tool"] == "memory_before_turn"]
    sealed.table.put(Put({**item, "outcome": "PERMISSION_DENIED"}))

    assert findings(sealed) == {("changed", item["sk"])}


@pytest.mark.req("R278")
@pytest.mark.parametrize("which", [0, 1, 2])
def test_a_missing_record_is_found(sealed: World, which: int) -> None:
    item = stored(sealed)[which]
    sealed.table.delete(Delete(Key(str(item["pk"]), str(item["sk"]))))

    assert findings(sealed) == {("missing", item["sk"])}


@pytest.mark.req("R278")
def test_records_in_another_order_are_found(sealed: World) -> None:
    one, other = stored(sealed)[:2]
    for item, place in ((one, other), (other, one)):
        sealed.table.put(Put({**item, "pk": place["pk"], "sk": place["sk"]}))

    assert findings(sealed) == {("reordered", one["sk"]), ("reordered", other["sk"])}


@pytest.mark.req("R278")
def test_an_added_record_is_found_a_copy_of_a_genuine_one_too(sealed: World) -> None:
    item = stored(sealed)[1]
    sealed.table.put(Put({**item, "sk": f"{item['sk']}#end"}))

    assert findings(sealed) == {("added", f"{item['sk']}#end")}


@pytest.mark.req("R278")
@pytest.mark.parametrize(
    ("tamper", "kinds"),
    [(without_blob, {"missing"}), (without_first, {"missing"}), (swap, {"reordered"}), (forge, {"changed"})],
)
def test_a_tampered_digest_is_found(sealed: World, tamper: Callable[..., None], kinds: set[str]) -> None:
    tamper(sealed, digests(sealed))

    assert {each.kind for each in log_of(sealed).verify(ACME).findings if each.what == "digest"} == kinds


@pytest.mark.req("R278")
def test_a_chain_that_was_cut_off_lacks_the_head_that_was_noted(sealed: World) -> None:
    head = log_of(sealed).verify(ACME).head
    sealed.table.delete(Delete(key_of_item(digests(sealed)[-1])))

    assert findings(sealed) == set()
    assert findings(sealed, holds=head) == {("missing", head)}


def test_what_has_expired_may_be_gone(sealed: World, clock: Any) -> None:
    for item in stored(sealed):
        sealed.table.delete(Delete(key_of_item(item)))
    assert {kind for kind, _ in findings(sealed)} == {"missing"}

    clock.advance(days=366)

    assert findings(sealed) == set()


def test_only_what_no_call_can_still_precede_is_sealed(call: Call, world: World, clock: Any) -> None:
    memory_after_turn.execute(EXAMPLE, call)

    clock.advance(seconds=SETTLED.total_seconds() - 1)
    assert sealer_of(world).seal(ACME, HOUR) == 0
    clock.advance(seconds=2)
    assert sealer_of(world).seal(ACME, HOUR) == 1
    assert sealer_of(world).seal(ACME, HOUR) == 0


def test_a_tenant_is_due_from_its_first_call_until_its_day_is_over_and_sealed(
    call: Call, world: World, clock: Any
) -> None:
    assert sealer_of(world).due() == []
    memory_after_turn.execute(EXAMPLE, call)
    assert sealer_of(world).due() == [ACME]
    clock.advance(hours=1)
    sealer_of(world).seal(ACME, HOUR)
    assert sealer_of(world).due() == [ACME], "there may be more calls today"
    clock.advance(days=1)
    assert sealer_of(world).due() == [ACME]

    sealer_of(world).seal(ACME, HOUR)

    assert sealer_of(world).due() == []
    memory_after_turn.execute({**EXAMPLE, "turn_id": "next"}, call)
    assert sealer_of(world).due() == [ACME]


@pytest.mark.parametrize("at", range(1, 8))
def test_two_that_seal_at_once_make_one_chain(at: int, call: Call, world: World, clock: Any) -> None:
    memory_after_turn.execute(EXAMPLE, call)
    clock.advance(hours=1)
    heads: list[str] = []

    def meanwhile(made: Callable[[], object]) -> object:
        sealer_of(world).seal(ACME, HOUR)
        heads.append(log_of(world).verify(ACME).head)
        return made()

    store = FaultyStore(world, at, meanwhile)
    sealer_of(replace(world, table=store, blobs=FaultyBlobs(world, store))).seal(ACME, HOUR)

    assert heads
    found = log_of(world).verify(ACME, heads[0])
    assert (found.digests, found.records, list(found.findings)) == (1, 1, [])


@pytest.mark.req("R278")
def test_records_are_listed_by_tenant_and_time_and_limit_newest_first(call: Call, world: World, clock: Any) -> None:
    start = clock.now()
    for number in range(6):
        memory_after_turn.execute({**EXAMPLE, "turn_id": f"t{number}"}, call)
        clock.advance(hours=7)
    other = replace(call, caller=replace(call.caller, tenant=Tenant("acme2")))
    memory_after_turn.execute({**EXAMPLE, "turn_id": "theirs"}, other)
    log = log_of(world)

    def turns(since: int, until: int, limit: int = 100) -> list[str | None]:
        found = log.records(ACME, start + since * HOUR, start + until * HOUR, limit)
        return [each.subject.turn_id for each in found]

    assert turns(0, 100) == ["t5", "t4", "t3", "t2", "t1", "t0"]
    assert turns(7, 21) == ["t3", "t2", "t1"]
    assert turns(0, 100, 2) == ["t5", "t4"]
    assert [each.subject.turn_id for each in log.records(Tenant("acme2"), start, clock.now())] == ["theirs"]
    for limit in (0, 1001):
        with pytest.raises(InvalidArgument, match="limit"):
            turns(0, 1, limit)


@pytest.mark.req("R278")
def test_a_hundred_records_are_listed_unless_told(call: Call, world: World) -> None:
    for _ in range(101):
        memory_before_turn.execute(EXAMPLE_BEFORE, call)

    assert len(log_of(world).records(ACME, world.clock.now(), world.clock.now())) == 100


@pytest.mark.req("R278")
def test_a_digest_of_another_chain_is_found(sealed: World) -> None:
    """Two digests may have been made for one place, of which the chain holds one."""
    first, second = digests(sealed)
    where = layout.digests_key(ACME)
    opened = codec.unpack(Vault(sealed).unseal_blob(ACME, where, sealed.blobs.get(ACME, Digest(str(second["blob"])))))
    assert opened["previous"] == first["blob"]
    other = codec.pack({**opened, "previous": "0" * 64})
    blob = sealed.blobs.put(ACME, Vault(sealed).seal_blob(ACME, where, other))
    sealed.table.put(Put({**second, "blob": blob}))

    assert findings(sealed) == {("changed", second["sk"])}


@pytest.mark.req("R278")
def test_a_command_that_outlasts_the_sealing_of_its_beginning_verifies(services: Services, world: World) -> None:
    clock: Any = world.clock
    subject = Subject(project=Project("garden"), user_id=UserId("ada"))

    def last() -> NoReturn:
        clock.advance(hours=1)
        assert services.sealer.seal(ACME, HOUR) == 1
        raise Unavailable("the store is away")

    with pytest.raises(Unavailable), services.journal.command(ACME, "cairn erase", subject):
        last()

    clock.advance(hours=1)
    assert services.sealer.seal(ACME, HOUR) == 1
    assert findings(world) == set()
    ended, begun = log_of(world).records(ACME, clock.now() - 3 * HOUR, clock.now())
    assert (begun.outcome, ended.outcome) == ("admitted", "UNAVAILABLE")
    assert (ended.subject, ended.duration_ms) == (subject, 3_600_000)


@pytest.mark.req("R278")
def test_a_command_that_cannot_be_recorded_is_not_begun_and_one_that_breaks_is_no_success(
    services: Services, world: World
) -> None:
    away = Journal(replace(world, table=FaultyStore(world, 1, refused)), Vault(world), HOUR)
    with pytest.raises(Unavailable), away.command(ACME, "cairn export", Subject()):
        pytest.fail("it was begun")
    assert outcomes(world) == []

    with pytest.raises(ZeroDivisionError), services.journal.command(ACME, "cairn export", Subject()):
        _ = 1 / 0
    assert {outcome for _, outcome in outcomes(world)} == {"admitted", "INTERNAL_ERROR"}
