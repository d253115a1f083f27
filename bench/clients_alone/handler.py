"""A bare handler that makes the clients of sealed contents and blobs as well, as any memory of this kind has to."""

from __future__ import annotations

import os
from typing import Any

import boto3


def handler(event: dict[str, Any], context: object) -> dict[str, Any]:
    """Make the clients and read an item that is not there; an empty event asks for nothing."""
    del context
    if event:
        table = boto3.client("dynamodb")  # pyright: ignore[reportUnknownMemberType]
        boto3.client("kms")  # pyright: ignore[reportUnknownMemberType]
        boto3.client("s3")  # pyright: ignore[reportUnknownMemberType]
        table.get_item(TableName=os.environ["CAIRN_TABLE"], Key={"pk": {"S": "bare"}, "sk": {"S": "bare"}})
    return {"statusCode": 200}
