"""What calls use is counted: as DynamoDB says it, and on one machine as it would; requests for blobs on both."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from botocore.awsrequest import AWSResponse

from cairn.aws.clients import Clients
from cairn.aws.table import DynamoTable
from cairn.embedded.table import SqliteTable
from cairn.ground.adapters import NoMeter
from cairn.ground.errors import ConditionFailed, NotFound, TransactionRefused
from cairn.ground.ids import Digest, Tenant
from cairn.ground.ports import Blobs, Table
from cairn.ground.table import (
    ABSENT,
    Check,
    Delete,
    Equals,
    Key,
    Put,
    Query,
    Update,
    Write,
    index_units,
    read_units,
    write_units,
)
from cairn.ground.units import Units
from metering import Meter, MeteredTable

ACME = Tenant("acme")
Do: TypeAlias = Callable[[Table], object]
PK = "acme#m#garden"
ITEM = {"pk": PK, "sk": "a", "text": "x" * 3000, "ipk": "acme#k", "isk": "1"}
HERE = Key(PK, "a")


class Sum(NoMeter):
    """Adds up all that is counted, whoever calls."""

    def __init__(self) -> None:
        self.units = Units()
        self.owners: set[Tenant] = set()

    def used(self, owner: Tenant, **units: Any) -> None:
        self.owners.add(owner)
        self.units = self.units.plus(Units(**units))


def put(sk: str, size: int = 10, **more: Any) -> Put:
    return Put({"pk": PK, "sk": sk, "text": "x" * size, **more})


WRITES: Sequence[Sequence[Write]] = (
    [Put(ITEM)],
    [Put({**ITEM, "isk": "2"})],
    [put("a", 1500)],
    [put("late", 2000, ipk="acme#k", isk="3")],
    [Update(HERE, set={"text": "y"}, add={"n": 1})],
    [Update(HERE, set={"ipk": "acme#k", "isk": "4"})],
    [Delete(HERE)],
    [Delete(HERE)],
    [put("b", 900, ipk="acme#k", isk="5"), put("c", 5000), Check(Key(PK, "late"), Equals("isk", "3"))],
    [Delete(Key(PK, "b")), Update(Key(PK, "c"), remove=("text",)), Update(Key(PK, "d"), add={"n": 1})],
)
READS: Sequence[Do] = (
    lambda table: table.get(Key(PK, "c")),
    lambda table: table.get(Key(PK, "none")),
    lambda table: table.query(Query(PK, "a", "z")),
    lambda table: table.query(Query(PK, "a", "z", limit=1)),
    lambda table: table.query(Query(PK, "x", "z")),
    lambda table: table.query(Query("acme#k", "0", "9", index=True)),
)


REFUSED: Mapping[str, tuple[Do, int]] = {
    "larger put": (lambda table: table.put(Put({**ITEM, "text": "x" * 5000}, ABSENT)), 5),
    "smaller put": (lambda table: table.put(Put({**ITEM, "text": ""}, ABSENT)), 3),
    "update": (lambda table: table.update(Update(HERE, set={"n": 1}, condition=ABSENT)), 3),
    "delete": (lambda table: table.delete(Delete(HERE, Equals("n", 1))), 3),
    "transaction": (lambda table: table.transact([put("b", 1500), Check(HERE, ABSENT)]), 2 * (2 + 3)),
}


def told(units: float) -> dict[str, Any]:
    return {"ConsumedCapacity": {"CapacityUnits": units}}


ANSWERED: Mapping[str, tuple[Do, Mapping[str, Any], Units]] = {
    "get": (lambda table: table.get(HERE), told(7), Units(read_units=7)),
    "query": (lambda table: table.query(Query(PK, "a", "z")), {"Items": [], **told(2.5)}, Units(read_units=2.5)),
    "put": (lambda table: table.put(Put(ITEM)), told(4), Units(write_units=4)),
    "update": (
        lambda table: table.update(Update(HERE, set={"n": 1})),
        {"Attributes": {}, **told(4)},
        Units(write_units=4),
    ),
    "delete": (lambda table: table.delete(Delete(HERE)), told(5), Units(write_units=5)),
    "transact": (
        lambda table: table.transact([put("a"), put("b")]),
        {"ConsumedCapacity": [{"CapacityUnits": 4}, {"CapacityUnits": 6}]},
        Units(write_units=10),
    ),
    "an emulator that says nothing": (lambda table: table.delete(Delete(HERE)), {}, Units()),
}


def write(table: Table, writes: Sequence[Write]) -> None:
    if len(writes) > 1:
        table.transact(writes)
        return
    match writes[0]:
        case Put() as put:
            table.put(put)
        case Update() as update:
            table.update(update)
        case Delete() as delete:
            table.delete(delete)
        case Check():
            raise AssertionError


@pytest.fixture
def tables() -> Iterator[tuple[SqliteTable, Sum, MeteredTable, Meter]]:
    """Return a table that counts, and one without a meter that a bench counts."""
    total, meter = Sum(), Meter()
    one, other = SqliteTable(Path(":memory:"), meter=total), SqliteTable(Path(":memory:"))
    yield one, total, MeteredTable(other, meter), meter
    one.close()
    other.close()


def test_one_machine_counts_every_write_and_read_as_the_benches_do(
    tables: tuple[SqliteTable, Sum, MeteredTable, Meter],
) -> None:
    one, total, other, meter = tables
    for writes in WRITES:
        write(one, writes)
        write(other, writes)
        assert total.units.write_units == meter.counts["write_units"] + meter.counts["index_units"], writes
    for read in READS:
        read(one)
        read(other)
        assert total.units.read_units == meter.counts["read_units"] + meter.counts["index_read_units"] / 2
    assert total.owners == {ACME}


def test_a_late_put_is_counted_once_when_it_is_made(tables: tuple[SqliteTable, Sum, MeteredTable, Meter]) -> None:
    one, total, *_ = tables
    with one.gathering():
        one.put(Put({**ITEM, "sk": "late"}, late=True))
        assert total.units.write_units == 3 + 1
        one.put(put("b"))

    assert total.units.write_units == 3 + 1 + 1


@pytest.mark.parametrize(("refused", "units"), REFUSED.values(), ids=REFUSED)
def test_a_write_that_is_refused_is_paid_for_by_the_larger_item(
    tables: tuple[SqliteTable, Sum, MeteredTable, Meter],
    make_dynamo_table: Callable[[], DynamoTable],
    refused: Do,
    units: int,
) -> None:
    dynamo, of_dynamo = make_dynamo_table(), Sum()
    vars(dynamo).update(_meter=of_dynamo)
    for table, total in ((tables[0], tables[1]), (dynamo, of_dynamo)):
        table.put(Put(ITEM))
        before = total.units.write_units
        with pytest.raises((ConditionFailed, TransactionRefused)):
            refused(table)
        assert total.units.write_units - before == units


class _Body:
    def __init__(self, data: bytes) -> None:
        self._data = data

    def stream(self, **_: Any) -> Iterator[bytes]:
        yield self._data


@pytest.mark.parametrize(("call", "answer", "units"), ANSWERED.values(), ids=ANSWERED)
def test_in_aws_the_units_are_those_that_dynamodb_says(
    cloud: Clients, call: Do, answer: Mapping[str, Any], units: Units
) -> None:
    assert cloud
    clients, total, requests = Clients(), Sum(), list[dict[str, Any]]()

    def handle(request: Any, **_: Any) -> Any:
        requests.append(json.loads(request.body))
        headers: Any = {"content-type": "application/x-amz-json-1.0"}
        return AWSResponse("https://aws", 200, headers, _Body(json.dumps(answer).encode()))

    clients.dynamodb.meta.events.register_first("before-send", handle)

    call(DynamoTable(lambda: clients.dynamodb, "memory", meter=total))

    assert total.units == units
    assert [request["ReturnConsumedCapacity"] for request in requests] == ["TOTAL"]


def test_each_request_for_a_blob_counts_one_that_finds_nothing_too(blobs: Blobs) -> None:
    total = Sum()
    vars(blobs).update(_meter=total)

    digest = blobs.put(ACME, b"data")
    blobs.put(ACME, b"data")
    blobs.get(ACME, digest)
    with suppress(NotFound):
        blobs.get(ACME, Digest("0" * 64))
    blobs.delete(ACME, digest)

    assert total.units == Units(blob_reads=2, blob_writes=2, blob_deletes=1)
    assert total.owners == {ACME}


@pytest.mark.parametrize(("size", "units"), [(0, 1), (1, 1), (4096, 1), (4097, 2), (40_960, 10)])
def test_a_read_takes_a_unit_for_each_four_kilobytes_begun_and_of_the_index_half(size: int, units: int) -> None:
    assert read_units(size) == units
    assert read_units(size, index=True) == units / 2


def test_a_write_takes_a_unit_for_each_kilobyte_begun_of_the_larger_item_and_the_index_one_for_each_change() -> None:
    small, large = {"pk": "p", "sk": "s"}, {"pk": "p", "sk": "s", "text": "x" * 1100}

    assert write_units(None, small) == write_units(small, None) == write_units(None, None) == 1
    assert write_units(small, large) == write_units(large, small) == 2
    listed = {**small, "ipk": "i", "isk": "1"}
    moved = {**listed, "isk": "2"}
    assert [index_units(*each) for each in ((None, listed), (listed, None), (listed, moved), (listed, listed))] == [
        *(1, 1, 2, 0)
    ]
