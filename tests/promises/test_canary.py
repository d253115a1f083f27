"""No content, key or token leaves in a log line, a metric, a span or on a standard stream: every tool, every door."""

from __future__ import annotations

import io
import json
import logging
import os
import socket
import subprocess
import sys
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from contextlib import asynccontextmanager
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn, TypeAlias, cast

import pytest
from moto import mock_aws
from starlette.applications import Starlette
from starlette.testclient import TestClient

from builders import outcome
from cairn.aws.blobs import S3Blobs
from cairn.aws.clients import Clients
from cairn.aws.keyring import KmsKeyRing
from cairn.aws.table import DynamoTable
from cairn.domain.credentials import Grant
from cairn.domain.errors import CairnError
from cairn.domain.ids import Tenant
from cairn.domain.policy import STANDARD
from cairn.domain.settings import HeuristicSettings, Limits, MemorySettings
from cairn.edge.keyvalue import NamespaceInput
from cairn.edge.tool import Tool
from cairn.edge.validation import Rules, validate
from cairn.local.bridge import Bridge, application
from cairn.local.doors import tool_handlers
from cairn.ports import DataKey, KeyRing
from cairn.runtime import logs, wiring
from cairn.runtime.fact_models import FactModels
from cairn.runtime.language_model import ResponsesModel
from cairn.runtime.tracing import TRACE_HEADER
from cairn.runtime.wiring import Services
from cairn.runtime.xray import DAEMON
from cairn.service.world import World
from cairn_auth import authorizer, metadata
from cairn_health import door as health
from cairn_mcp.door import handler as mcp_handler
from cairn_sandbox import door as sandbox
from cairn_tools.catalog import CATALOG
from cairn_tools.memory_after_turn import memory_after_turn
from cairn_tools.putMemory import putMemory
from custody import forms

pytestmark = pytest.mark.enable_socket

CANARY = "canary-7f3a"
NAMED_IN_THE_LOG = {"project", "session_id", "turn_id"}
NAMES_IN_THE_STORE = NAMED_IN_THE_LOG | {"user_id", "agent_id", "task_id", "namespace", "key", "memory_id", "tags"}
"""What things are found by stays readable in keys; all else is content."""
SHAPE = {"type", "role", "kind", "phase", "cursor", "path", "replacement_id"}
"""With other words in them an item is none that a person said, a list none of pods, a cursor, path or id none."""
CREDENTIALS = {"authorization": f"Bearer {CANARY}", "x-api-key": CANARY, "cookie": CANARY, "x-other": CANARY}
Arguments: TypeAlias = Mapping[str, Any]
PathIn: TypeAlias = tuple[str | int, ...]
Door: TypeAlias = Callable[[Tool, Arguments], object]
EventOf: TypeAlias = Callable[..., dict[str, Any]]


def leaves(value: object, path: PathIn = ()) -> Iterator[PathIn]:
    """Yield the path of every value that holds no others."""
    if isinstance(value, dict):
        for name, inner in cast("dict[str, object]", value).items():
            yield from leaves(inner, (*path, name))
    elif isinstance(value, list):
        for index, inner in enumerate(cast("list[object]", value)):
            yield from leaves(inner, (*path, index))
    else:
        yield path


def changed(arguments: Arguments, path: PathIn, value: object) -> dict[str, Any]:
    """Return the arguments with another value at the path."""
    result: Any = deepcopy(dict(arguments))
    holder = result
    for step in path[:-1]:
        holder = holder[step]
    holder[path[-1]] = value
    return result


def planted(tool: Tool, spared: AbstractSet[str] = NAMED_IN_THE_LOG) -> dict[str, Any]:
    """Return arguments that work, with the canary in every text that takes it, beside those that may be named."""
    arguments = dict(tool.example)
    absent: list[PathIn] = [(name,) for name in tool.input_schema()["properties"] if name not in arguments]
    for path in [*leaves(arguments), *absent]:
        for text in (f"My name is {CANARY}. I prefer {CANARY}.", CANARY, f"session.{CANARY}"):
            candidate = changed(arguments, path, text)
            if not spared & set(path) and path[-1] not in SHAPE and is_accepted(tool, candidate):
                arguments = candidate
                break
    return arguments


