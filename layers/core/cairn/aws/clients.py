"""The boto3 clients of one process, each made when first used and kept."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import boto3
from botocore.config import Config

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_kms import KMSClient
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_sqs import SQSClient

_SMALL = Config(
    retries={"mode": "standard", "total_max_attempts": 4}, connect_timeout=1, read_timeout=3, max_pool_connections=16
)
_LARGE = _SMALL.merge(Config(read_timeout=10))


class Clients:
    """Clients for the region and the credentials of the environment, with standard retries and short timeouts.

    boto3 clients may be shared by threads, but are not made by several at once: make one before handing it out.
    """

    @cached_property
    def dynamodb(self) -> DynamoDBClient:
        """The client of the table."""
        return boto3.client("dynamodb", config=_SMALL)  # pyright: ignore[reportUnknownMemberType]

    @cached_property
    def s3(self) -> S3Client:
        """The client of the bucket; bodies may take longer than items."""
        return boto3.client("s3", config=_LARGE)  # pyright: ignore[reportUnknownMemberType]

    @cached_property
    def kms(self) -> KMSClient:
        """The client of the key."""
        return boto3.client("kms", config=_SMALL)  # pyright: ignore[reportUnknownMemberType]

    @cached_property
    def sqs(self) -> SQSClient:
        """The client of the queue."""
        return boto3.client("sqs", config=_SMALL)  # pyright: ignore[reportUnknownMemberType]
