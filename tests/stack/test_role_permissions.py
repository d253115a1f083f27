"""What each function's role may do with the stores, asked of the deployed roles: its grants and nothing more."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import boto3
import pytest
from botocore.exceptions import ClientError

from cairn.ground.jobs import MaintainShard, encoded
from cairn_tools.catalog import CATALOG
from functions import Function, functions

pytestmark = pytest.mark.enable_socket

AWS = cast("Any", boto3)  # its stubs know three services
FUNCTIONS = [each for each in functions(CATALOG) if each.condition is None]
FOR_ACME = {"tenant": "acme"}
BLOB = "blobs/acme/probe"
KEY = {"pk": {"S": "acme#probe"}, "sk": {"S": "probe"}}
# The emulator knows no dynamodb:LeadingKeys and no encryption context: what is allowed of some is allowed of all there.
# tests/architecture holds the conditions to what each function touches.
_READS = {
    "sessions:read",
    "logs:read",
    "documents:read",
    "items:read",
    "values:read",
    "archive:read",
    "executions:use",
    "audit:read",
    "audit:seal",
    "key:use",
    "turns:write",
    "policy:read",
    "credentials:check",
    "credentials:list",
    "credentials:add",
    "stores:probe",
}
_LISTS = {"sessions:due", "values:write", "documents:write", "calls:read", "audit:due"}
_PUTS = {
    "sessions:put",
    "sessions:write",
    "logs:write",
    "values:write",
    "documents:write",
    "items:write",
    "archive:put",
    "executions:use",
    "turns:write",
    "values:add",
    "journal:write",
    "rates:take",
    "audit:seal",
    "credentials:add",
}
_UPDATES = {
    "turns:write",
    "sessions:change",
    "sessions:write",
    "logs:write",
    "values:write",
    "documents:write",
    "items:write",
    "audit:seal",
    "credentials:change",
}
_DELETES = {"sessions:delete", "logs:delete", "notes:delete", "values:write", "documents:write", "items:delete"}
NEEDS = {
    "get_item": _READS,
    "query the index": _LISTS,
    "get_item elsewhere": set[str](),
    "put_item": _PUTS,
    "put_item into the journal": _PUTS,
    "update_item": _UPDATES,
    "delete_item": _DELETES,
    "scan": set[str](),
    "delete_table": set[str](),
    "update_time_to_live": set[str](),
    "list_objects_v2": {"blobs:read", "stores:probe"},
    "put_object": {"blobs:write"},
    "put_object elsewhere": set[str](),
    "get_object": {"blobs:read"},
    "delete_object": {"blobs:delete"},
    "put_bucket_policy": set[str](),
    "generate_data_key": {"stores:probe", "blobs:write", "jobs:send"},
    "decrypt": {*_READS, *_LISTS, *_PUTS, "blobs:read", "jobs:send", "jobs:take"},
    "disable_key": set[str](),
    "create_grant": set[str](),
    "send_message": {"jobs:send"},
    "receive_message": {"jobs:take"},
    "purge_queue": set[str](),
    "send_message to the dead": set[str](),
    "invoke a function": set[str](),
    "list_roles": set[str](),
    "put_role_policy": set[str](),
    "list_secrets": set[str](),
}
DENIED = {"AccessDenied", "AccessDeniedException"}


@pytest.fixture(scope="module")
def acting_as(roles: dict[str, str], outputs: dict[str, str]) -> Callable[[str], dict[str, Callable[[], Any]]]:
    """Return a function that returns the calls of NEEDS as a function's role makes them."""
    sts, key = AWS.client("sts"), {"KeyId": outputs["MemoryKeyArn"], "EncryptionContext": FOR_ACME}
    sealed = AWS.client("kms").encrypt(**key, Plaintext=b"probe")["CiphertextBlob"]
    AWS.client("s3").put_object(Bucket=outputs["MemoryBucketName"], Key=BLOB, Body=b"")

    def calls(logical_id: str) -> dict[str, Callable[[], Any]]:
        arn = f"arn:aws:iam::{sts.get_caller_identity()['Account']}:role/{roles[logical_id]}"
        given = sts.assume_role(RoleArn=arn, RoleSessionName="probe")["Credentials"]
        own = AWS.Session(given["AccessKeyId"], given["SecretAccessKey"], given["SessionToken"], "us-east-1")
        return {
            **_on_table(own.client("dynamodb"), outputs["MemoryTableName"]),
            **_on_bucket(own.client("s3"), outputs["MemoryBucketName"]),
            **_on_key(own.client("kms"), outputs["MemoryKeyArn"], sealed),
            **_on_queues(own.client("sqs"), outputs["JobQueueUrl"], outputs["JobDeadLettersUrl"]),
            **_on_the_account(own, roles[logical_id]),
        }

    return calls


