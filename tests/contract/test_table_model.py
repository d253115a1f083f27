"""Any sequence of writes and queries leaves a table as it would leave a dictionary."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cairn.ground.errors import ConditionFailed, TransactionRefused
from cairn.ground.ports import Table
from cairn.ground.table import (
    ABSENT,
    AllOf,
    AnyOf,
    Attributes,
    Condition,
    Delete,
    Equals,
    Key,
    LessThan,
    Missing,
    Put,
    Query,
    Scalar,
    Update,
    Write,
)

Outcome: TypeAlias = object


def place_of(write: Write) -> tuple[str, str]:
    if isinstance(write, Put):
        return str(write.item["pk"]), str(write.item["sk"])
    return write.key.pk, write.key.sk


PARTITIONS = ["p", "p#1"]
SORT_KEYS = ["", "a", "aa", "b", "é", "\uffee", "𝄞"]

keys = st.builds(Key, st.sampled_from(PARTITIONS), st.sampled_from(SORT_KEYS[1:]))
numbers = st.integers(-2, 2)
texts = st.sampled_from(["", "x", "y"])
simple_conditions: st.SearchStrategy[Condition] = st.one_of(
    st.just(ABSENT),
    st.builds(Missing, st.sampled_from(["n", "t"])),
    st.builds(Equals, st.just("n"), numbers),
    st.builds(Equals, st.just("t"), texts),
    st.builds(LessThan, st.just("n"), numbers),
)


def nested(parts: st.SearchStrategy[Condition]) -> st.SearchStrategy[Condition]:
    some = st.lists(parts, min_size=1, max_size=3).map(tuple)
    return st.one_of(st.builds(AnyOf, some), st.builds(AllOf, some))


conditions = st.none() | st.recursive(simple_conditions, nested, max_leaves=4)


@st.composite
def puts(draw: st.DrawFn) -> Put:
    key = draw(keys)
    optional = {"n": numbers, "t": texts, "ipk": st.just("i"), "isk": st.sampled_from(["1", "2", "𝄞"])}
    attributes: dict[str, Scalar] = draw(st.fixed_dictionaries({}, optional=optional))
    return Put({"pk": key.pk, "sk": key.sk, **attributes}, draw(conditions))


@st.composite
def updates(draw: st.DrawFn) -> Update:
    place = draw(st.permutations(["set", "remove", "nothing"]))
    added = draw(st.booleans())
    return Update(
        draw(keys),
        set={"t": draw(texts)} if place[0] == "set" else {},
        add={"n": draw(numbers)} if added else {},
        remove=("t",) if place[0] == "remove" else () if added else ("n",),
        condition=draw(conditions),
    )


writes: st.SearchStrategy[Write] = st.one_of(puts(), updates(), st.builds(Delete, keys, conditions))
transactions = st.lists(writes, min_size=2, max_size=4, unique_by=place_of)
queries = st.builds(
    Query,
    st.sampled_from([*PARTITIONS, "i"]),
    st.sampled_from([*SORT_KEYS, "1"]),
    st.sampled_from([*SORT_KEYS, "2", "\U0010ffff"]),
    descending=st.booleans(),
    limit=st.none() | st.integers(1, 3),
    index=st.booleans(),
)
steps = st.lists(writes | transactions | queries, max_size=12)


class Model:
    """What the ports promise, over a dictionary."""

    def __init__(self) -> None:
        self.items: dict[tuple[str, str], dict[str, Scalar]] = {}

    def run(self, step: Write | Sequence[Write] | Query) -> Outcome:
        if isinstance(step, Query):
            return self.query(step)
        if isinstance(step, Sequence):
            refused = [None if self.allows(write) else ("condition", self.items.get(place_of(write))) for write in step]
            if any(refused):
                return refused
            return [self.apply(write) for write in step] and "done"
        if not self.allows(step):
            return self.items.get(place_of(step), "absent")
        self.apply(step)
        return self.items[place_of(step)] if isinstance(step, Update) else "done"

    def allows(self, write: Write) -> bool:
        item = self.items.get(place_of(write))
        return write.condition is None or (isinstance(write, Delete) and not item) or true(write.condition, item or {})

    def apply(self, write: Write) -> None:
        place = place_of(write)
        if isinstance(write, Put):
            self.items[place] = dict(write.item)
        elif isinstance(write, Delete):
            self.items.pop(place, None)
        elif isinstance(write, Update):
            item = self.items.setdefault(place, {"pk": place[0], "sk": place[1]})
            item.update(write.set)
            for name, amount in write.add.items():
                item[name] = int(item.get(name, 0)) + amount
            for name in write.remove:
                item.pop(name, None)

    def query(self, query: Query) -> list[Attributes]:
        partition, sort = ("ipk", "isk") if query.index else ("pk", "sk")
        low, high = query.low.encode(), query.high.encode()
        found = [
            {name: item[name] for name in ("pk", "sk", "ipk", "isk")} if query.index else item
            for item in self.items.values()
            if item.get(partition) == query.pk and sort in item and low <= str(item[sort]).encode() <= high
        ]
        return ordered(found, query)


def true(condition: Condition, item: Attributes) -> bool:
    if isinstance(condition, AnyOf):
        return True in {true(part, item) for part in condition.parts}
    if isinstance(condition, AllOf):
        return False not in {true(part, item) for part in condition.parts}
    if isinstance(condition, Missing):
        return condition.name not in item
    if condition.name not in item:
        return False
    value = item[condition.name]
    return int(value) < condition.value if isinstance(condition, LessThan) else value == condition.value


def ordered(items: Sequence[Attributes], query: Query) -> list[Attributes]:
    """Put items in the promised order; those with the same sort key of the index have none among themselves."""
    sort = "isk" if query.index else "sk"
    within = sorted(items, key=lambda item: (str(item["pk"]).encode(), str(item["sk"]).encode()))
    return sorted(within, key=lambda item: str(item[sort]).encode(), reverse=query.descending)


def run(table: Table, step: Write | Sequence[Write] | Query) -> Outcome:
    if isinstance(step, Query):
        return walked(table, step)
    try:
        match step:
            case Put():
                table.put(step)
            case Update():
                return table.update(step)
            case Delete():
                table.delete(step)
            case _:
                assert isinstance(step, Sequence)
                table.transact(step)
    except ConditionFailed as refused:
        return refused.item or "absent"
    except TransactionRefused as refused:
        return [reason and (reason.code, reason.item) for reason in refused.reasons]
    return "done"


def walked(table: Table, query: Query) -> list[Attributes]:
    page = table.query(query)
    items = list(page.items)
    while page.next is not None:
        page = table.query(
            Query(query.pk, query.low, query.high, query.descending, query.limit, query.index, page.next)
        )
        items += page.items
    sort = "isk" if query.index else "sk"
    found = [str(item[sort]).encode() for item in items]
    assert found == sorted(found, reverse=query.descending)
    return ordered(items, query)


@pytest.mark.slow
@pytest.mark.req("R256")
@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(steps=steps)
def test_a_table_behaves_like_its_model(
    make_table: Callable[[], Table], steps: list[Write | Sequence[Write] | Query]
) -> None:
    table, model = make_table(), Model()
    for step in steps:
        assert run(table, step) == model.run(step)
    for partition in PARTITIONS:
        everything = Query(partition, "\x00", "\U0010ffff")
        assert walked(table, everything) == model.query(everything)
