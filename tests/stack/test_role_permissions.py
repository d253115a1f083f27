"""What each function's role may do with the stores, asked of the deployed roles: its grants and nothing more."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import boto3
import pytest
from botocore.exceptions import ClientError

import template_functions
from cairn_tools.catalog import CATALOG

pytestmark = pytest.mark.enable_socket

AWS = cast("Any", boto3)  # its stubs know three services
FUNCTIONS = template_functions.functions(CATALOG)
KEY = {"pk": {"S": "acme#probe"}, "sk": {"S": "probe"}}
NEEDS = {
    "get_item": {"table:read"},
    "put_item": {"table:put", "table:write"},
    "update_item": {"table:write"},
    "delete_item": {"table:write"},
    "scan": set[str](),
    "delete_table": set[str](),
    "list_objects_v2": {"blobs:read"},
    "put_object": {"blobs:write"},
    "put_object elsewhere": set[str](),
    "delete_object": {"blobs:delete"},
    "generate_data_key": {"key:use", "blobs:write"},
    "disable_key": set[str](),
}
DENIED = {"AccessDenied", "AccessDeniedException"}


@pytest.fixture
def acting_as(roles: dict[str, str], outputs: dict[str, str]) -> Callable[[str], dict[str, Callable[[], Any]]]:
    """Return a function that returns the calls of NEEDS as a function's role makes them."""
    sts = AWS.client("sts")

    def calls(logical_id: str) -> dict[str, Callable[[], Any]]:
        arn = f"arn:aws:iam::{sts.get_caller_identity()['Account']}:role/{roles[logical_id]}"
        given = sts.assume_role(RoleArn=arn, RoleSessionName="probe")["Credentials"]
        own = AWS.Session(given["AccessKeyId"], given["SecretAccessKey"], given["SessionToken"], "us-east-1")
        return _calls(own, outputs)

    return calls


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda each: each.name)
def test_a_role_does_what_its_grants_say_and_is_denied_the_rest(
    acting_as: Callable[[str], dict[str, Callable[[], Any]]], function: template_functions.Function
) -> None:
    calls = acting_as(function.logical_id)

    assert set(calls) == set(NEEDS)
    for name, call in calls.items():
        may = bool(NEEDS[name] & set(function.grants))
        assert _denied(call) is not may, name


def _calls(session: Any, outputs: dict[str, str]) -> dict[str, Callable[[], Any]]:
    dynamodb, s3, kms = (session.client(name) for name in ("dynamodb", "s3", "kms"))
    table, bucket = {"TableName": outputs["MemoryTableName"]}, {"Bucket": outputs["MemoryBucketName"]}
    key = {"KeyId": outputs["MemoryKeyArn"]}
    change = {"UpdateExpression": "SET a = :a", "ExpressionAttributeValues": {":a": {"S": "a"}}}
    return {
        "get_item": lambda: dynamodb.get_item(**table, Key=KEY),
        "put_item": lambda: dynamodb.put_item(**table, Item=KEY),
        "update_item": lambda: dynamodb.update_item(**table, Key=KEY, **change),
        "delete_item": lambda: dynamodb.delete_item(**table, Key=KEY),
        "scan": lambda: dynamodb.scan(**table),
        "delete_table": lambda: dynamodb.delete_table(**table),
        "list_objects_v2": lambda: s3.list_objects_v2(**bucket),
        "put_object": lambda: s3.put_object(**bucket, Key="blobs/acme/probe", Body=b""),
        "put_object elsewhere": lambda: s3.put_object(**bucket, Key="elsewhere/probe", Body=b""),
        "delete_object": lambda: s3.delete_object(**bucket, Key="blobs/acme/probe"),
        "generate_data_key": lambda: kms.generate_data_key(
            **key, KeySpec="AES_256", EncryptionContext={"tenant": "acme"}
        ),
        "disable_key": lambda: kms.disable_key(**key),
    }


def _denied(call: Callable[[], Any]) -> bool:
    try:
        call()
    except ClientError as error:
        code = error.response.get("Error", {}).get("Code", "")
        if code not in DENIED:
            raise
        return True
    return False
