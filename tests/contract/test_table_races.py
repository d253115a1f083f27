from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Event
from typing import TypeVar

import pytest

from cairn.ground.errors import ConditionFailed, TransactionRefused
from cairn.ground.ports import Table
from cairn.ground.table import ABSENT, Equals, Key, Put, Query, Update

THREADS = 16
T = TypeVar("T")
KEY = Key("p", "s")
pytestmark = pytest.mark.slow


def race(work: Callable[[int], T]) -> list[T]:
    """Return what each thread returned; all begin at once."""
    barrier = Barrier(THREADS)

    def begin(number: int) -> T:
        barrier.wait()
        return work(number)

    with ThreadPoolExecutor(THREADS) as threads:
        return list(threads.map(begin, range(THREADS)))


def number_at(table: Table, key: Key, name: str) -> int:
    value = (table.get(key) or {}).get(name, 0)
    assert isinstance(value, int)
    return value


@pytest.mark.req("R250")
def test_of_many_that_put_if_absent_exactly_one_wins(table: Table) -> None:
    def claim(number: int) -> list[int]:
        won: list[int] = []
        for item in range(5):
            try:
                table.put(Put({"pk": "p", "sk": str(item), "owner": number}, ABSENT))
            except ConditionFailed:
                continue
            won.append(item)
        return won

    claimed = [(item, number) for number, won in enumerate(race(claim)) for item in won]
    assert sorted(claimed) == [(item, number_at(table, Key("p", str(item)), "owner")) for item in range(5)]


def test_additions_of_many_threads_are_exact(table: Table) -> None:
    race(lambda _: [table.update(Update(KEY, add={"n": 1})) for _ in range(8)])
    assert number_at(table, KEY, "n") == THREADS * 8


@pytest.mark.req("R250")
def test_each_version_is_written_by_exactly_one_thread(table: Table) -> None:
    table.put(Put({"pk": "p", "sk": "s", "version": 0}))

    def increment(_: int) -> None:
        for _ in range(4):
            while True:
                version = number_at(table, KEY, "version")
                try:
                    table.update(Update(KEY, set={"version": version + 1}, condition=Equals("version", version)))
                except ConditionFailed:
                    continue
                break

    race(increment)
    assert number_at(table, KEY, "version") == THREADS * 4


def test_transactions_of_many_threads_are_all_or_nothing(table: Table) -> None:
    def append(number: int) -> None:
        for turn in range(2):
            while True:
                version = number_at(table, KEY, "version")
                claim = Equals("version", version) if version else ABSENT
                event = Put({"pk": "log", "sk": f"{version:04}", "by": f"{number}-{turn}"}, ABSENT)
                try:
                    table.transact([event, Update(KEY, add={"version": 1}, condition=claim)])
                except TransactionRefused:
                    continue
                break

    race(append)
    events = table.query(Query("log", "0", "9")).items
    assert number_at(table, KEY, "version") == THREADS * 2
    assert [event["sk"] for event in events] == [f"{version:04}" for version in range(THREADS * 2)]
    assert len({event["by"] for event in events}) == THREADS * 2


def test_no_query_sees_half_a_transaction(table: Table) -> None:
    names = [f"s{number}" for number in range(4)]
    table.transact([Put({"pk": "p", "sk": name, "n": 0}) for name in names])
    done = Event()

    def write() -> None:
        for number in range(1, 21):
            table.transact([Put({"pk": "p", "sk": name, "n": number}) for name in names])
        done.set()

    def read() -> list[set[object]]:
        seen: list[set[object]] = []
        while not done.is_set():
            seen.append({item["n"] for item in table.query(Query("p", "s0", "s9")).items})
        return seen

    with ThreadPoolExecutor(3) as threads:
        readers = [threads.submit(read) for _ in range(2)]
        threads.submit(write).result()
        seen = [state for reader in readers for state in reader.result()]
    assert seen
    assert all(len(state) == 1 for state in seen)
