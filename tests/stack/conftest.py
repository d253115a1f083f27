"""The stack that `make stack` asks for, built, deployed and taken down again; without that this folder has no tests."""

from __future__ import annotations

import json
import os
import shutil
import signal
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, cast

import boto3
import httpx2
import pytest
from cfnlint.decode import cfn_yaml

from cairn.access.api_keys import Grant
from cairn.access.key_store import Credentials
from cairn.ground.ids import Tenant
from cairn.local.emulator.deployment import STACK, prepare, store
from cairn.local.emulator.emulator import ACCOUNT
from cairn.local.store import operator_services
from cairn.sessions.layout import HEAD, SUMMARIES, due_sk, guard_sk
from cairn_tools.catalog import CATALOG
from lambda_runtime import free_port
from support.stack import Items, Stack, as_if_over_tls

collect_ignore_glob = [] if os.environ.get("STACK") else ["test_*.py"]

ROOT = Path(__file__).resolve().parents[2]
TENANTS = ("acme", "globex")
EVERY_TOOL = ", ".join(f"{name}: {{enabled: true}}" for name in ("memory", *(tool.name for tool in CATALOG)))
PARAMETERS = {
    "MaintenanceSchedule": "ENABLED",
    "MaintenanceRate": "rate(1 minute)",
    "Settings": f"{{settings: {{mcp: {{tools: {{{EVERY_TOOL}}}}}}}}}",
}
Call = Callable[..., httpx2.Response]
Permissions = dict[str, dict[str, bool]]
PERMISSIONS = pytest.StashKey[Permissions]()
AWS = cast("Any", boto3)  # its stubs know three services


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run first what starts the emulator anew, and last what waits for it to act by itself."""
    items.sort(key=lambda item: (item.path.stem != "test_restart", item.path.stem in {"test_expiry", "test_job_queue"}))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Print which calls each role was found to be allowed."""
    found = config.stash.get(PERMISSIONS, Permissions())
    calls = list(dict.fromkeys(call for each in found.values() for call in each))
    terminalreporter.section("role x call: + allowed, . denied")
    for call in calls:
        terminalreporter.write_line(
            f"{call:24}" + "".join(f"{'+' if each[call] else '.':>4}" for each in found.values())
        )
    terminalreporter.write_line(" " * 24 + "".join(f"{column:4}" for column in range(1, len(found) + 1)))
    terminalreporter.write_line("  ".join(f"{column} {role}" for column, role in enumerate(found, 1)))


@pytest.fixture(scope="session")
def permissions(pytestconfig: pytest.Config) -> Permissions:
    """Return what is found out of each role: its calls, and whether they were allowed."""
    return pytestconfig.stash.setdefault(PERMISSIONS, {})


@pytest.fixture(scope="session")
def stack() -> Iterator[Stack]:
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # whoever ends the run ends the emulator with it
    home = ROOT / ".cache" / "stack"
    for left in ("state", "objects"):
        shutil.rmtree(home / left, ignore_errors=True)
    stack = Stack(prepare(ROOT, home, PARAMETERS), free_port())
    stack.deployment.build()
    stack.start()
    try:
        stack.outputs = stack.deployment.deploy(stack.endpoint)
        with _acting_in(stack.endpoint):
            yield stack
    finally:
        stack.stop()


@contextmanager
def _acting_in(endpoint: str) -> Generator[None]:
    """Let boto3 in this process act as the emulator's account."""
    with pytest.MonkeyPatch.context() as environment:
        for name in [each for each in os.environ if each.startswith("AWS_")]:
            environment.delenv(name)
        for name, value in {**ACCOUNT, "AWS_ENDPOINT_URL": endpoint}.items():
            environment.setenv(name, value)
        yield


@pytest.fixture(scope="session")
def outputs(stack: Stack) -> dict[str, str]:
    return stack.outputs


@pytest.fixture(scope="session")
def credentials(outputs: dict[str, str]) -> Credentials:
    """Return the API keys of the deployed store, as its operator has them."""
    return operator_services(None, store(outputs)).credentials


@pytest.fixture(scope="session")
def keys(credentials: Credentials) -> dict[str, str]:
    """Return an API key of each of two tenants."""
    return {tenant: credentials.create(Tenant(tenant), Grant()).text for tenant in TENANTS}


@pytest.fixture(scope="session")
def plain_http(outputs: dict[str, str]) -> None:
    """Let bucket and queues be called without TLS, which the emulator has not; the rest of their policies stays."""
    s3 = AWS.client("s3")
    bucket = outputs["MemoryBucketName"]
    policy = json.loads(s3.get_bucket_policy(Bucket=bucket)["Policy"])
    kept = [each for each in policy["Statement"] if each["Sid"] not in {"DenyPlainHttp", "DenyOldTls"}]
    assert len(kept) == len(policy["Statement"]) - 2
    s3.put_bucket_policy(Bucket=bucket, Policy=json.dumps({**policy, "Statement": kept}))
    sqs = AWS.client("sqs")
    sqs.meta.events.register("before-sign.sqs", as_if_over_tls)
    for queue in sqs.list_queues()["QueueUrls"]:
        said = sqs.get_queue_attributes(QueueUrl=queue, AttributeNames=["Policy"])["Attributes"]["Policy"]
        assert [each["Sid"] for each in json.loads(said)["Statement"]] == ["DenyPlainHttp"]
        sqs.set_queue_attributes(QueueUrl=queue, Attributes={"Policy": ""})