def is_accepted(tool: Tool, arguments: Arguments) -> bool:
    try:
        request = validate(tool.input, arguments, Rules(Limits(), lenient=False))
    except CairnError:
        return False
    if tool.runs is not None:
        by_name = {each.name: each for each in tool.runs()}
        return all(is_accepted(by_name[step["tool"]], step["arguments"]) for step in steps_in(arguments["steps"]))
    if isinstance(request, NamespaceInput):
        permission = STANDARD.permission(None, tool.name)
        return permission.allows(request.namespace, "read" if tool.read_only else "write")
    return tool.family != "standard" or "result" in sandbox.answer({"tool": tool.name, "arguments": arguments})


def steps_in(given: list[Any]) -> Iterator[dict[str, Any]]:
    for each in given:
        yield from each if isinstance(each, list) else [each]


def misplaced(tool: Tool) -> list[dict[str, Any]]:
    """Return arguments that are refused, each for a canary in another place."""
    wrong: tuple[object, ...] = (f"../{CANARY}\n", [CANARY], {CANARY: CANARY}, [{"role": CANARY, "content": CANARY}])
    made = [changed(tool.example, path, value) for path in leaves(dict(tool.example)) for value in wrong]
    return [each for each in [*made, {**tool.example, CANARY: CANARY}] if not is_accepted(tool, each)]


@pytest.fixture
def said(
    log: io.StringIO, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[], str]]:
    """Return a function that gives all that left the process beside answers: log, metrics, spans, standard streams."""
    written = io.StringIO()
    metrics = logs.metric_handler("Cairn", written)
    logging.getLogger().addHandler(metrics)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as daemon:
        daemon.bind(("127.0.0.1", 0))
        daemon.setblocking(False)
        monkeypatch.setenv(DAEMON, f"127.0.0.1:{daemon.getsockname()[1]}")
        monkeypatch.setenv(TRACE_HEADER, "Root=1-5e272390-8c398be037738dc042009320;Parent=94ae789b969f1cc5;Sampled=1")

        def everything() -> str:
            spans = datagrams(daemon)
            assert '"call"' in log.getvalue()
            assert "memory_tool_requests_total" in written.getvalue()
            assert '"subsegment"' in spans
            return "\n".join([log.getvalue(), written.getvalue(), spans, *capfd.readouterr()])

        yield everything
    logging.getLogger().removeHandler(metrics)


def datagrams(daemon: socket.socket) -> str:
    received: list[str] = []
    while True:
        try:
            received.append(daemon.recv(65536).decode())
        except BlockingIOError:
            return "\n".join(received)


def http(event_of: EventOf) -> Door:
    return lambda tool, arguments: tool.handler(event_of("/", arguments, headers=CREDENTIALS), None)


def mcp(event_of: EventOf) -> Door:
    return lambda tool, arguments: mcp_handler(event_of("/mcp", rpc(tool, arguments), headers=CREDENTIALS), None)


def rpc(tool: Tool, arguments: Arguments) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool.name, "arguments": arguments}}


@asynccontextmanager
async def no_lifespan(_app: Starlette) -> AsyncGenerator[None]:
    yield


@pytest.fixture
def key(services: Services) -> str:
    return services.credentials.create(Tenant("acme"), Grant()).text


@pytest.fixture
def local(services: Services, key: str) -> Iterator[Callable[[str], Door]]:
    """Return a function that makes a door of the local server, which asks the authorizer."""
    limit = services.settings.limits.request_bytes
    bridge = Bridge(mcp_handler, tool_handlers(), health.handler, metadata.handler, authorizer.handler, limit)
    with TestClient(application(bridge, no_lifespan), base_url="http://127.0.0.1") as client:
        headers = CREDENTIALS | {"authorization": f"Bearer {key}"}

        def door(path: str) -> Door:
            def call(tool: Tool, arguments: Arguments) -> object:
                body = rpc(tool, arguments) if path == "/mcp" else arguments
                return client.post(path.format(tool.name), json=body, headers=headers).json()

            return call

        yield door


@pytest.fixture(params=["http", "mcp", "local http", "local mcp"])
def door(request: pytest.FixtureRequest, event_of: EventOf, local: Callable[[str], Door]) -> Door:
    match request.param:
        case "http":
            return http(event_of)
        case "mcp":
            return mcp(event_of)
        case "local http":
            return local("/v1/tools/{}")
        case _:
            return local("/mcp")


each_tool = pytest.mark.parametrize("tool", CATALOG, ids=lambda tool: tool.name)


@pytest.mark.req("R099")
@pytest.mark.req("R100")
@pytest.mark.req("R101")
@each_tool
def test_a_call_that_works_tells_nothing_it_was_given(
    tool: Tool, door: Door, key: str, said: Callable[[], str]
) -> None:
    arguments = planted(tool)
    first = json.dumps(door(tool, arguments)).replace("\\", "")
    door(tool, arguments)

    assert ('"error"' in first) is (outcome(tool) != "OK")
    heard = said()
    assert CANARY not in heard
    assert key.rsplit("_", 1)[1] not in heard


