from __future__ import annotations

import pytest

from cairn.ground.errors import TransactionRefused
from cairn.ground.ports import Table
from cairn.ground.table import ABSENT, Check, Delete, Equals, Key, LessThan, Put, Query, Update, Write

ALL = Query("p", "\x00", "\U0010ffff")


def key(name: str) -> Key:
    return Key("p", name)


def new(name: str, **attributes: str | int) -> Put:
    return Put({"pk": "p", "sk": name, **attributes})


def refusals(refused: pytest.ExceptionInfo[TransactionRefused]) -> list[tuple[str, object] | None]:
    return [reason and (reason.code, reason.item) for reason in refused.value.reasons]


def test_every_kind_of_write_is_applied(table: Table) -> None:
    for name in "abc":
        table.put(new(name, n=1))
    table.transact(
        [
            Put({"pk": "p", "sk": "new", "v": b"\x00"}, ABSENT),
            Update(key("a"), set={"t": "x"}, add={"n": 4}, condition=Equals("n", 1)),
            Delete(key("b"), Equals("n", 1)),
            Delete(key("absent"), Equals("n", 1)),
            Check(key("c"), LessThan("n", 2)),
            Update(Key("q", "made"), add={"n": 3}),
        ]
    )
    assert table.query(ALL).items == (
        {"pk": "p", "sk": "a", "t": "x", "n": 5},
        {"pk": "p", "sk": "c", "n": 1},
        {"pk": "p", "sk": "new", "v": b"\x00"},
    )
    assert table.get(Key("q", "made")) == {"pk": "q", "sk": "made", "n": 3}


def test_one_refusal_undoes_all_and_each_write_has_its_own_reason(table: Table) -> None:
    table.put(new("taken", n=1))
    table.put(new("version", n=7))
    before = table.query(ALL).items
    with pytest.raises(TransactionRefused) as refused:
        table.transact(
            [
                Put({"pk": "p", "sk": "fresh"}),
                Put({"pk": "p", "sk": "taken"}, ABSENT),
                Update(key("version"), add={"n": 1}, condition=Equals("n", 6)),
                Delete(key("version2"), Equals("n", 6)),
                Check(key("nothing"), Equals("n", 1)),
            ]
        )
    assert refusals(refused) == [
        None,
        ("condition", {"pk": "p", "sk": "taken", "n": 1}),
        ("condition", {"pk": "p", "sk": "version", "n": 7}),
        None,
        ("condition", None),
    ]
    assert table.query(ALL).items == before


def test_a_condition_of_a_delete_guards_an_item_that_is_there(table: Table) -> None:
    table.put(new("a", n=1))
    with pytest.raises(TransactionRefused) as refused:
        table.transact([new("b"), Delete(key("a"), Equals("n", 2))])
    assert refusals(refused) == [None, ("condition", {"pk": "p", "sk": "a", "n": 1})]
    assert table.get(key("b")) is None


def test_a_hundred_writes_are_applied_and_a_hundred_and_one_refused(table: Table) -> None:
    writes: list[Write] = [new(f"{number:03}") for number in range(101)]
    with pytest.raises(ValueError, match="1-100"):
        table.transact(writes)
    assert table.query(ALL).items == ()
    table.transact(writes[:100])
    assert len(table.query(ALL).items) == 100


def test_no_write_at_all_is_refused(table: Table) -> None:
    with pytest.raises(ValueError, match="1-100"):
        table.transact([])


def test_two_writes_to_one_item_are_refused(table: Table) -> None:
    with pytest.raises(ValueError, match="distinct"):
        table.transact([new("a"), Update(key("a"), add={"n": 1})])
    assert table.get(key("a")) is None


def test_more_than_four_megabytes_are_refused(table: Table) -> None:
    with pytest.raises(ValueError, match="bytes"):
        table.transact([new(str(number), v="x" * 390_000) for number in range(11)])
    assert table.query(ALL).items == ()


def test_a_reason_shows_its_code_and_never_the_item(table: Table) -> None:
    table.put(new("a", v="the content"))
    with pytest.raises(TransactionRefused) as refused:
        table.transact([Put({"pk": "p", "sk": "a"}, ABSENT)])
    assert "condition" in str(refused.value)
    assert "the content" not in str(refused.value) + repr(refused.value)
