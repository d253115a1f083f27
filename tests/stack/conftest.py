"""The deployed stack that `make stack` names; without one this folder has no tests."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from typing import Any, cast
from urllib.parse import urlsplit

import boto3
import httpx2
import pytest

collect_ignore_glob = [] if "STACK_ENDPOINT" in os.environ else ["test_*.py"]

Call = Callable[..., httpx2.Response]
AWS = cast("Any", boto3)  # its stubs know three services


@pytest.fixture(scope="session")
def outputs() -> dict[str, str]:
    return json.loads(os.environ["STACK_OUTPUTS"])


@pytest.fixture(scope="session")
def keys() -> dict[str, str]:
    """Return an API key of each of two tenants."""
    return json.loads(os.environ["STACK_KEYS"])


@pytest.fixture(scope="session", autouse=True)
def _bucket_over_http(outputs: dict[str, str]) -> None:  # pyright: ignore[reportUnusedFunction]
    """Let the bucket be called without TLS, which the emulator has not; the rest of its policy stays."""
    s3 = AWS.client("s3")
    bucket = outputs["MemoryBucketName"]
    policy = json.loads(s3.get_bucket_policy(Bucket=bucket)["Policy"])
    kept = [each for each in policy["Statement"] if each["Sid"] not in {"DenyPlainHttp", "DenyOldTls"}]
    assert len(kept) == len(policy["Statement"]) - 2
    s3.put_bucket_policy(Bucket=bucket, Policy=json.dumps({**policy, "Statement": kept}))


@pytest.fixture(scope="session", autouse=True)
def roles() -> dict[str, str]:
    """Return each function's role under the function's logical id, made fit for what the emulator does not know.

    It has no encryption context to hold a condition against, so that each role whose statements name the key gets the
    same actions without the conditions. It lets nobody play Lambda, so that the account may take the roles on.
    """
    iam = AWS.client("iam")
    stack = AWS.client("cloudformation")
    listed = stack.get_paginator("list_stack_resources").paginate(StackName=os.environ["STACK_NAME"])
    found = [each for page in listed for each in page["StackResourceSummaries"]]
    names = {
        each["LogicalResourceId"].removesuffix("Role"): each["PhysicalResourceId"]
        for each in found
        if each["ResourceType"] == "AWS::IAM::Role"
    }
    for name in names.values():
        granted = iam.get_role_policy(RoleName=name, PolicyName="grants")["PolicyDocument"]["Statement"]
        on_key: list[Any] = [{**each, "Condition": {}} for each in granted if each["Action"][0].startswith("kms:")]
        if on_key:
            document: Any = {"Version": "2012-10-17", "Statement": on_key}
            iam.put_role_policy(RoleName=name, PolicyName="emulator", PolicyDocument=json.dumps(document))
        anyone = {"Effect": "Allow", "Principal": {"Service": "lambda.amazonaws.com", "AWS": "*"}}
        trust = {"Version": "2012-10-17", "Statement": [{**anyone, "Action": "sts:AssumeRole"}]}
        iam.update_assume_role_policy(RoleName=name, PolicyDocument=json.dumps(trust))
    return names


@pytest.fixture(scope="session")
def client(outputs: dict[str, str]) -> Iterator[httpx2.Client]:
    """Return a client of the API: its name goes into the Host header, since no resolver knows it."""
    host = urlsplit(outputs["ApiUrl"]).netloc
    with httpx2.Client(base_url=os.environ["STACK_ENDPOINT"], headers={"host": host}, timeout=60) as opened:
        yield opened


@pytest.fixture
def call(client: httpx2.Client, keys: dict[str, str]) -> Call:
    """Return a function that calls a tool over HTTP for a tenant, None for nobody."""

    def post(tool: str, arguments: Any, tenant: str | None = "acme", **headers: str) -> httpx2.Response:
        if tenant is not None:
            headers = {"authorization": f"Bearer {keys[tenant]}", **headers}
        return client.post(f"/v1/tools/{tool}", json=arguments, headers=headers)

    return post


@pytest.fixture
def mcp(client: httpx2.Client, keys: dict[str, str]) -> Callable[..., dict[str, Any]]:
    """Return a function that makes a JSON-RPC request over MCP and returns its result."""

    def post(method: str, tenant: str = "acme", **params: Any) -> dict[str, Any]:
        request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        headers = {"authorization": f"Bearer {keys[tenant]}", "accept": "application/json, text/event-stream"}
        response = client.post("/mcp", json=request, headers=headers)
        assert response.status_code == httpx2.codes.OK, response.text
        return response.json()["result"]

    return post


@pytest.fixture(scope="session")
def objects(outputs: dict[str, str]) -> Callable[[], list[bytes]]:
    """Return a function that returns the bucket's objects."""
    s3 = AWS.client("s3")
    bucket = outputs["MemoryBucketName"]

    def read() -> list[bytes]:
        listed = s3.list_objects_v2(Bucket=bucket).get("Contents", [])
        return [s3.get_object(Bucket=bucket, Key=each["Key"])["Body"].read() for each in listed]

    return read


@pytest.fixture(scope="session")
def stored(outputs: dict[str, str], objects: Callable[[], list[bytes]]) -> Callable[[], bytes]:
    """Return a function that returns every byte of the table's items and of the bucket's objects."""
    table = AWS.client("dynamodb")

    def read() -> bytes:
        items = table.scan(TableName=outputs["MemoryTableName"])["Items"]
        assert items
        values = [value for item in items for typed in item.values() for value in typed.values()]
        return b"\n".join([value if isinstance(value, bytes) else str(value).encode() for value in values] + objects())

    return read
