"""The clients of a process: made at first use, once, by botocore in a function and by boto3 in a command."""

from __future__ import annotations

import ast
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import Any, NoReturn

import pytest
from botocore.exceptions import ClientError

from cairn import wiring
from cairn.aws import clients
from cairn.aws.blobs import S3Blobs
from cairn.aws.clients import Clients, OperatorClients
from cairn.aws.keyring import KmsKeyRing
from cairn.aws.table import DynamoTable
from cairn.ground.errors import ConditionFailed, CorruptData, InternalError, NotFound, TransactionRefused
from cairn.ground.ids import Digest, Tenant
from cairn.ground.table import Delete, Key, Put, Update
from cairn.local import store
from cairn.settings.settings import load

THREADS = 8
ACME = Tenant("acme")
ENVIRONMENT = {"CAIRN_TABLE": "t", "CAIRN_BUCKET": "b", "CAIRN_KEY_ID": "k"}


@pytest.fixture(autouse=True)
def _account(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in ("DEFAULT_REGION", "us-east-1"), ("ACCESS_KEY_ID", "test"), ("SECRET_ACCESS_KEY", "test"):
        monkeypatch.setenv(f"AWS_{name}", value)


@pytest.mark.parametrize("kind", [Clients, OperatorClients])
def test_threads_that_need_a_client_at_once_share_one(kind: type[Clients]) -> None:
    made_once, together = kind(), Barrier(THREADS)

    def use(_: int) -> Any:
        together.wait()
        return made_once.s3

    with ThreadPoolExecutor(THREADS) as threads:
        made = list(threads.map(use, range(THREADS)))

    assert all(each is made_once.s3 for each in made)
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


class OfAnotherThread:
    """A client that a thread got errors of before botocore had made its classes, so that no class matches."""

    def __init__(self, code: str) -> None:
        self._code = code

    @property
    def exceptions(self) -> NoReturn:
        raise AssertionError("the class of an error was asked for")

    def __getattr__(self, name: str) -> Callable[..., NoReturn]:
        def refuse(**_: object) -> NoReturn:
            raise ClientError({"Error": {"Code": self._code, "Message": "no"}, "CancellationReasons": []}, name)

        return refuse


def of_another_thread(code: str) -> Callable[[], Any]:
    return lambda: OfAnotherThread(code)


LOST, CANCELED = of_another_thread("ConditionalCheckFailedException"), of_another_thread("TransactionCanceledException")
HERE = Key("p", "s")


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: DynamoTable(LOST, "t").put(Put({"pk": "p", "sk": "s"})), ConditionFailed),
        (lambda: DynamoTable(LOST, "t").update(Update(HERE)), ConditionFailed),
        (lambda: DynamoTable(LOST, "t").delete(Delete(HERE)), ConditionFailed),
        (lambda: DynamoTable(CANCELED, "t").transact([Delete(HERE)]), TransactionRefused),
        (lambda: DynamoTable(of_another_thread("Other"), "t").update(Update(HERE)), InternalError),
        (lambda: S3Blobs(of_another_thread("NoSuchKey"), "b").get(ACME, Digest("0" * 64)), NotFound),
        (lambda: KmsKeyRing(of_another_thread("InvalidCiphertextException"), "k").unwrap(ACME, b"w"), CorruptData),
    ],
)
def test_an_error_is_told_by_its_code_whatever_class_botocore_gave_it(
    call: Callable[[], object], told: type[Exception]
) -> None:
    with pytest.raises(told):
        call()


def test_no_code_asks_a_client_for_its_classes_of_errors() -> None:
    rooms = Path(clients.__file__).parent
    found = [
        f"{path.name}:{node.lineno}"
        for path in rooms.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute) and node.attr == "exceptions"
    ]

    assert found == []
