"""Many writers at once, and quotas: one wins on condition, a quota is filled exactly, and none is another's."""

from __future__ import annotations

from collections.abc import Callable
from threading import Barrier, Thread
from typing import Any

import pytest

from cairn.ground.adapters import Adapters
from cairn.ground.errors import CairnError, Conflict, QuotaExceeded
from cairn.ground.ids import Namespace, Tenant
from cairn.ground.settings import Quotas
from cairn.keyvalue.model import KeyName, Place
from support.keyvalue import confirm, key_value, removed

ACME = Tenant("acme")
RIVAL = Tenant("acme-2")
SPACES = ("session.a", "session.a.b", "session.ab")
NewAdapters = Callable[[], Adapters]


def at_once(number: int, work: Callable[[int], object]) -> list[object]:
    """Run calls in so many threads that start together; return what each returned, or its error."""
    barrier, results = Barrier(number), [None] * number
    outcomes: list[object] = [*results]

    def run(index: int) -> None:
        barrier.wait()
        try:
            outcomes[index] = work(index)
        except CairnError as error:
            outcomes[index] = error

    threads = [Thread(target=run, args=(index,)) for index in range(number)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return outcomes


@pytest.mark.slow
@pytest.mark.parametrize("expected", [0, 1], ids=["create", "replace"])
def test_of_many_writers_on_condition_of_one_version_one_wins(adapters: Adapters, expected: int) -> None:
    place = Place(ACME, Namespace("session.a"), KeyName("k"))
    version = key_value(adapters).put(place, "first") if expected else 0
    processes = [key_value(adapters) for _ in range(4)]

    outcomes = at_once(32, lambda index: processes[index % 4].put(place, index, if_version=version))

    won = [index for index, outcome in enumerate(outcomes) if isinstance(outcome, int)]
    assert len(won) == 1
    assert sum(isinstance(outcome, Conflict) for outcome in outcomes) == 31
    assert processes[0].get(place).value == won[0]
    assert processes[0].get(place).version == outcomes[won[0]]
    confirm(processes[0], ACME)


@pytest.mark.slow
@pytest.mark.req("R165")
def test_many_writers_at_once_fill_a_quota_exactly(adapters: Adapters) -> None:
    processes = [key_value(adapters, Quotas(namespace_items=10)) for _ in range(4)]

    outcomes = at_once(
        32, lambda index: processes[index % 4].put(Place(ACME, Namespace("session.a"), KeyName(f"k{index}")), index)
    )

    assert sum(isinstance(outcome, int) for outcome in outcomes) == 10
    assert sum(isinstance(outcome, QuotaExceeded) for outcome in outcomes) == 22
    assert processes[0].list(ACME, Namespace("session.a")).total == 10
    confirm(processes[0], ACME)


@pytest.mark.slow
def test_writers_and_removers_of_the_same_keys_leave_the_counters_right(adapters: Adapters) -> None:
    processes = [key_value(adapters) for _ in range(4)]

    def work(index: int) -> None:
        memory = processes[index % 4]
        for round_number in range(4):
            place = Place(ACME, Namespace("session.a"), KeyName(f"k{(index + round_number) % 3}"))
            if (index + round_number) % 2:
                memory.put(place, "x" * index, ttl_seconds=60)
            else:
                removed(memory, place)

    outcomes = at_once(12, work)

    assert not [outcome for outcome in outcomes if outcome is not None]
    confirm(processes[0], ACME)


@pytest.mark.req("R165")
@pytest.mark.parametrize(
    ("quotas", "which"),
    [
        (Quotas(namespace_items=3), "namespace"),
        (Quotas(tenant_items=3), "tenant"),
        (Quotas(namespace_bytes=90), "namespace"),
        (Quotas(tenant_bytes=90), "tenant"),
    ],
)
def test_a_quota_holds_until_something_goes_or_expires(
    adapters_in_memory: NewAdapters, clock: Any, quotas: Quotas, which: str
) -> None:
    memory, value = key_value(adapters_in_memory(), quotas), "x" * 26
    places = [Place(ACME, Namespace("session.a"), KeyName(f"k{number}")) for number in range(5)]
    for number, place in enumerate(places[:3]):
        memory.put(place, value, ttl_seconds=10 if number == 0 else None)
    for refused in (lambda: memory.put(places[3], value), lambda: memory.put(places[4], "x" * 100)):
        with pytest.raises(QuotaExceeded) as error:
            refused()
        assert error.value.details == {"quota": which}
    memory.put(places[2], value.upper())
    clock.advance(seconds=10)
    memory.put(places[3], value)
    with pytest.raises(QuotaExceeded):
        memory.put(places[4], value)
    memory.delete(places[1])
    memory.put(places[4], value)
    assert memory.list(ACME, Namespace("session.a")).keys == ("k2", "k3", "k4")
    confirm(memory, ACME)


@pytest.mark.req("R165")
def test_one_namespace_s_quota_is_not_another_s(adapters_in_memory: NewAdapters) -> None:
    memory = key_value(adapters_in_memory(), Quotas(namespace_items=1))
    for tenant in (ACME, RIVAL):
        for namespace in SPACES:
            memory.put(Place(tenant, Namespace(namespace), KeyName("k")), 1)
            with pytest.raises(QuotaExceeded):
                memory.put(Place(tenant, Namespace(namespace), KeyName("l")), 1)
