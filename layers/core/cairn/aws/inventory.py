"""List all that a tenant has in DynamoDB and S3, with an operator's credentials: no function may scan."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from cairn.aws.expressions import decoded
from cairn.aws.failures import aws_failures
from cairn.ground import ids
from cairn.ground.ids import Digest, Tenant
from cairn.ground.table import Attributes

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_s3 import S3Client


class AwsInventory:
    """Scans the table and lists the bucket."""

    def __init__(
        self, dynamodb: Callable[[], DynamoDBClient], s3: Callable[[], S3Client], table: str, bucket: str
    ) -> None:
        """Walk this table and this bucket of S3Blobs."""
        self._dynamodb = dynamodb
        self._s3 = s3
        self._table = table
        self._bucket = bucket

    def items(self, tenant: Tenant) -> Iterator[Attributes]:
        """Yield every item whose partition begins with the tenant and `#`; DynamoDB reads all tenants' to find them."""
        fields: dict[str, Any] = {
            "TableName": self._table,
            "FilterExpression": "begins_with(pk, :owner)",
            "ExpressionAttributeValues": {":owner": {"S": f"{ids.tenant(tenant)}#"}},
            "ConsistentRead": True,
        }
        while True:
            with aws_failures():
                page = self._dynamodb().scan(**fields)
            yield from (decoded(item) for item in page["Items"])
            if "LastEvaluatedKey" not in page:
                return
            fields["ExclusiveStartKey"] = page["LastEvaluatedKey"]

    def blobs(self, tenant: Tenant) -> Iterator[Digest]:
        """Yield the digest of every blob."""
        fields: dict[str, Any] = {"Bucket": self._bucket, "Prefix": f"blobs/{ids.tenant(tenant)}/"}
        while True:
            with aws_failures():
                page = self._s3().list_objects_v2(**fields)
            names = (str(found.get("Key", "")).rpartition("/")[2] for found in page.get("Contents", []))
            yield from (Digest(name) for name in names if ids.is_digest(name))
            if "NextContinuationToken" not in page:
                return
            fields["ContinuationToken"] = page["NextContinuationToken"]

    def scrub(self) -> None:
        """Do nothing: the files are AWS's, and the table's backups end by themselves."""
