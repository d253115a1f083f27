"""Go through a whole table or bucket, a page at a time, with an operator's credentials: no function may scan."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from cairn.aws.expressions import decoded
from cairn.aws.failures import aws_failures
from cairn.ground.table import Attributes

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_s3.type_defs import ObjectTypeDef


def scanned(client: DynamoDBClient, table: str, wanted: str, value: str) -> Iterator[Attributes]:
    """Yield every item of a table that a filter lets pass, in which `:value` is this; all are read to find them."""
    fields: dict[str, Any] = {
        "TableName": table,
        "FilterExpression": wanted,
        "ExpressionAttributeValues": {":value": {"S": value}},
        "ConsistentRead": True,
    }
    while True:
        with aws_failures():
            page = client.scan(**fields)
        yield from map(decoded, page["Items"])
        if "LastEvaluatedKey" not in page:
            return
        fields["ExclusiveStartKey"] = page["LastEvaluatedKey"]


def objects(client: S3Client, bucket: str, prefix: str) -> Iterator[ObjectTypeDef]:
    """Yield what S3 lists of each object whose name begins so, by name."""
    fields: dict[str, Any] = {"Bucket": bucket, "Prefix": prefix}
    while True:
        with aws_failures():
            page = client.list_objects_v2(**fields)
        yield from page.get("Contents", [])
        if "NextContinuationToken" not in page:
            return
        fields["ContinuationToken"] = page["NextContinuationToken"]
