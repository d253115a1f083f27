"""The clients of a process: made at first use, once, by botocore in a function and by boto3 in a command."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest
from botocore.errorfactory import ClientExceptionsFactory

from cairn import wiring
from cairn.aws.clients import Clients, OperatorClients
from cairn.local import store
from cairn.settings.settings import load

THREADS = 8
ENVIRONMENT = {"CAIRN_TABLE": "t", "CAIRN_BUCKET": "b", "CAIRN_KEY_ID": "k"}


@pytest.fixture(autouse=True)
def _account(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in ("DEFAULT_REGION", "us-east-1"), ("ACCESS_KEY_ID", "test"), ("SECRET_ACCESS_KEY", "test"):
        monkeypatch.setenv(f"AWS_{name}", value)


@pytest.mark.parametrize("kind", [Clients, OperatorClients])
def test_threads_that_need_a_client_at_once_share_one(kind: type[Clients]) -> None:
    clients, together = kind(), Barrier(THREADS)

    def use(_: int) -> Any:
        together.wait()
        return clients.s3

    with ThreadPoolExecutor(THREADS) as threads:
        made = list(threads.map(use, range(THREADS)))

    assert all(each is clients.s3 for each in made)
    assert len({id(each) for each in made}) == 1


@pytest.mark.parametrize("name", ["dynamodb", "s3", "kms", "sqs", "secrets"])
def test_a_command_s_client_waits_and_retries_as_a_function_s_does(name: str) -> None:
    of_function, of_command = (getattr(each, name).meta.config for each in (Clients(), OperatorClients()))

    for knob in ("retries", "connect_timeout", "read_timeout", "max_pool_connections", "region_name"):
        assert getattr(of_command, knob) == getattr(of_function, knob)


def test_commands_reach_aws_by_boto3_and_functions_by_the_botocore_under_it() -> None:
    held: Any = store.operator_services(None, ENVIRONMENT)
    of_function: Any = wiring.wiring_of(load(None, ENVIRONMENT)).adapters()
    with store.services(None, ENVIRONMENT) as opened:
        services: Any = opened

    queues = [each.adapters.jobs._clients.sqs for each in (held, services)]
    assert {sdk(client) for client in [*queues, held.inventory._dynamodb(), held.inventory._s3()]} == {"Boto3"}
    assert sdk(of_function.jobs._clients.sqs) == "Botocore"


def sdk(client: Any) -> str:
    """Return the name by which the SDK that made a client presents itself to AWS."""
    return client.meta.config.user_agent.partition("/")[0]


def test_a_client_has_its_error_classes_before_threads_share_it(monkeypatch: pytest.MonkeyPatch) -> None:
    dynamodb = Clients().dynamodb

    monkeypatch.delattr(ClientExceptionsFactory, "create_client_exceptions")

    assert dynamodb.exceptions.ConditionalCheckFailedException
