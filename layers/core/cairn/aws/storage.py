"""Keep a backup's files as objects of a bucket below a prefix."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, BinaryIO

from botocore.exceptions import ClientError

from cairn.aws.failures import aws_failures, expected
from cairn.aws.walks import objects
from cairn.ground.errors import NotFound

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

_ABSENT = ("404", "NoSuchKey")


class S3Storage:
    """Each object is there whole or not at all; large ones are sent and fetched in parts, so that none is in memory."""

    def __init__(self, client: Callable[[], S3Client], bucket: str, prefix: str) -> None:
        """Use this bucket by a client of boto3."""
        self._client = client
        self._bucket = bucket
        self._prefix = f"{prefix.strip('/')}/".lstrip("/")

    def __str__(self) -> str:
        """Return where it is, for people."""
        return f"s3://{self._bucket}/{self._prefix}"

    def names(self, prefix: str = "") -> Iterator[str]:
        """Yield the name of each file that begins so, in order."""
        for found in objects(self._client(), self._bucket, f"{self._prefix}{prefix}"):
            yield str(found.get("Key", ""))[len(self._prefix) :]

    def fetch(self, name: str, into: BinaryIO) -> None:
        """Copy what is in a file; NotFound where it is not there."""
        with aws_failures():
            try:
                self._client().download_fileobj(self._bucket, self._prefix + name, into)
            except ClientError as error:
                expected(error, *_ABSENT)
                raise NotFound(f"{name} is not in {self}") from None

    def put(self, name: str, file: BinaryIO) -> None:
        """Keep a file under a name that nothing has."""
        with aws_failures():
            self._client().upload_fileobj(file, self._bucket, self._prefix + name)

    def delete(self, name: str) -> None:
        """Remove a file, if it is there."""
        with aws_failures():
            self._client().delete_object(Bucket=self._bucket, Key=self._prefix + name)