@pytest.mark.req("R099")
@pytest.mark.req("R101")
@pytest.mark.slow
@each_tool
def test_a_call_that_is_refused_tells_nothing_it_was_given(tool: Tool, door: Door, said: Callable[[], str]) -> None:
    for arguments in misplaced(tool):
        assert "INVALID_ARGUMENT" in json.dumps(door(tool, arguments))

    assert CANARY not in said()


SELDOM_NEED_A_KEY = {"listMemory", "deleteMemory"}
"""The first seals the cursor of a further page, both open the policy document, if one was set."""


class Broken:
    """A store of which every call fails, and says what it was given."""

    def __getattr__(self, name: str) -> Any:
        def fail(*given: object) -> NoReturn:
            raise RuntimeError(f"{CANARY} {name} {given}")

        return fail


@pytest.mark.req("R099")
@pytest.mark.req("R103")
@pytest.mark.parametrize(
    ("parts", "tool"),
    [
        pytest.param({part: Broken()}, tool, id=f"{part}-{tool.name}")
        for part, grant in (("table", "table:read"), ("keys", "key:use"))
        for tool in CATALOG
        if grant in tool.grants and (part != "keys" or tool.name not in SELDOM_NEED_A_KEY)
    ],
)
def test_a_store_that_fails_and_tells_all_is_told_of_by_class_and_place_only(  # noqa: PLR0913 - fixtures
    *, parts: dict[str, Any], tool: Tool, services: Services, world: World, event_of: EventOf, said: Callable[[], str]
) -> None:
    for each in (memory_after_turn, putMemory):
        http(event_of)(each, planted(each) if each is putMemory else each.example)
    wiring.provide(wiring.build(services.settings, replace(world, **parts)))

    answers = [json.dumps(call(tool, planted(tool))) for call in (http(event_of), mcp(event_of))]

    assert all("INTERNAL_ERROR" in answer and CANARY not in answer for answer in answers)
    heard = said()
    assert '"failure":"RuntimeError"' in heard
    assert CANARY not in heard


@pytest.mark.req("R099")
@pytest.mark.req("R100")
@each_tool
def test_a_language_model_that_fails_is_told_of_without_its_key_or_what_it_was_asked(
    tool: Tool, world: World, services: Services, event_of: EventOf, said: Callable[[], str]
) -> None:
    heuristic = HeuristicSettings(enabled=True, base_url="http://127.0.0.1:9")
    settings = replace(services.settings, memory=MemorySettings(heuristic=heuristic))
    model = FactModels({"responses": ResponsesModel(lambda _: f"key-{CANARY}")})
    wiring.provide(wiring.build(settings, replace(world, fact_model=model)))

    assert http(event_of)(tool, planted(tool))

    heard = said()
    assert CANARY not in heard
    assert ('"heuristic":"failed"' in heard) is (tool.name in {"memory_after_turn", "mcp_pipe"})


@pytest.mark.req("R100")
@pytest.mark.usefixtures("services")
def test_doors_without_a_tool_tell_no_credential(event_of: EventOf, said: Callable[[], str]) -> None:
    http(event_of)(CATALOG[0], {})
    for handler in (authorizer.handler, health.handler, mcp_handler):
        for body in (CANARY, f'{{"{CANARY}', {"jsonrpc": "2.0", "id": CANARY, "method": CANARY, "params": {CANARY: 1}}):
            handler(event_of(f"/{CANARY}", body, headers=CREDENTIALS), None)

    assert CANARY not in said()


@pytest.mark.req("R099")
@pytest.mark.slow
def test_over_stdio_the_protocol_alone_is_on_standard_output_and_the_log_tells_nothing(tmp_path: Path) -> None:
    client = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    asked = [{"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": client}]
    tools = [tool for tool in CATALOG if tool.on_by_default and tool.runs is None]
    calls = [arguments for tool in tools for arguments in (rpc(tool, planted(tool)), rpc(tool, {CANARY: CANARY}))]
    asked += [{**call, "id": number} for number, call in enumerate(calls, 1)]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("CAIRN_")}
    command = [sys.executable, "-m", "cairn.local", "stdio", "--data", str(tmp_path)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True, env=environment) as server:  # noqa: S603 - the command of this package
        assert server.stdin is not None
        assert server.stdout is not None
        replies: list[dict[str, Any]] = []
        for request in asked:
            server.stdin.write(json.dumps(request) + "\n")
            server.stdin.flush()
            replies.append(json.loads(server.stdout.readline()))
        rest, log = server.communicate(timeout=30)

    assert [reply["id"] for reply in replies] == list(range(len(asked)))
    assert rest == ""
    lines = [line for line in map(json.loads, log.splitlines()) if line["message"] == "call"]
    assert [line["tool"] for line in lines] == [tool.name for tool in tools for _ in range(2)]
    assert {line["status"] for line in lines[::2]} <= {"OK", "NOT_FOUND"}
    assert {line["status"] for line in lines[1::2]} == {"INVALID_ARGUMENT"}
    assert CANARY not in log