@pytest.fixture(scope="session")
def time_to_live(outputs: dict[str, str]) -> None:
    """Let the table have the time to live that the template gives it: the emulator's CloudFormation passes it over."""
    template = cast("Any", cfn_yaml).load(str(ROOT / "template.yaml"))
    told: Any = template["Resources"]["MemoryTable"]["Properties"]["TimeToLiveSpecification"]
    specification = {"AttributeName": str(told["AttributeName"]), "Enabled": bool(told["Enabled"])}
    AWS.client("dynamodb").update_time_to_live(
        TableName=outputs["MemoryTableName"], TimeToLiveSpecification=specification
    )


@pytest.fixture(scope="session")
def roles(outputs: dict[str, str]) -> dict[str, str]:
    """Return each function's role under the function's logical id, made fit for what the emulator does not know.

    It has no encryption context to hold a condition against, so that each role whose statements name the key gets the
    same actions without the conditions. It asks for `sqs:SendMessageBatch`, which AWS calls `sqs:SendMessage`. It lets
    nobody play Lambda, so that the account may take the roles on.
    """
    del outputs  # it is there once the stack is
    iam = AWS.client("iam")
    stack = AWS.client("cloudformation")
    listed = stack.get_paginator("list_stack_resources").paginate(StackName=STACK)
    found = [each for page in listed for each in page["StackResourceSummaries"]]
    names = {
        each["LogicalResourceId"].removesuffix("Role"): each["PhysicalResourceId"]
        for each in found
        if each["ResourceType"] == "AWS::IAM::Role"
    }
    for name in names.values():
        granted = iam.get_role_policy(RoleName=name, PolicyName="grants")["PolicyDocument"]["Statement"]
        on_key: list[Any] = [{**each, "Condition": {}} for each in granted if each["Action"][0].startswith("kms:")]
        batches: list[Any] = [
            {**each, "Action": "sqs:SendMessageBatch"} for each in granted if "sqs:SendMessage" in each["Action"]
        ]
        if on_key or batches:
            document: Any = {"Version": "2012-10-17", "Statement": [*on_key, *batches]}
            iam.put_role_policy(RoleName=name, PolicyName="emulator", PolicyDocument=json.dumps(document))
        anyone = {"Effect": "Allow", "Principal": {"AWS": "*"}}
        trust = iam.get_role(RoleName=name)["Role"]["AssumeRolePolicyDocument"]
        trust = {**trust, "Statement": [*trust["Statement"], {**anyone, "Action": "sts:AssumeRole"}]}
        iam.update_assume_role_policy(RoleName=name, PolicyDocument=json.dumps(trust))
    return names


@pytest.fixture(scope="session")
def client(stack: Stack, roles: dict[str, str], plain_http: None, time_to_live: None) -> Iterator[httpx2.Client]:
    """Return a client of the API."""
    del roles, plain_http, time_to_live  # nothing can be called before they are made fit for the emulator
    with httpx2.Client(base_url=stack.endpoint, headers={"host": stack.host}, timeout=60) as opened:
        yield opened


@pytest.fixture(scope="session")
def call(client: httpx2.Client, keys: dict[str, str]) -> Call:
    """Return a function that calls a tool over HTTP for a tenant, None for nobody."""

    def post(tool: str, arguments: Any, tenant: str | None = "acme", **headers: str) -> httpx2.Response:
        if tenant is not None:
            headers = {"authorization": f"Bearer {keys[tenant]}", **headers}
        return client.post(f"/v1/tools/{tool}", json=arguments, headers=headers)

    return post


@pytest.fixture(scope="session")
def turn_of() -> Callable[[str], dict[str, Any]]:
    """Return a function that returns a turn of a session of this name."""
    said = [{"role": "user", "content": "I prefer raised beds."}]

    def turn(session_id: str) -> dict[str, Any]:
        names = {"project": "garden", "session_id": session_id, "turn_id": "turn-1"}
        return {**names, "input_items": said, "output_items": []}

    return turn


@pytest.fixture(scope="session")
def items(outputs: dict[str, str]) -> Items:
    return Items(outputs["MemoryTableName"])


@pytest.fixture(scope="session")
def expire(items: Items) -> Callable[[dict[str, Any]], None]:
    """Return a function that lets a turn's guard have expired a minute ago."""

    def change(turn: dict[str, Any]) -> None:
        items.change(turn, guard_sk(turn["turn_id"]), "expires_at", {"N": str(int(time.time()) - 60)})

    return change


@pytest.fixture(scope="session")
def let_be_due(items: Items) -> Callable[[dict[str, Any]], None]:
    """Return a function that lets the session of a turn be due for maintenance since a minute."""

    def change(turn: dict[str, Any]) -> None:
        assert not items.has(turn, SUMMARIES)
        items.change(turn, HEAD, "isk", {"S": due_sk(datetime.now(UTC) - timedelta(minutes=1))})

    return change


@pytest.fixture(scope="session")
def expired(call: Call, expire: Callable[[dict[str, Any]], None], turn_of: Callable[[str], dict[str, Any]]) -> Any:
    """Return a turn whose guard has expired."""
    turn = turn_of("expires-and-is-removed")
    assert call("memory_after_turn", turn).status_code == httpx2.codes.OK
    expire(turn)
    return turn


@pytest.fixture(scope="session")
def due(call: Call, let_be_due: Callable[[dict[str, Any]], None], turn_of: Callable[[str], dict[str, Any]]) -> Any:
    """Return a turn whose session is due for maintenance."""
    turn = turn_of("due-for-maintenance")
    assert call("memory_after_turn", turn).status_code == httpx2.codes.OK
    let_be_due(turn)
    return turn


@pytest.fixture(scope="session", autouse=True)
def _waited_for(expired: Any, due: Any) -> None:  # pyright: ignore[reportUnusedFunction] - pytest uses it
    """Make at the start what the emulator acts on once a minute, so that the waiting goes on beside the tests."""
    del expired, due


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
