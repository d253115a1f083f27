"""A call that succeeded and whose answer was lost is repeated by the SDK: that must not look like a lost race."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from botocore.exceptions import ConnectionClosedError

from cairn.aws.clients import Clients
from cairn.aws.table import DynamoTable
from cairn.ground.errors import ConditionFailed, TransactionRefused, Unavailable
from cairn.ground.table import ABSENT, Check, Delete, Equals, Key, LessThan, Missing, Put, Update

KEY = Key("p", "s")


@dataclass
class Line:
    """A connection that breaks after the store has answered, as often as told; `meanwhile` happens at each break."""

    breaks: int = 0
    calls: int = 0
    meanwhile: list[Callable[[], object]] = field(default_factory=list[Callable[[], object]])

    def after_the_store(self, **_: Any) -> None:
        self.calls += 1
        if self.breaks:
            self.breaks -= 1
            events, self.meanwhile = self.meanwhile, []
            for event in events:
                event()
            raise ConnectionClosedError(endpoint_url="the-store")


@pytest.fixture
def line(cloud: Clients) -> Iterator[Line]:
    line = Line()
    events = cloud.dynamodb.meta.events
    events.register_last("before-send", line.after_the_store)  # moto answers before-send, and so has done the work
    yield line
    events.unregister("before-send", line.after_the_store)


@pytest.fixture
def table(make_dynamo_table: Callable[[], DynamoTable]) -> DynamoTable:
    return make_dynamo_table()


def break_once(line: Line, *meanwhile: Callable[[], object]) -> None:
    line.calls = 0
    line.breaks = 1
    line.meanwhile = list(meanwhile)


def test_a_put_whose_acknowledgement_was_lost_has_won(table: DynamoTable, line: Line) -> None:
    break_once(line)
    table.put(Put({"pk": "p", "sk": "s", "owner": "me"}, ABSENT))
    assert line.calls == 2
    assert table.get(KEY) == {"pk": "p", "sk": "s", "owner": "me"}


def test_an_update_whose_acknowledgement_was_lost_has_won_once(table: DynamoTable, line: Line) -> None:
    table.put(Put({"pk": "p", "sk": "s", "version": 1, "n": 10}))
    break_once(line)
    update = Update(KEY, set={"version": 2}, add={"n": 1}, condition=Equals("version", 1))
    assert table.update(update) == {"pk": "p", "sk": "s", "version": 2, "n": 11}
    assert line.calls == 2


@pytest.mark.parametrize("condition", [None, LessThan("n", 100), Missing("closed")])
def test_an_addition_is_not_repeated_though_its_condition_would_hold_again(
    table: DynamoTable, line: Line, condition: LessThan | Missing | None
) -> None:
    table.put(Put({"pk": "p", "sk": "s", "n": 1}))
    break_once(line)
    assert table.update(Update(KEY, add={"n": 1}, condition=condition))["n"] == 2
    assert table.update(Update(KEY, add={"n": 1}, condition=condition))["n"] == 3


def test_a_delete_whose_acknowledgement_was_lost_has_won(table: DynamoTable, line: Line) -> None:
    table.put(Put({"pk": "p", "sk": "s", "version": 1}))
    break_once(line)
    table.delete(Delete(KEY, Equals("version", 1)))
    assert line.calls == 2
    assert table.get(KEY) is None


def test_a_transaction_whose_acknowledgement_was_lost_has_won_once(table: DynamoTable, line: Line) -> None:
    table.put(Put({"pk": "p", "sk": "head", "version": 1}))
    break_once(line)
    table.transact(
        [
            Put({"pk": "p", "sk": "event"}, ABSENT),
            Update(Key("p", "head"), add={"version": 1}, condition=Equals("version", 1)),
            Update(Key("p", "total"), add={"n": 1}),
            Check(Key("p", "guard"), ABSENT),
        ]
    )
    assert line.calls == 2
    assert table.get(Key("p", "head")) == {"pk": "p", "sk": "head", "version": 2}
    assert table.get(Key("p", "total")) == {"pk": "p", "sk": "total", "n": 1}


def test_a_put_that_lost_to_someone_else_has_lost_though_its_answer_was_lost_too(
    table: DynamoTable, line: Line
) -> None:
    table.put(Put({"pk": "p", "sk": "s", "owner": "someone"}, ABSENT))
    break_once(line)
    with pytest.raises(ConditionFailed) as refused:
        table.put(Put({"pk": "p", "sk": "s", "owner": "me"}, ABSENT))
    assert line.calls == 2
    assert refused.value.item == {"pk": "p", "sk": "s", "owner": "someone"}


def test_an_update_that_lost_to_someone_else_has_lost(table: DynamoTable, line: Line) -> None:
    table.update(Update(KEY, set={"version": 2, "owner": "someone"}, condition=ABSENT))
    break_once(line)
    with pytest.raises(ConditionFailed) as refused:
        table.update(Update(KEY, set={"version": 2, "owner": "me"}, condition=Equals("version", 1)))
    assert refused.value.item == {"pk": "p", "sk": "s", "version": 2, "owner": "someone"}


def test_a_delete_does_not_remove_what_someone_else_put_there_since(table: DynamoTable, line: Line) -> None:
    theirs = {"pk": "p", "sk": "s", "version": 2}
    table.put(Put({"pk": "p", "sk": "s", "version": 1}))
    break_once(line, lambda: table.put(Put(theirs)))
    with pytest.raises(ConditionFailed):
        table.delete(Delete(KEY, Equals("version", 1)))
    assert table.get(KEY) == theirs


def test_a_transaction_that_lost_to_someone_else_has_lost(table: DynamoTable, line: Line) -> None:
    table.put(Put({"pk": "p", "sk": "s", "owner": "someone"}, ABSENT))
    break_once(line)
    with pytest.raises(TransactionRefused) as refused:
        table.transact([Put({"pk": "p", "sk": "s", "owner": "me"}, ABSENT), Put({"pk": "p", "sk": "t"})])
    codes = [reason and (reason.code, reason.item) for reason in refused.value.reasons]
    assert codes == [("condition", {"pk": "p", "sk": "s", "owner": "someone"}), None]
    assert table.get(Key("p", "t")) is None


def test_a_write_that_someone_changed_after_it_won_is_reported_as_theirs(table: DynamoTable, line: Line) -> None:
    break_once(line, lambda: table.put(Put({"pk": "p", "sk": "s", "owner": "someone"})))
    with pytest.raises(ConditionFailed) as refused:
        table.put(Put({"pk": "p", "sk": "s", "owner": "me"}, ABSENT))
    assert refused.value.item == {"pk": "p", "sk": "s", "owner": "someone"}


def test_the_request_id_shows_nowhere(table: DynamoTable) -> None:
    item = {"pk": "p", "sk": "s", "ipk": "i", "isk": "j"}
    table.put(Put(item, ABSENT))
    assert table.get(KEY) == item
    assert table.update(Update(KEY, condition=Missing("n"))) == item
    with pytest.raises(ConditionFailed) as refused:
        table.put(Put(item, ABSENT))
    assert refused.value.item == item
    with pytest.raises(TransactionRefused) as rejected:
        table.transact([Put(item, ABSENT)])
    assert [reason and reason.item for reason in rejected.value.reasons] == [item]


def test_a_line_that_stays_broken_is_unavailable_and_the_outcome_unknown(table: DynamoTable, line: Line) -> None:
    line.breaks = 4
    with pytest.raises(Unavailable):
        table.put(Put({"pk": "p", "sk": "s"}, ABSENT))
    assert line.calls == 4
    assert table.get(KEY) == {"pk": "p", "sk": "s"}
