"""Read what DynamoDB exported of the table to a bucket, as of one moment: files of items in no order, with manifests.

The format is that of "DynamoDB table export output format" in DynamoDB's developer guide, version 2020-06-30.
"""

from __future__ import annotations

import gzip
import io
import json
import zlib
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from hashlib import md5, sha256
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError

from cairn.aws.blobs import key_of
from cairn.aws.expressions import decoded
from cairn.aws.failures import aws_failures, expected
from cairn.aws.walks import objects
from cairn.ground.codec import moment
from cairn.ground.errors import CorruptData, InvalidArgument, NotFound, Unavailable
from cairn.ground.ids import Digest, Tenant
from cairn.ground.ports import Blobs
from cairn.ground.table import Attributes

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_s3 import S3Client

    from cairn.ground.ports import Clock

_SUMMARY = "manifest-summary.json"
_READABLE = {"outputFormat": "DYNAMODB_JSON", "exportType": "FULL_EXPORT"}
_EVERY_SECONDS = 15


@dataclass(frozen=True, slots=True)
class ExportedTable:
    """A full export: as of when it is, and where its files are listed."""

    at: datetime
    items: int
    files: str


class TableExports:
    """Starts exports of a table, and reads them."""

    def __init__(
        self, dynamodb: Callable[[], DynamoDBClient], s3: Callable[[], S3Client], table: str, bucket: str, prefix: str
    ) -> None:
        """Work with the exports of this table that are in a bucket, below a prefix."""
        self._dynamodb = dynamodb
        self._s3 = s3
        self._table = table
        self._bucket = bucket
        self._prefix = prefix.strip("/")

    def make(self, clock: Clock) -> ExportedTable:
        """Have DynamoDB export the table as it is now, wait until that is done, and return what came of it."""
        with aws_failures():
            arn = self._dynamodb().describe_table(TableName=self._table)["Table"].get("TableArn", "")
            asked: dict[str, Any] = {"TableArn": arn, "S3Bucket": self._bucket, "S3Prefix": self._prefix}
            try:
                told = self._dynamodb().export_table_to_point_in_time(**asked)["ExportDescription"]
            except ClientError as error:
                expected(error, "PointInTimeRecoveryUnavailableException")
                raise InvalidArgument("--start", "needs point-in-time recovery, which is off for the table") from None
            while told.get("ExportStatus") == "IN_PROGRESS":
                clock.sleep(_EVERY_SECONDS)
                told = self._dynamodb().describe_export(ExportArn=told.get("ExportArn", ""))["ExportDescription"]
        if told.get("ExportStatus") != "COMPLETED":
            raise Unavailable(f"DynamoDB's export failed: {told.get('FailureCode')}")
        return self._read(told.get("ExportManifest", ""))

    def find(self) -> ExportedTable:
        """Return the export below the prefix; InvalidArgument where that is none, or several."""
        below = f"{self._prefix}/".lstrip("/")
        names = [str(each.get("Key")) for each in objects(self._s3(), self._bucket, below)]
        found = [name for name in names if name.rpartition("/")[2] == _SUMMARY]
        if len(found) != 1:
            told = ", ".join(name.removesuffix(f"/{_SUMMARY}") for name in found) or "none"
            raise InvalidArgument("--from-dynamodb-export", f"is to be one export that is done; here are {told}")
        return self._read(found[0])

    def items(self, export: ExportedTable, tenant: Tenant) -> Iterator[Attributes]:
        """Yield the tenant's items, in no order; CorruptData at the end of a file that is not what was written."""
        met = 0
        for listed in self._object(export.files).splitlines():
            file = json.loads(listed)
            for line in self._lines(str(file["dataFileS3Key"]), str(file["md5Checksum"])):
                met += 1
                item = decoded({name: _plain(value) for name, value in json.loads(line)["Item"].items()})
                if str(item["pk"]).startswith(f"{tenant}#"):
                    yield item
        if met != export.items:
            raise CorruptData(f"DynamoDB's export has {export.items} items, and its files have {met}")

    def _read(self, summary: str) -> ExportedTable:
        told = json.loads(self._object(summary))
        for name, readable in _READABLE.items():
            if told.get(name, readable) != readable:
                raise InvalidArgument("--from-dynamodb-export", f"has the {name} {told[name]}; read is {readable}")
        return ExportedTable(moment(told["exportTime"]), int(told["itemCount"]), str(told["manifestFilesS3Key"]))

    def _object(self, key: str) -> bytes:
        with aws_failures():
            return self._body(key).read()

    def _body(self, key: str) -> Any:
        try:
            return self._s3().get_object(Bucket=self._bucket, Key=key)["Body"]
        except ClientError as error:
            expected(error, "NoSuchKey")
            raise CorruptData(f"DynamoDB's export lacks its file {key}") from None

    def _lines(self, key: str, checksum: str) -> Iterator[bytes]:
        with aws_failures():
            summed = _Summed(self._body(key))
            try:
                yield from gzip.GzipFile(fileobj=io.BufferedReader(summed))
            except (EOFError, OSError, zlib.error):
                raise CorruptData(f"DynamoDB's export has a damaged file {key}") from None
        if b64encode(summed.sum.digest()).decode() != checksum:
            raise CorruptData(f"DynamoDB's export has another file {key} than it wrote")


class KeptVersions:
    """Blobs of a versioned bucket, those included that were deleted and whose versions are kept."""

    def __init__(self, blobs: Blobs, s3: Callable[[], S3Client], bucket: str) -> None:
        """Read from this bucket; what is a blob's name is its content, so that every version is the same."""
        self._blobs = blobs
        self._s3 = s3
        self._bucket = bucket
        self.put, self.delete = blobs.put, blobs.delete

    def get(self, tenant: Tenant, digest: Digest) -> bytes:
        """Return the bytes; NotFound if no version is there, CorruptData if none of those kept match the digest."""
        try:
            return self._blobs.get(tenant, digest)
        except NotFound:
            return self._kept(tenant, digest)

    def get_part(self, tenant: Tenant, digest: Digest, start: int, length: int) -> bytes:
        """Return up to `length` of the bytes from `start` on; NotFound if no version is there."""
        try:
            return self._blobs.get_part(tenant, digest, start, length)
        except NotFound:
            return self._kept(tenant, digest)[start : start + length]

    def _kept(self, tenant: Tenant, digest: Digest) -> bytes:
        key = key_of(tenant, digest)
        with aws_failures():
            versions = self._s3().list_object_versions(Bucket=self._bucket, Prefix=key).get("Versions", [])
            for version in versions:
                named = version.get("VersionId", "")
                data = self._s3().get_object(Bucket=self._bucket, Key=key, VersionId=named)["Body"].read()
                if sha256(data).hexdigest() == digest:
                    return data
        raise CorruptData("a blob does not match its digest") if versions else NotFound("no such blob")


class _Summed(io.RawIOBase):
    """A stream that is summed up while it is read."""

    def __init__(self, body: Any) -> None:
        super().__init__()
        self._body = body
        self.sum = md5(usedforsecurity=False)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        view = memoryview(buffer)
        data: bytes = self._body.read(len(view))
        self.sum.update(data)
        view[: len(data)] = data
        return len(data)


def _plain(value: dict[str, Any]) -> dict[str, Any]:
    return {"B": b64decode(value["B"])} if "B" in value else value
