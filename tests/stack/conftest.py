"""The deployed stack that `make stack` names; without one this folder has no tests."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlsplit

import boto3
import httpx2
import pytest

collect_ignore_glob = [] if "STACK_ENDPOINT" in os.environ else ["test_*.py"]

Call = Callable[..., httpx2.Response]


@pytest.fixture(scope="session")
def outputs() -> dict[str, str]:
    return json.loads(os.environ["STACK_OUTPUTS"])


@pytest.fixture(scope="session")
def keys() -> dict[str, str]:
    """Return an API key of each of two tenants."""
    return json.loads(os.environ["STACK_KEYS"])


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
    s3: Any = boto3.client("s3")  # pyright: ignore[reportUnknownMemberType]
    bucket = outputs["MemoryBucketName"]

    def read() -> list[bytes]:
        listed = s3.list_objects_v2(Bucket=bucket).get("Contents", [])
        return [s3.get_object(Bucket=bucket, Key=each["Key"])["Body"].read() for each in listed]

    return read


@pytest.fixture(scope="session")
def stored(outputs: dict[str, str], objects: Callable[[], list[bytes]]) -> Callable[[], bytes]:
    """Return a function that returns every byte of the table's items and of the bucket's objects."""
    table: Any = boto3.client("dynamodb")  # pyright: ignore[reportUnknownMemberType]

    def read() -> bytes:
        items = table.scan(TableName=outputs["MemoryTableName"])["Items"]
        assert items
        values = [value for item in items for typed in item.values() for value in typed.values()]
        return b"\n".join([value if isinstance(value, bytes) else str(value).encode() for value in values] + objects())

    return read
