"""The table of items in DynamoDB."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from botocore.exceptions import ClientError

from cairn.aws.expressions import decoded, encoded, encoded_key, statement, written_by
from cairn.aws.failures import answer_of, aws_failures, expected
from cairn.ground.adapters import NoMeter
from cairn.ground.errors import ConditionFailed, Refusal, TransactionRefused
from cairn.ground.table import (
    IN_TRANSACTION,
    Attributes,
    Delete,
    Key,
    Page,
    Put,
    Query,
    Update,
    Write,
    check_writes,
    key_of,
    refused_units,
    tenant_of,
)

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

    from cairn.ground.ports import Meter

_REQUEST_ID_BYTES = 12  # 16 characters: a ClientRequestToken has at most 36
_LOWEST_TEXT = "\x00"  # a key is never empty, so that nothing sorts before this
_COUNTED: Final = "TOTAL"
"""What DynamoDB is to say of the units that a call used: their sum, the index's among them."""
_CONDITION, _CANCELED = "ConditionalCheckFailedException", "TransactionCanceledException"
_REASONS = {
    "ConditionalCheckFailed": "condition",
    "TransactionConflict": "conflict",
    "ProvisionedThroughputExceeded": "throttled",
    "ThrottlingError": "throttled",
}


class DynamoTable:
    """Reads and writes one DynamoDB table, and does not mistake a lost acknowledgement for a lost race.

    Two things remain, as with any repeated call: an item that someone else writes between this writer's success and
    the repetition is reported as theirs, and an unconditional delete removes what was put there in between.

    Units are those that DynamoDB says; of a write that it refuses it says none, and they follow from the items.
    """

    def __init__(
        self,
        client: Callable[[], DynamoDBClient],
        table_name: str,
        index_name: str = "sparse",
        meter: Meter | None = None,
    ) -> None:
        """Use a table with string keys pk and sk and an index of this name with string keys ipk and isk."""
        self._client = client
        self._table_name = table_name
        self._index_name = index_name
        self._meter = meter or NoMeter()

    def get(self, key: Key) -> Attributes | None:
        """Return the item, None if there is none."""
        with aws_failures():
            answer = self._client().get_item(
                TableName=self._table_name,
                Key=encoded_key(key),
                ConsistentRead=True,
                ReturnConsumedCapacity=_COUNTED,
            )
        self._read(key.pk, answer)
        return decoded(answer["Item"]) if "Item" in answer else None

    def query(self, query: Query) -> Page:
        """Return one page of a key range, in UTF-8 byte order of the sort key."""
        if query.limit is not None and query.limit < 1:
            raise ValueError("a page has a limit of at least 1")
        low = query.low or _LOWEST_TEXT
        if low > query.high:
            return Page(())
        with aws_failures():
            answer = self._client().query(**self._query_fields(query, low))
        self._read(query.pk, answer)
        last = answer.get("LastEvaluatedKey")
        return Page(
            tuple(decoded(item) for item in answer["Items"]),
            {name: str(value) for name, value in decoded(last).items()} if last else None,
        )

    def put(self, write: Put) -> None:
        """Write the item; ConditionFailed if its condition does not hold, ValueError over 400 KB."""
        request_id = _new_request_id()
        fields = self._fields(write, request_id)
        with aws_failures():
            try:
                self._written(write, self._client().put_item(**fields))
            except ClientError as error:
                self._refused(write, error)
                _own_item_or_refusal(error, request_id)

    def update(self, write: Update) -> Attributes:
        """Change the item and return it whole as it is afterwards; ConditionFailed and ValueError as for put."""
        request_id = _new_request_id()
        fields = self._fields(write, request_id)
        with aws_failures():
            try:
                answer = self._client().update_item(**fields, ReturnValues="ALL_NEW")
            except ClientError as error:
                self._refused(write, error)
                return _own_item_or_refusal(error, request_id)
        self._written(write, answer)
        return decoded(answer["Attributes"])

    def delete(self, write: Delete) -> None:
        """Remove the item; ConditionFailed if one is there and its condition does not hold."""
        request_id = _new_request_id()
        fields = self._fields(write, request_id)
        with aws_failures():
            try:
                self._written(write, self._client().delete_item(**fields))
            except ClientError as error:
                self._refused(write, error)
                _own_item_or_refusal(error, request_id)

    def transact(self, writes: Sequence[Write]) -> None:
        """Apply 1 to 100 writes to distinct items, all or none; TransactionRefused with a reason each."""
        check_writes(writes)
        request_id = _new_request_id()
        actions: list[Any] = []
        for write in writes:
            kind, fields = statement(write, request_id)
            actions.append({kind: {"TableName": self._table_name, **fields}})
        with aws_failures():
            try:
                answer = self._client().transact_write_items(
                    TransactItems=actions, ClientRequestToken=request_id, ReturnConsumedCapacity=_COUNTED
                )
                self._written(writes[0], *answer.get("ConsumedCapacity", ()))
            except ClientError as error:
                expected(error, _CANCELED)
                self._canceled(writes, error)
                _committed_or_refusal(error, request_id)

    def _fields(self, write: Write, request_id: str) -> dict[str, Any]:
        check_writes([write])
        _, fields = statement(write, request_id)
        return {"TableName": self._table_name, **fields, "ReturnConsumedCapacity": _COUNTED}

    def _read(self, pk: str, answer: Mapping[str, Any]) -> None:
        self._meter.used(tenant_of(pk), read_units=_told(answer))

    def _written(self, write: Write, *answers: Mapping[str, Any]) -> None:
        self._meter.used(tenant_of(key_of(write).pk), write_units=sum(map(_told, answers)))

    def _refused(self, write: Write, error: ClientError) -> None:
        """Count a write whose condition failed; any other error goes on."""
        expected(error, _CONDITION)
        units = refused_units(write, _stored(answer_of(error).get("Item")))
        self._meter.used(tenant_of(key_of(write).pk), write_units=units)

    def _canceled(self, writes: Sequence[Write], error: ClientError) -> None:
        """Count a transaction that was canceled."""
        found = [_stored(reason.get("Item")) for reason in answer_of(error).get("CancellationReasons", [])]
        units = sum(map(partial(refused_units, times=IN_TRANSACTION), writes, found))
        self._meter.used(tenant_of(key_of(writes[0]).pk), write_units=units)

    def _query_fields(self, query: Query, low: str) -> dict[str, Any]:
        partition, sort = ("ipk", "isk") if query.index else ("pk", "sk")
        fields: dict[str, Any] = {
            "TableName": self._table_name,
            "KeyConditionExpression": f"{partition} = :partition AND {sort} BETWEEN :low AND :high",
            "ExpressionAttributeValues": encoded({":partition": query.pk, ":low": low, ":high": query.high}),
            "ScanIndexForward": not query.descending,
            "ReturnConsumedCapacity": _COUNTED,
        }
        fields |= {"IndexName": self._index_name} if query.index else {"ConsistentRead": True}
        if query.limit is not None:
            fields["Limit"] = query.limit
        if query.start is not None:
            fields["ExclusiveStartKey"] = encoded(query.start)
        return fields


def _told(answer: Mapping[str, Any]) -> float:
    """Return the units that an answer says were used, 0 where it says none, as emulators do."""
    used = answer.get("ConsumedCapacity", answer)
    return float(used.get("CapacityUnits", 0))


def _own_item_or_refusal(error: ClientError, request_id: str) -> Attributes:
    item = answer_of(error).get("Item")
    if item is not None and written_by(item, request_id):
        return decoded(item)
    raise ConditionFailed(_stored(item)) from None


def _committed_or_refusal(error: ClientError, request_id: str) -> None:
    reasons = answer_of(error).get("CancellationReasons", [])
    if any(written_by(reason.get("Item"), request_id) for reason in reasons):
        return
    raise TransactionRefused([_refusal(reason) for reason in reasons]) from None


def _refusal(reason: Mapping[str, Any]) -> Refusal | None:
    code = reason.get("Code", "None")
    return None if code == "None" else Refusal(_REASONS.get(code, "other"), _stored(reason.get("Item")))


def _stored(item: Mapping[str, Any] | None) -> Attributes | None:
    return decoded(item) if item else None


def _new_request_id() -> str:
    return secrets.token_urlsafe(_REQUEST_ID_BYTES)
