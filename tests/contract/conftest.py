"""Every adapter of every port, made afresh: the suites in this folder run on each of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from cairn.aws.blobs import S3Blobs
from cairn.aws.clients import Clients
from cairn.aws.inventory import AwsInventory
from cairn.aws.keyring import KmsKeyRing
from cairn.aws.queue import SqsJobs
from cairn.aws.table import DynamoTable
from cairn.embedded.blobs import DirectoryBlobs
from cairn.embedded.inventory import EmbeddedInventory
from cairn.embedded.keyring import LocalKeyRing
from cairn.embedded.queue import InProcessJobs
from cairn.embedded.table import SqliteTable
from cairn.ground.adapters import Adapters
from cairn.ground.jobs import Job, decoded
from cairn.ground.ports import Blobs, Inventory, Jobs, KeyRing, Table
from cairn.local.invoke.mocked import declared, mocked_aws, table_arguments
from cairn.process.system import SystemEntropy, in_turn
from support.doubles import FakeClock, RecordingJobs, settle
from support.template import TEMPLATE
from support.town import Town

ADAPTERS = ["embedded", "moto"]  # an emulator's name joins here, and its branch in the four fixtures below

Resource: TypeAlias = dict[str, Any]


@pytest.fixture(scope="session")
def template() -> dict[str, Any]:
    return {"Resources": declared(TEMPLATE)}


@pytest.fixture(scope="session")
def table_properties(template: dict[str, Any]) -> Resource:
    return template["Resources"]["MemoryTable"]["Properties"]


@pytest.fixture(scope="module")
def cloud() -> Iterator[Clients]:
    """Return clients of moto."""
    with mocked_aws() as clients:
        yield clients


@pytest.fixture(scope="module")
def make_dynamo_table(cloud: Clients, template: dict[str, Any]) -> Callable[..., DynamoTable]:
    numbers, arguments = count(), table_arguments(template["Resources"])

    def make(clients: Clients = cloud) -> DynamoTable:
        name = f"memory-{next(numbers)}"
        cloud.dynamodb.create_table(TableName=name, **arguments)
        return DynamoTable(lambda: clients.dynamodb, name)

    return make


@pytest.fixture(scope="module")
def make_sqlite_table(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[], SqliteTable]]:
    made: list[SqliteTable] = []

    def make() -> SqliteTable:
        made.append(SqliteTable(tmp_path_factory.mktemp("table") / "memory.sqlite"))
        return made[-1]

    yield make
    for table in made:
        table.close()


@pytest.fixture(scope="module", params=ADAPTERS)
def make_table(request: pytest.FixtureRequest) -> Callable[[], Table]:
    name = {"embedded": "make_sqlite_table", "moto": "make_dynamo_table"}[request.param]
    return request.getfixturevalue(name)


@pytest.fixture
def table(make_table: Callable[[], Table]) -> Table:
    return make_table()


@pytest.fixture(params=ADAPTERS)
def blobs(request: pytest.FixtureRequest, tmp_path: Path) -> Blobs:
    if request.param == "embedded":
        return DirectoryBlobs(tmp_path / "blobs")
    cloud: Clients = request.getfixturevalue("cloud")
    bucket = "memory-" + "".join(filter(str.isalnum, tmp_path.name.lower()))
    cloud.s3.create_bucket(Bucket=bucket)
    return S3Blobs(lambda: cloud.s3, bucket)


@pytest.fixture(params=ADAPTERS)
def keyring(request: pytest.FixtureRequest) -> KeyRing:
    if request.param == "embedded":
        return LocalKeyRing(bytes(range(32)))
    cloud: Clients = request.getfixturevalue("cloud")
    return KmsKeyRing(lambda: cloud.kms, cloud.kms.create_key()["KeyMetadata"]["KeyId"])


@pytest.fixture
def make_sqs_queue(cloud: Clients) -> Callable[[], str]:
    numbers = count()
    return lambda: cloud.sqs.create_queue(QueueName=f"jobs-{next(numbers)}")["QueueUrl"]


@pytest.fixture
def in_process_queue() -> Iterator[tuple[Jobs, Callable[[], list[Job]]]]:
    done: list[Job] = []
    jobs = InProcessJobs(done.append)
    yield jobs, lambda: (settle(jobs), done)[1]
    jobs.close()


@pytest.fixture(params=ADAPTERS)
def queue(request: pytest.FixtureRequest) -> tuple[Jobs, Callable[[], list[Job]]]:
    """Return an empty queue, and a function that returns what its worker has got once nothing waits any more."""
    if request.param == "embedded":
        return request.getfixturevalue("in_process_queue")
    cloud: Clients = request.getfixturevalue("cloud")
    url: str = request.getfixturevalue("make_sqs_queue")()
    return SqsJobs(cloud, url), lambda: received(cloud, url)


def received(cloud: Clients, url: str) -> list[Job]:
    """Take every message off an SQS queue."""
    jobs: list[Job] = []
    while messages := cloud.sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10).get("Messages"):
        jobs.extend(decoded(message.get("Body", "")) for message in messages)
    return jobs


@pytest.fixture(params=ADAPTERS)
def new_store(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[], tuple[Adapters, Inventory]]:
    """Return what makes empty stores under one clock, each with a master key of its own, and the way to all in it."""
    clock, numbers = FakeClock(), count()

    def make() -> tuple[Adapters, Inventory]:
        number = next(numbers)
        directory = tmp_path / f"store-{number}"
        if request.param == "embedded":
            table: Any = request.getfixturevalue("make_sqlite_table")()
            inventory: Inventory = EmbeddedInventory(table, directory / "blobs")
            blobs: Blobs = DirectoryBlobs(directory / "blobs")
        else:
            cloud: Clients = request.getfixturevalue("cloud")
            table = request.getfixturevalue("make_dynamo_table")()
            bucket = f"store-{number}-" + "".join(filter(str.isalnum, tmp_path.name.lower()))
            cloud.s3.create_bucket(Bucket=bucket)
            inventory = AwsInventory(lambda: cloud.dynamodb, lambda: cloud.s3, table._table_name, bucket)
            blobs = S3Blobs(lambda: cloud.s3, bucket)
        keys = LocalKeyRing(bytes([number] * 32))
        return Adapters(table, blobs, keys, clock, SystemEntropy(), in_turn, RecordingJobs()), inventory

    return make


@pytest.fixture
def town(new_store: Callable[[], tuple[Adapters, Inventory]]) -> Town:
    found = Town(*new_store())
    clock: Any = found.adapters.clock
    for number in range(12):
        found.speak(number)
        clock.advance(seconds=2)
    found.numbers = count(12)
    return found