Home: TypeAlias = tuple[World, Callable[[], bytes]]


@pytest.fixture
def cloud_home(world: World) -> Iterator[Home]:
    """Yield a world in AWS, as moto simulates it, and a function that gives every byte it keeps."""
    with pytest.MonkeyPatch.context() as patch, mock_aws():
        patch.setenv("AWS_DEFAULT_REGION", "us-east-1")
        clients = Clients()
        key = {"pk": "HASH", "sk": "RANGE"}, {"ipk": "HASH", "isk": "RANGE"}
        schemas: list[Any] = [[{"AttributeName": n, "KeyType": kind} for n, kind in each.items()] for each in key]
        clients.dynamodb.create_table(
            TableName="memory",
            BillingMode="PAY_PER_REQUEST",
            AttributeDefinitions=[{"AttributeName": n, "AttributeType": "S"} for n in ("pk", "sk", "ipk", "isk")],
            KeySchema=schemas[0],
            GlobalSecondaryIndexes=[
                {"IndexName": "sparse", "KeySchema": schemas[1], "Projection": {"ProjectionType": "KEYS_ONLY"}}
            ],
        )
        clients.s3.create_bucket(Bucket="memory")
        key_id = clients.kms.create_key()["KeyMetadata"]["KeyId"]

        def at_rest() -> bytes:
            items = clients.dynamodb.scan(TableName="memory")["Items"]
            objects = clients.s3.list_objects_v2(Bucket="memory").get("Contents", [])
            bodies = [clients.s3.get_object(Bucket="memory", Key=str(each.get("Key")))["Body"] for each in objects]
            values = [value for item in items for value in item.values()]
            binary = [value["B"] for value in values if "B" in value]
            return b"\n".join([repr(items).encode(), *binary, *(body.read() for body in bodies)])

        table, blobs = DynamoTable(lambda: clients.dynamodb, "memory"), S3Blobs(lambda: clients.s3, "memory")
        yield replace(world, table=table, blobs=blobs, keys=KmsKeyRing(lambda: clients.kms, key_id)), at_rest


@pytest.fixture(params=["one machine", "aws"])
def home(request: pytest.FixtureRequest, world: World, store: Any) -> Home:
    return (world, store.contents) if request.param == "one machine" else request.getfixturevalue("cloud_home")


@pytest.mark.req("R099")
@pytest.mark.req("R252")
@pytest.mark.slow
@each_tool
def test_what_a_call_leaves_behind_is_ciphertext(
    tool: Tool, home: Home, services: Services, event_of: EventOf, said: Callable[[], str]
) -> None:
    world, at_rest = home
    spied = SpiedKeys(world.keys)
    here: Any = replace(wiring.build(services.settings, replace(world, keys=spied)), sandbox=services.sandbox)
    wiring.provide(here)

    answers = [http(event_of)(each, planted(each, NAMES_IN_THE_STORE)) for each in (CATALOG[1], tool, tool)]

    assert '"error"' not in json.dumps(answers[:2])
    kept = at_rest()
    assert b"#s#" in kept
    assert [form for form in forms(CANARY) if form in kept] == []
    assert spied.secrets
    assert [secret for secret in spied.secrets if secret in kept or secret.hex().encode() in kept] == []
    assert CANARY not in said()


class SpiedKeys:
    """A key ring that keeps every data key which it showed in the clear."""

    def __init__(self, keys: KeyRing) -> None:
        self._keys = keys
        self.secrets: set[bytes] = set()

    def generate(self, tenant: Tenant) -> DataKey:
        made = self._keys.generate(tenant)
        self.secrets.add(made.secret)
        return made

    def unwrap(self, tenant: Tenant, wrapped: bytes) -> bytes:
        secret = self._keys.unwrap(tenant, wrapped)
        self.secrets.add(secret)
        return secret
