"""Clients that race against the emulator's DynamoDB through a proxy that refuses calls and loses answers."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import Any

import httpx2
import pytest
from botocore.exceptions import HTTPClientError

from cairn.aws.clients import Clients
from cairn.aws.table import DynamoTable
from cairn.embedded.keyring import LocalKeyRing
from cairn.ground.adapters import Adapters
from cairn.local.emulator.emulator import ACCOUNT, emulated, environment
from cairn.local.emulator.programs import install, interpreter
from cairn.local.invoke.mocked import declared, table_arguments
from cairn.process.system import SystemEntropy, in_turn
from lambda_runtime import free_port
from support.doubles import RecordingJobs
from support.memory_store import MemoryBlobs
from support.races import SystemClock, problems_of_race, take_the_lease
from support.template import TEMPLATE

pytestmark = pytest.mark.enable_socket

ROOT = Path(__file__).resolve().parents[2]
DYNAMODB = {"service": "dynamodb"}
STORM: list[dict[str, Any]] = [
    {**DYNAMODB, "probability": 0.08, "error": {"code": "ProvisionedThroughputExceededException"}},
    {**DYNAMODB, "probability": 0.05, "reset": True},
    {**DYNAMODB, "probability": 0.08, "response": {"abort_frac": 0.0}},
    {
        **DYNAMODB,
        "operation": "UpdateItem",
        "probability": 0.2,
        "error": {"code": "TransactionConflictException", "status": 400},
    },
    {
        **DYNAMODB,
        "operation": "TransactWriteItems",
        "probability": 0.3,
        "error": {
            "code": "TransactionCanceledException",
            "status": 400,
            "fields": {"CancellationReasons": [{"Code": "TransactionConflict"}]},
        },
    },
]


@dataclass(frozen=True, slots=True)
class Storm:
    """A table behind the proxy, and the address at which the proxy is told what to do."""

    table: DynamoTable
    control: str

    def begin(self) -> None:
        httpx2.post(f"{self.control}/rules", json=STORM).raise_for_status()

    def end(self) -> int:
        """Let everything through again, and return how many of its rules did harm."""
        httpx2.post(f"{self.control}/rules", json=[]).raise_for_status()
        fired: list[dict[str, Any]] = httpx2.get(f"{self.control}/fired", params={"limit": 100_000}).json()
        return len({each["rule_id"] for each in fired})


@pytest.fixture
def storm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Storm]:
    """Return a table as the template declares it, in an emulator of its own, behind a proxy that is quiet as yet."""
    _, python = interpreter()
    programs = {name: install(ROOT, name, python) for name in ("ministack", "microburst")}
    port = free_port()
    proxied = f"http://127.0.0.1:{port}"
    with emulated(programs["ministack"], tmp_path, free_port(), iam=False) as emulator:
        command = [programs["microburst"] / "microburst", "--upstream", emulator.endpoint]
        address = ["--host", "127.0.0.1", "--port", str(port)]
        with (
            (tmp_path / "proxy.log").open("w") as log,
            subprocess.Popen(  # noqa: S603 - the pinned proxy
                [*command, *address], env=environment(programs["microburst"]), stdout=log, stderr=log
            ) as proxy,
        ):
            try:
                for name, value in {**ACCOUNT, "AWS_ENDPOINT_URL": proxied}.items():
                    monkeypatch.setenv(name, value)
                _wait_for(f"{proxied}/_microburst/health")
                yield Storm(_created(Clients()), f"{proxied}/_microburst")
            finally:
                proxy.terminate()


def _wait_for(url: str) -> None:
    for _ in range(100):
        with suppress(httpx2.TransportError):
            httpx2.get(url).raise_for_status()
            return
        Event().wait(0.1)
    raise AssertionError("the proxy did not start")


def _created(clients: Clients) -> DynamoTable:
    with suppress(HTTPClientError):  # the proxy answers its first call late: it loads the model of DynamoDB
        clients.dynamodb.list_tables()
    clients.dynamodb.create_table(TableName="race", **table_arguments(declared(TEMPLATE)))
    return DynamoTable(lambda: clients.dynamodb, "race")


@pytest.mark.req("R047")
def test_clients_in_a_storm_lose_and_double_nothing(storm: Storm) -> None:
    keys = LocalKeyRing(bytes(32))
    adapters = Adapters(storm.table, MemoryBlobs(), keys, SystemClock(), SystemEntropy(), in_turn, RecordingJobs())
    met: list[int] = []

    def finish() -> None:
        met.append(storm.end())
        take_the_lease(adapters)  # the storm may have refused its release, too

    storm.begin()
    assert not problems_of_race(adapters, clients=4, turns=5, finish=finish)
    assert met == [len(STORM)]
