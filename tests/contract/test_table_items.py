from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from cairn.ground.errors import ConditionFailed
from cairn.ground.ports import Table
from cairn.ground.table import (
    ABSENT,
    MAX_ITEM_BYTES,
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
)

KEY = Key("p", "s")
ODD_VALUES: list[Scalar] = [
    "", " ", "0", "true", "'; DROP TABLE items; --", "a\x00b", "𝄞 ünï", '{"b": "AA=="}',
    0, 1, -1, 2**63, -(2**64), 10**38 - 1, True, False, b"", b"\x00\xff", b"true",
]  # fmt: skip
ODD_NAMES = ["status", "size", "name", "set", "a.b", "a b", "#", ":v", "%", "_", "ü", "'", '"', "a[0]", "items"]


def stored(**attributes: Scalar) -> Attributes:
    return {"pk": KEY.pk, "sk": KEY.sk, **attributes}


def typed(item: Attributes | None) -> Mapping[str, tuple[type, Scalar]]:
    return {name: (type(value), value) for name, value in (item or {}).items()}


def test_what_is_not_there_is_none(table: Table) -> None:
    assert table.get(KEY) is None


@pytest.mark.parametrize("value", ODD_VALUES, ids=ascii)
def test_a_value_comes_back_as_it_was_with_its_type(table: Table, value: Scalar) -> None:
    table.put(Put(stored(v=value)))
    assert typed(table.get(KEY)) == typed(stored(v=value))


@pytest.mark.parametrize("name", ODD_NAMES)
def test_any_name_of_an_attribute_is_only_a_name(table: Table, name: str) -> None:
    assert table.update(Update(KEY, set={name: "x"}, add={"n": 2})) == {**stored(n=2), name: "x"}
    table.put(Put({**stored(), name: "y"}, Equals(name, "x")))
    assert table.update(Update(KEY, remove=(name,), condition=Equals(name, "y"))) == stored()


@pytest.mark.req("R261")
@pytest.mark.parametrize("text", ["#", "%", "_", "/", "'", '"', "s1", "s_", "\\", "a#b", "𝄞", "--", "*", "?", " "])
def test_a_key_is_only_text_and_matches_only_itself(table: Table, text: str) -> None:
    others = ["s10", "sX", "z", "a", "%%", "__"]
    for other in others:
        table.put(Put({"pk": other, "sk": other, "v": "other"}))
    table.put(Put({"pk": text, "sk": text, "v": "own"}, ABSENT))
    assert table.get(Key(text, text)) == {"pk": text, "sk": text, "v": "own"}
    assert [item["v"] for item in table.query(Query(text, text, text)).items] == ["own"]
    table.delete(Delete(Key(text, text)))
    assert all(table.get(Key(other, other)) for other in others)


def test_a_put_replaces_the_whole_item(table: Table) -> None:
    table.put(Put(stored(a=1, b=2)))
    table.put(Put(stored(a=3)))
    assert table.get(KEY) == stored(a=3)


def test_an_update_makes_an_absent_item_and_returns_it_whole(table: Table) -> None:
    assert table.update(Update(KEY, set={"a": "x"}, add={"n": 5})) == stored(a="x", n=5)
    assert table.update(Update(KEY, set={"b": b"y"}, add={"n": -7}, remove=("a",))) == stored(b=b"y", n=-2)
    assert table.get(KEY) == stored(b=b"y", n=-2)


def test_an_update_of_nothing_makes_the_item(table: Table) -> None:
    assert table.update(Update(KEY, remove=("a",))) == stored()
    assert table.update(Update(KEY)) == stored()
    assert table.get(KEY) == stored()


def test_a_big_sum_is_exact(table: Table) -> None:
    table.put(Put(stored(n=2**100)))
    assert table.update(Update(KEY, add={"n": 1})) == stored(n=2**100 + 1)


def test_adding_to_text_is_refused_and_changes_nothing(table: Table) -> None:
    table.put(Put(stored(n="1")))
    with pytest.raises(ValueError, match=r"\w"):
        table.update(Update(KEY, add={"n": 1}))
    assert table.get(KEY) == stored(n="1")


def test_a_delete_of_an_absent_item_is_fine_with_and_without_a_condition(table: Table) -> None:
    table.delete(Delete(KEY))
    table.delete(Delete(KEY, Equals("version", 3)))
    assert table.get(KEY) is None


def test_a_delete_is_held_to_its_condition_where_an_item_is(table: Table) -> None:
    table.put(Put(stored(version=4)))
    with pytest.raises(ConditionFailed) as refused:
        table.delete(Delete(KEY, AnyOf((Equals("version", 3), Equals("version", 2)))))
    assert refused.value.item == stored(version=4)
    table.delete(Delete(KEY, Equals("version", 4)))
    assert table.get(KEY) is None


