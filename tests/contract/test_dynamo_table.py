"""What only the DynamoDB table promises: how failures are told, and what the template declares."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from botocore.awsrequest import AWSResponse
from botocore.exceptions import ConnectTimeoutError, EndpointConnectionError, ReadTimeoutError
from botocore.retries.standard import ExponentialBackoff

from cairn.aws import clients as aws_clients
from cairn.aws.blobs import S3Blobs
from cairn.aws.clients import Clients
from cairn.aws.keyring import KmsKeyRing
from cairn.aws.table import DynamoTable
from cairn.ground.errors import CairnError, InternalError, KeyUnusable, TransactionRefused, Unavailable
from cairn.ground.ids import Digest, Tenant
from cairn.ground.ports import Table
from cairn.ground.table import ABSENT, Delete, Key, Put, Query, Update

KEY = Key("p", "s")


class _Body:
    def __init__(self, data: bytes) -> None:
        self._data = data

    def stream(self, **_: Any) -> Iterator[bytes]:
        yield self._data


def refusal(status: int, code: str, **more: Any) -> AWSResponse:
    body = json.dumps({"__type": f"com.amazonaws.dynamodb#{code}", "message": "the content", **more}).encode()
    headers: Any = {"content-type": "application/x-amz-json-1.0"}
    return AWSResponse("https://aws", status, headers, _Body(body))


@pytest.fixture
def clients(cloud: Clients) -> Clients:
    """Return clients of their own: a client that has retried often retries less."""
    assert cloud
    return Clients()


@pytest.fixture
def answering(clients: Clients, monkeypatch: pytest.MonkeyPatch) -> Callable[[AWSResponse | Exception], list[str]]:
    """Return a function that makes every call end in this answer, and lists the calls."""

    def no_delay(*_: Any) -> float:
        return 0.0

    monkeypatch.setattr(ExponentialBackoff, "delay_amount", no_delay)

    def arm(answer: AWSResponse | Exception) -> list[str]:
        calls: list[str] = []

        def handle(event_name: str, **_: Any) -> Any:
            calls.append(event_name)
            if isinstance(answer, Exception):
                raise answer
            return answer

        for events in (clients.dynamodb.meta.events, clients.s3.meta.events, clients.kms.meta.events):
            events.register_first("before-send", handle)
        return calls

    return arm


@pytest.fixture
def table(clients: Clients, make_dynamo_table: Callable[[Clients], DynamoTable]) -> DynamoTable:
    return make_dynamo_table(clients)


def calls_of(table: Table) -> list[Callable[[], object]]:
    return [
        lambda: table.get(KEY),
        lambda: table.query(Query("p", "a", "z")),
        lambda: table.put(Put({"pk": "p", "sk": "s"}, ABSENT)),
        lambda: table.update(Update(KEY, add={"n": 1})),
        lambda: table.delete(Delete(KEY)),
        lambda: table.transact([Put({"pk": "p", "sk": "s"})]),
    ]


@pytest.mark.parametrize(
    "answer",
    [
        refusal(400, "ProvisionedThroughputExceededException"),
        refusal(400, "ThrottlingException"),
        refusal(400, "RequestLimitExceeded"),
        refusal(400, "TransactionInProgressException"),
        refusal(500, "InternalServerError"),
        refusal(503, "ServiceUnavailable"),
        ConnectTimeoutError(endpoint_url="store"),
        ReadTimeoutError(endpoint_url="store"),
        EndpointConnectionError(endpoint_url="store"),
    ],
    ids=lambda answer: type(answer).__name__ if isinstance(answer, Exception) else str(answer.content)[30:70],
)
def test_a_store_that_throttles_or_fails_is_unavailable_after_the_retries(
    table: DynamoTable,
    answering: Callable[[AWSResponse | Exception], list[str]],
    answer: AWSResponse | Exception,
) -> None:
    tried = answering(answer)
    for call in calls_of(table):
        tried.clear()
        with pytest.raises(Unavailable) as refused:
            call()
        assert len(tried) == 4
        assert "the content" not in str(refused.value)


@pytest.mark.parametrize("conflicts", [1, 5])
def test_a_write_that_meets_a_transaction_of_someone_else_is_sent_again(
    table: DynamoTable, clients: Clients, monkeypatch: pytest.MonkeyPatch, conflicts: int
) -> None:
    monkeypatch.setattr(aws_clients, "_FIRST_PAUSE", 0)
    refusals = iter([refusal(400, "TransactionConflictException")] * conflicts)

    def handle(**_: Any) -> Any:
        return next(refusals, None)

    clients.dynamodb.meta.events.register_first("before-send.dynamodb.UpdateItem", handle)
    assert table.update(Update(KEY, add={"n": 1}))["n"] == 1
    assert next(refusals, None) is None


def test_a_write_that_meets_transactions_of_others_for_too_long_is_unavailable(
    table: DynamoTable, answering: Callable[[AWSResponse], list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(aws_clients, "_FIRST_PAUSE", 0)
    tried = answering(refusal(400, "TransactionConflictException"))
    with pytest.raises(Unavailable):
        table.put(Put({"pk": "p", "sk": "s"}))
    assert len(tried) == 6


@pytest.mark.parametrize(
    ("code", "error"), [("AccessDeniedException", KeyUnusable), ("ResourceNotFoundException", InternalError)]
)
def test_a_call_that_may_not_be_made_is_told_without_its_text(
    table: DynamoTable, answering: Callable[[AWSResponse], list[str]], code: str, error: type[CairnError]
) -> None:
    answering(refusal(400, code))
    for call in calls_of(table):
        with pytest.raises(error) as refused:
            call()
        assert "the content" not in str(refused.value)
        assert refused.value.__suppress_context__


def test_what_dynamodb_finds_invalid_is_a_value_error(
    table: DynamoTable, answering: Callable[[AWSResponse], list[str]]
) -> None:
    answering(refusal(400, "ValidationException"))
    for call in calls_of(table):
        with pytest.raises(ValueError, match="ValidationException"):
            call()


def test_each_reason_of_a_refused_transaction_has_its_code(
    table: DynamoTable, answering: Callable[[AWSResponse], list[str]]
) -> None:
    codes = {
        "None": None,
        "ConditionalCheckFailed": "condition",
        "TransactionConflict": "conflict",
        "ThrottlingError": "throttled",
        "ProvisionedThroughputExceeded": "throttled",
        "ValidationError": "other",
        "ItemCollectionSizeLimitExceeded": "other",
    }
    reasons = [{"Code": code} for code in codes]
    answering(refusal(400, "TransactionCanceledException", CancellationReasons=reasons))
    with pytest.raises(TransactionRefused) as refused:
        table.transact([Put({"pk": "p", "sk": code}) for code in codes])
    assert [reason and reason.code for reason in refused.value.reasons] == list(codes.values())


def test_the_bucket_and_the_key_fail_as_the_table_does(
    clients: Clients, answering: Callable[[Exception], list[str]]
) -> None:
    blobs, keyring, tenant = (
        S3Blobs(lambda: clients.s3, "bucket"),
        KmsKeyRing(lambda: clients.kms, "key"),
        Tenant("acme"),
    )
    digest = Digest("0" * 64)
    answering(EndpointConnectionError(endpoint_url="store"))
    calls: list[Callable[[], object]] = [
        lambda: blobs.put(tenant, b"data"),
        lambda: blobs.delete(tenant, digest),
        lambda: blobs.get(tenant, digest),
        lambda: keyring.generate(tenant),
        lambda: keyring.unwrap(tenant, b"wrapped"),
    ]
    for call in calls:
        with pytest.raises(Unavailable):
            call()


def test_base_table_reads_are_strongly_consistent_and_index_reads_are_not_asked_to_be(
    clients: Clients, table: DynamoTable
) -> None:
    asked: list[Any] = []

    def note(params: dict[str, Any], **_: Any) -> None:
        asked.append(params.get("ConsistentRead"))

    clients.dynamodb.meta.events.register("provide-client-params.dynamodb", note)
    table.get(KEY)
    table.query(Query("p", "a", "z"))
    table.query(Query("p", "a", "z", index=True))
    assert asked == [True, True, None]


@pytest.mark.req("R169")
def test_a_client_is_made_once_with_standard_retries_and_timeouts(cloud: Clients) -> None:
    assert cloud.dynamodb is cloud.dynamodb
    for client in (cloud.dynamodb, cloud.s3, cloud.kms):
        config: Any = client.meta.config
        assert config.retries == {"mode": "standard", "total_max_attempts": 4}
        assert config.connect_timeout == 1
        assert config.read_timeout <= 10
