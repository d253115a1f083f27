"""List all that a tenant has in DynamoDB and S3, with an operator's credentials: no function may scan."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import TYPE_CHECKING, Any

from cairn.aws.table import DynamoTable
from cairn.aws.walks import objects, scanned
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
        return scanned(self._dynamodb(), self._table, "begins_with(pk, :value)", f"{ids.tenant(tenant)}#")

    @contextmanager
    def snapshot(self) -> Generator[AwsSnapshot]:
        """Lend strongly consistent reads, each of its own moment: DynamoDB holds no state of a table."""
        yield AwsSnapshot(self, DynamoTable(self._dynamodb, self._table))

    def blobs(self, tenant: Tenant) -> Iterator[Digest]:
        """Yield the digest of every blob."""
        yield from (digest for digest, _ in self.dated_blobs(tenant))

    def dated_blobs(self, tenant: Tenant) -> Iterator[tuple[Digest, datetime]]:
        """Yield the digest of every blob, and when it was stored."""
        for found in objects(self._s3(), self._bucket, f"blobs/{ids.tenant(tenant)}/"):
            name = str(found.get("Key", "")).rpartition("/")[2]
            if ids.is_digest(name):
                yield Digest(name), _stored_at(found)

    def scrub(self) -> None:
        """Do nothing: the files are AWS's, and the table's backups end by themselves."""


class AwsSnapshot:
    """Reads the table by keys and as a whole."""

    def __init__(self, inventory: AwsInventory, table: DynamoTable) -> None:
        """Read this table."""
        self.items = inventory.items
        self.get = table.get
        self.query = table.query


def _stored_at(listed: Any) -> datetime:
    """Return when an object was stored; what S3 lists always says so."""
    return listed["LastModified"]
