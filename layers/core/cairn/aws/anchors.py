"""Keep heads of audit chains as objects of a bucket with Object Lock: `heads/<SHA-256 of the tenant>/<number>`."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Mapping
from hashlib import sha256
from typing import TYPE_CHECKING

from botocore.exceptions import ClientError

from cairn.aws.failures import aws_failures, code_of
from cairn.ground.ids import Tenant

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

_ALREADY_THERE = "PreconditionFailed"


class S3Anchors:
    """Adds an object for each head.

    The bucket's default retention locks each version of an object, so that the oldest is what was put first.
    """

    def __init__(self, client: Callable[[], S3Client], bucket: str) -> None:
        """Use this bucket, whose Object Lock has a default retention."""
        self._client = client
        self._bucket = bucket

    def put(self, tenant: Tenant, number: int, head: str) -> None:
        """Keep the head of the chain at this place, unless one is kept; Unavailable where S3 fails."""
        body = head.encode()
        # Object Lock asks for a checksum with each upload.
        checksum = b64encode(sha256(body).digest()).decode()
        with aws_failures():
            try:
                self._client().put_object(
                    Bucket=self._bucket,
                    Key=f"{_prefix(tenant)}{number:09d}",
                    Body=body,
                    IfNoneMatch="*",
                    ChecksumAlgorithm="SHA256",
                    ChecksumSHA256=checksum,
                )
            except ClientError as error:
                if code_of(error) != _ALREADY_THERE:
                    raise

    def heads(self, tenant: Tenant) -> Mapping[int, str]:
        """Return the oldest version of every head that is kept, by its place, those behind delete markers too."""
        oldest: dict[str, str] = {}
        with aws_failures():
            pages = self._client().get_paginator("list_object_versions")
            for page in pages.paginate(Bucket=self._bucket, Prefix=_prefix(tenant)):
                # S3 lists the versions of a key from the newest to the oldest.
                oldest |= {each.get("Key", ""): each.get("VersionId", "") for each in page.get("Versions", [])}
            return {int(key.rpartition("/")[2]): self._head(key, version) for key, version in oldest.items()}

    def _head(self, key: str, version: str) -> str:
        answer = self._client().get_object(Bucket=self._bucket, Key=key, VersionId=version)
        return answer["Body"].read().decode()


def _prefix(tenant: Tenant) -> str:
    return f"heads/{sha256(tenant.encode()).hexdigest()}/"
