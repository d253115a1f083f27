"""The hash chain over the record of calls shows tampering."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NoReturn

import pytest

from cairn.calls import layout
from cairn.calls.record import SETTLED
from cairn.ground import codec
from cairn.ground.adapters import Adapters
from cairn.ground.errors import Unavailable
from cairn.ground.ids import Digest, Project, UserId
from cairn.ground.paging import every
from cairn.ground.session import Subject
from cairn.ground.table import Attributes, Delete, Key, Put, Query
from cairn.services import Services
from cairn.tool.call import Call
from cairn.vault.vault import Vault
from cairn_tools.memory_after_turn import EXAMPLE, memory_after_turn
from cairn_tools.memory_before_turn import memory_before_turn
from support.calls import ACME, EXAMPLE_BEFORE, HOUR, log_of, sealer_of, stored
from support.faults import FaultyBlobs, FaultyStore


def findings(adapters: Adapters, holds: str | None = None) -> set[tuple[str, str]]:
    """Return what is found in a new process, as kinds and names."""
    return {(each.kind, each.name) for each in log_of(adapters).verify(ACME, holds).findings}


def digests(adapters: Adapters) -> list[Attributes]:
    return list(every(adapters.table, Query(layout.audit_pk(ACME), *layout.digest_range())))


def key_of_item(item: Attributes) -> Key:
    return Key(str(item["pk"]), str(item["sk"]))


def without_blob(adapters: Adapters, items: list[Attributes]) -> None:
    adapters.blobs.delete(ACME, Digest(str(items[0]["blob"])))


def without_first(adapters: Adapters, items: list[Attributes]) -> None:
    adapters.table.delete(Delete(key_of_item(items[0])))


def swap(adapters: Adapters, items: list[Attributes]) -> None:
    for item, place in zip(items, items[::-1], strict=True):
        adapters.table.put(Put({**item, "sk": place["sk"]}))


def forge(adapters: Adapters, items: list[Attributes]) -> None:
    item = items[1]
    sealed = adapters.blobs.get(ACME, Digest(str(item["blob"])))
    adapters.table.put(Put({**item, "blob": adapters.blobs.put(ACME, sealed[:-1] + bytes([sealed[-1] ^ 1]))}))


@pytest.fixture
def sealed(call: Call, adapters: Adapters, clock: Any) -> Adapters:
    """Return a store with six calls of two days in two digests, and one call that no digest names yet."""
    for number in range(6):
        memory_after_turn.execute({**EXAMPLE, "turn_id": f"turn-{number}"}, call)
        clock.advance(hours=5)
        if number in {2, 5}:
            assert call.services.sealer.seal(ACME, HOUR) == 3
    memory_before_turn.execute(EXAMPLE_BEFORE, call)
    return adapters


@pytest.mark.req("R278")
def test_an_untouched_log_verifies_in_a_new_process(sealed: Adapters) -> None:
    found = log_of(sealed).verify(ACME)

    assert (found.digests, found.records, found.unsealed, list(found.findings)) == (2, 6, 1, [])
    assert found.head
    assert log_of(sealed).verify(ACME, found.head).findings == []


@pytest.mark.req("R163")
@pytest.mark.req("R278")
@pytest.mark.parametrize("name", ["outcome", "tool", "credential", "session_id", "arguments", "request_id", "tag"])
@pytest.mark.parametrize("which", [0, 2, -1])
def test_a_changed_record_is_found(sealed: Adapters, name: str, which: int) -> None:
    item = (stored(sealed) + stored(sealed, "2026-03-02"))[which]
    sealed.table.put(Put({**item, name: f"{item[name]}x"}))

    assert findings(sealed) == {("changed", item["sk"])}


@pytest.mark.req("R278")
def test_a_changed_record_that_is_not_sealed_yet_is_found(sealed: Adapters) -> None:
    (item,) = [each for each in stored(sealed, "2026-03-02") if each["tool"] == "memory_before_turn"]
    sealed.table.put(Put({**item, "outcome": "PERMISSION_DENIED"}))

    assert findings(sealed) == {("changed", item["sk"])}


@pytest.mark.req("R278")
@pytest.mark.parametrize("which", [0, 1, 2])
def test_a_missing_record_is_found(sealed: Adapters, which: int) -> None:
    item = stored(sealed)[which]
    sealed.table.delete(Delete(Key(str(item["pk"]), str(item["sk"]))))

    assert findings(sealed) == {("missing", item["sk"])}


@pytest.mark.req("R278")
def test_records_in_another_order_are_found(sealed: Adapters) -> None:
    one, other = stored(sealed)[:2]
    for item, place in ((one, other), (other, one)):
        sealed.table.put(Put({**item, "pk": place["pk"], "sk": place["sk"]}))

    assert findings(sealed) == {("reordered", one["sk"]), ("reordered", other["sk"])}


@pytest.mark.req("R278")
def test_an_added_record_is_found_a_copy_of_a_genuine_one_too(sealed: Adapters) -> None:
    item = stored(sealed)[1]
    sealed.table.put(Put({**item, "sk": f"{item['sk']}#end"}))

    assert findings(sealed) == {("added", f"{item['sk']}#end")}


@pytest.mark.req("R278")
@pytest.mark.parametrize(
    ("tamper", "kinds"),
    [(without_blob, {"missing"}), (without_first, {"missing"}), (swap, {"reordered"}), (forge, {"changed"})],
)
def test_a_tampered_digest_is_found(sealed: Adapters, tamper: Callable[..., None], kinds: set[str]) -> None:
    tamper(sealed, digests(sealed))

    assert {each.kind for each in log_of(sealed).verify(ACME).findings if each.what == "digest"} == kinds


@pytest.mark.req("R278")
def test_a_chain_that_was_cut_off_lacks_the_head_that_was_noted(sealed: Adapters) -> None:
    head = log_of(sealed).verify(ACME).head
    sealed.table.delete(Delete(key_of_item(digests(sealed)[-1])))

    assert findings(sealed) == set()
    assert findings(sealed, holds=head) == {("missing", head)}


def test_what_has_expired_may_be_gone(sealed: Adapters, clock: Any) -> None:
    for item in stored(sealed):
        sealed.table.delete(Delete(key_of_item(item)))
    assert {kind for kind, _ in findings(sealed)} == {"missing"}

    clock.advance(days=366)

    assert findings(sealed) == set()


def test_only_what_no_call_can_still_precede_is_sealed(call: Call, adapters: Adapters, clock: Any) -> None:
    memory_after_turn.execute(EXAMPLE, call)

    clock.advance(seconds=SETTLED.total_seconds() - 1)
    assert sealer_of(adapters).seal(ACME, HOUR) == 0
    clock.advance(seconds=2)
    assert sealer_of(adapters).seal(ACME, HOUR) == 1
    assert sealer_of(adapters).seal(ACME, HOUR) == 0


def test_a_tenant_is_due_from_its_first_call_until_its_day_is_over_and_sealed(
    call: Call, adapters: Adapters, clock: Any
) -> None:
    assert sealer_of(adapters).due() == []
    memory_after_turn.execute(EXAMPLE, call)
    assert sealer_of(adapters).due() == [ACME]
    clock.advance(hours=1)
    sealer_of(adapters).seal(ACME, HOUR)
    assert sealer_of(adapters).due() == [ACME], "there may be more calls today"
    clock.advance(days=1)
    assert sealer_of(adapters).due() == [ACME]

    sealer_of(adapters).seal(ACME, HOUR)

    assert sealer_of(adapters).due() == []
    memory_after_turn.execute({**EXAMPLE, "turn_id": "next"}, call)
    assert sealer_of(adapters).due() == [ACME]


@pytest.mark.parametrize("at", range(1, 8))
def test_two_that_seal_at_once_make_one_chain(at: int, call: Call, adapters: Adapters, clock: Any) -> None:
    memory_after_turn.execute(EXAMPLE, call)
    clock.advance(hours=1)
    heads: list[str] = []

    def meanwhile(made: Callable[[], object]) -> object:
        sealer_of(adapters).seal(ACME, HOUR)
        heads.append(log_of(adapters).verify(ACME).head)
        return made()

    store = FaultyStore(adapters, at, meanwhile)
    sealer_of(replace(adapters, table=store, blobs=FaultyBlobs(adapters, store))).seal(ACME, HOUR)

    assert heads
    found = log_of(adapters).verify(ACME, heads[0])
    assert (found.digests, found.records, list(found.findings)) == (1, 1, [])


@pytest.mark.req("R278")
def test_a_digest_of_another_chain_is_found(sealed: Adapters) -> None:
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
def test_a_command_that_outlasts_the_sealing_of_its_beginning_verifies(services: Services, adapters: Adapters) -> None:
    clock: Any = adapters.clock
    subject = Subject(project=Project("garden"), user_id=UserId("ada"))

    def last() -> NoReturn:
        clock.advance(hours=1)
        assert services.sealer.seal(ACME, HOUR) == 1
        raise Unavailable("the store is away")

    with pytest.raises(Unavailable), services.journal.command(ACME, "cairn erase", subject):
        last()

    clock.advance(hours=1)
    assert services.sealer.seal(ACME, HOUR) == 1
    assert findings(adapters) == set()
    ended, begun = log_of(adapters).records(ACME, clock.now() - 3 * HOUR, clock.now())
    assert (begun.outcome, ended.outcome) == ("admitted", "UNAVAILABLE")
    assert (ended.subject, ended.duration_ms) == (subject, 3_600_000)