@pytest.mark.req("R254")
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda each: each.name)
def test_a_role_does_what_its_grants_say_and_is_denied_the_rest(
    acting_as: Callable[[str], dict[str, Callable[[], Any]]],
    permissions: dict[str, dict[str, bool]],
    function: Function,
) -> None:
    found = {name: not _denied(call) for name, call in acting_as(function.logical_id).items()}
    permissions[function.name] = found

    assert found == {name: bool(needs & set(function.grants)) for name, needs in NEEDS.items()}


def _on_table(dynamodb: Any, name: str) -> dict[str, Callable[[], Any]]:
    table = {"TableName": name}
    change = {"UpdateExpression": "SET a = :a", "ExpressionAttributeValues": {":a": {"S": "a"}}}
    asked = {"KeyConditionExpression": "ipk = :p", "ExpressionAttributeValues": {":p": {"S": "probe"}}}
    no_end = {"AttributeName": "expires_at", "Enabled": False}
    return {
        "get_item": lambda: dynamodb.get_item(**table, Key=KEY),
        "query the index": lambda: dynamodb.query(**table, IndexName="sparse", **asked),
        "get_item elsewhere": lambda: dynamodb.get_item(TableName="elsewhere", Key=KEY),
        "put_item": lambda: dynamodb.put_item(**table, Item=KEY),
        "put_item into the journal": lambda: dynamodb.put_item(**table, Item=KEY | {"pk": {"S": "acme#rates"}}),
        "update_item": lambda: dynamodb.update_item(**table, Key=KEY, **change),
        "delete_item": lambda: dynamodb.delete_item(**table, Key=KEY),
        "scan": lambda: dynamodb.scan(**table),
        "delete_table": lambda: dynamodb.delete_table(**table),
        "update_time_to_live": lambda: dynamodb.update_time_to_live(**table, TimeToLiveSpecification=no_end),
    }


def _on_bucket(s3: Any, name: str) -> dict[str, Callable[[], Any]]:
    bucket = {"Bucket": name}
    return {
        "list_objects_v2": lambda: s3.list_objects_v2(**bucket),
        "put_object": lambda: s3.put_object(**bucket, Key=BLOB, Body=b""),
        "put_object elsewhere": lambda: s3.put_object(**bucket, Key="elsewhere/probe", Body=b""),
        "get_object": lambda: s3.get_object(**bucket, Key=BLOB),
        "delete_object": lambda: s3.delete_object(**bucket, Key="blobs/acme/none"),
        "put_bucket_policy": lambda: s3.put_bucket_policy(**bucket, Policy="{}"),
    }


def _on_key(kms: Any, arn: str, sealed: bytes) -> dict[str, Callable[[], Any]]:
    key, tenant = {"KeyId": arn}, {"EncryptionContext": FOR_ACME}
    return {
        "generate_data_key": lambda: kms.generate_data_key(**key, **tenant, KeySpec="AES_256"),
        "decrypt": lambda: kms.decrypt(**key, **tenant, CiphertextBlob=sealed),
        "disable_key": lambda: kms.disable_key(**key),
        "create_grant": lambda: kms.create_grant(**key, GranteePrincipal="acme", Operations=["Decrypt"]),
    }


def _on_queues(sqs: Any, jobs: str, dead: str) -> dict[str, Callable[[], Any]]:
    job = encoded(MaintainShard(0))
    return {
        "send_message": lambda: sqs.send_message(QueueUrl=jobs, MessageBody=job),
        "receive_message": lambda: sqs.receive_message(QueueUrl=jobs, VisibilityTimeout=0),
        "purge_queue": lambda: sqs.purge_queue(QueueUrl=jobs),
        "send_message to the dead": lambda: sqs.send_message(QueueUrl=dead, MessageBody=job),
    }


def _on_the_account(own: Any, role: str) -> dict[str, Callable[[], Any]]:
    iam = own.client("iam")
    return {
        "invoke a function": lambda: own.client("lambda").invoke(FunctionName="elsewhere"),
        "list_roles": iam.list_roles,
        "put_role_policy": lambda: iam.put_role_policy(RoleName=role, PolicyName="more", PolicyDocument="{}"),
        "list_secrets": own.client("secretsmanager").list_secrets,
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
