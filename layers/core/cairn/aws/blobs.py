"""Store blobs as objects of a bucket: `blobs/<tenant>/<first two hex>/<sha256>`."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable
from functools import partial
from hashlib import sha256
from typing import TYPE_CHECKING

from botocore.exceptions import ClientError

from cairn.aws.failures import aws_failures, code_of, expected
from cairn.ground import ids
from cairn.ground.adapters import NoMeter
from cairn.ground.errors import CorruptData, NotFound, Unavailable
from cairn.ground.ids import Digest, Tenant

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

    from cairn.ground.ports import Meter

_ABSENT = "NoSuchKey"
_BEYOND_ITS_END = "InvalidRange"
_ALREADY_THERE = "PreconditionFailed"
_RACED_BY_A_DELETE = "ConditionalRequestConflict"
_ATTEMPTS = 3


class S3Blobs:
    """Stores immutable objects, each once under its digest; S3 checks the digest on write and Cairn on read.

    The caller's role needs s3:ListBucket as well, or S3 answers 403 where a blob is absent.
    """

    def __init__(self, client: Callable[[], S3Client], bucket: str, meter: Meter | None = None) -> None:
        """Use this bucket, which encrypts by its own default; most calls need no blob, and so no client."""
        self._client = client
        self._bucket = bucket
        self._meter = meter or NoMeter()

    def put(self, tenant: Tenant, data: bytes) -> Digest:
        """Store the bytes if they are not there and return their digest."""
        checksum = sha256(data)
        digest = Digest(checksum.hexdigest())
        key = key_of(tenant, digest)
        with aws_failures():
            for _ in range(_ATTEMPTS):
                self._meter.used(tenant, blob_writes=1)
                if self._put_once(key, data, b64encode(checksum.digest()).decode()):
                    return digest
        raise Unavailable("a blob is being deleted while it is stored")

    def get(self, tenant: Tenant, digest: Digest) -> bytes:
        """Return the bytes; NotFound if absent, CorruptData if they no longer match the digest."""
        data = self._read(tenant, digest, "")
        if sha256(data).hexdigest() != digest:
            raise CorruptData("a blob does not match its digest")
        return data

    def get_part(self, tenant: Tenant, digest: Digest, start: int, length: int) -> bytes:
        """Return up to `length` of the bytes from `start` on; NotFound if the blob is absent."""
        return self._read(tenant, digest, f"bytes={start}-{start + length - 1}")

    def _read(self, tenant: Tenant, digest: Digest, part: str) -> bytes:
        """Return a part of a blob's bytes, named as in a Range header, or all for ""."""
        self._meter.used(tenant, blob_reads=1)
        with aws_failures():
            read = partial(self._client().get_object, Bucket=self._bucket, Key=key_of(tenant, digest))
            try:
                return (read(Range=part) if part else read())["Body"].read()
            except ClientError as error:
                if code_of(error) == _BEYOND_ITS_END:
                    return b""
                expected(error, _ABSENT)
                raise NotFound("no such blob") from None

    def delete(self, tenant: Tenant, digest: Digest) -> None:
        """Remove the bytes; absent ones count as removed."""
        self._meter.used(tenant, blob_deletes=1)
        with aws_failures():
            self._client().delete_object(Bucket=self._bucket, Key=key_of(tenant, digest))

    def _put_once(self, key: str, data: bytes, checksum: str) -> bool:
        try:
            self._client().put_object(Bucket=self._bucket, Key=key, Body=data, IfNoneMatch="*", ChecksumSHA256=checksum)
        except ClientError as error:
            code = code_of(error)
            if code == _RACED_BY_A_DELETE:
                return False
            if code != _ALREADY_THERE:
                raise
        return True


def key_of(tenant: Tenant, digest: Digest) -> str:
    """Return the name of a blob's object."""
    return f"blobs/{ids.tenant(tenant)}/{digest[:2]}/{ids.digest(digest)}"