CONDITIONS: list[tuple[Condition, bool]] = [
    (ABSENT, False),
    (Missing("other"), True),
    (Missing("n"), False),
    (Equals("n", 1), True),
    (Equals("n", 2), False),
    (Equals("n", "1"), False),
    (Equals("t", True), True),
    (Equals("s", b""), False),
    (Equals("s", ""), True),
    (Equals("other", ""), False),
    (LessThan("n", 2), True),
    (LessThan("n", 1), False),
    (LessThan("n", 10), True),
    (LessThan("other", 5), False),
    (AnyOf((ABSENT, Equals("n", 1))), True),
    (AnyOf((ABSENT, LessThan("n", 0))), False),
    (AllOf((Equals("n", 1), Missing("other"))), True),
    (AllOf((Equals("n", 1), ABSENT)), False),
    (AnyOf((AllOf((ABSENT, Equals("n", 1))), AllOf((AnyOf((Equals("s", ""),)), LessThan("n", 2))))), True),
]


@pytest.mark.parametrize(("condition", "expected"), CONDITIONS, ids=repr)
def test_a_condition_decides_over_each_kind_of_write(table: Table, condition: Condition, *, expected: bool) -> None:
    before = stored(n=1, t=True, s="")
    table.put(Put(before))
    writes: list[Any] = [
        lambda: table.update(Update(KEY, set={"w": 1}, condition=condition)),
        lambda: table.put(Put(before, condition)),
        lambda: table.delete(Delete(KEY, condition)),
    ]
    for write in writes:
        if expected:
            write()
        else:
            with pytest.raises(ConditionFailed) as refused:
                write()
            assert typed(refused.value.item) == typed(before)
    assert table.get(KEY) == (None if expected else before)


@pytest.mark.parametrize("condition", [Equals("t", 1), Equals("n", True), LessThan("s", 5), LessThan("t", 5)], ids=repr)
def test_a_value_of_another_type_is_neither_equal_nor_less(
    make_sqlite_table: Callable[[], Table], condition: Condition
) -> None:
    """Holds for DynamoDB as well; moto compares Python values, so that 1 equals true and text cannot be compared."""
    table = make_sqlite_table()
    table.put(Put(stored(n=1, t=True, s="")))
    with pytest.raises(ConditionFailed):
        table.delete(Delete(KEY, condition))


def test_a_condition_on_an_absent_item_sees_no_attribute(table: Table) -> None:
    for condition in (Equals("n", 1), LessThan("n", 1), Equals("pk", "p")):
        with pytest.raises(ConditionFailed) as refused:
            table.put(Put(stored(n=1), condition))
        assert refused.value.item is None
    table.update(Update(KEY, add={"n": 1}, condition=AllOf((ABSENT, Missing("n")))))
    assert table.get(KEY) == stored(n=1)


IMPOSSIBLE: list[Put | Update] = [
    Put({"pk": "p"}),
    Put({"pk": "p", "sk": ""}),
    Put({"pk": 1, "sk": "s"}),
    Put({"pk": "p" * 2049, "sk": "s"}),
    Put({"pk": "p", "sk": "ü" * 513}),
    Put({"pk": "p", "sk": "s", "ipk": "", "isk": "i"}),
    Put({"pk": "p", "sk": "s", "ipk": "i", "isk": 5}),
    Put({"pk": "p", "sk": "s", "v": 10**38}),
    Put({"pk": "p", "sk": "s", "v": "\ud800"}),
    Put({"pk": "p", "sk": "s", "": "v"}),
    Put({"pk": "p", "sk": "s", "_rid": "v"}),
    Put({"pk": "p", "sk": "s", "v": "x" * MAX_ITEM_BYTES}),
    Put({"pk": "p", "sk": "s"}, AnyOf(())),
    Put({"pk": "p", "sk": "s"}, AllOf(())),
    Update(KEY, set={"pk": "q"}),
    Update(KEY, set={"a": 1}, add={"a": 1}),
    Update(KEY, set={"a": 1}, remove=("a",)),
    Update(KEY, remove=("a", "a")),
    Update(KEY, remove=("sk",)),
    Update(KEY, set={"v": b"x" * MAX_ITEM_BYTES}),
]


@pytest.mark.req("R251")
@pytest.mark.parametrize("write", IMPOSSIBLE, ids=lambda write: repr(write)[:60].encode("ascii", "replace").decode())
def test_an_impossible_write_is_a_value_error_and_writes_nothing(table: Table, write: Put | Update) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        table.update(write) if isinstance(write, Update) else table.put(write)
    with pytest.raises(ValueError, match=r"\w"):
        table.transact([write])
    assert table.query(Query("p", "\x00", "\U0010ffff")).items == ()


@pytest.mark.req("R251")
def test_an_item_of_exactly_400_kb_is_kept_and_one_byte_more_is_refused(
    make_sqlite_table: Callable[[], Table],
) -> None:
    """The edge is tried on the embedded store only: moto refuses items from 399 KiB on, which DynamoDB takes."""
    table = make_sqlite_table()
    room = MAX_ITEM_BYTES - len("pkpsksv")
    table.put(Put(stored(v="x" * room)))
    assert table.get(KEY) == stored(v="x" * room)
    with pytest.raises(ValueError, match="at most"):
        table.put(Put(stored(v="x" * (room + 1))))
    with pytest.raises(ValueError, match="at most"):
        table.update(Update(KEY, set={"w": 1}))
    assert table.get(KEY) == stored(v="x" * room)
