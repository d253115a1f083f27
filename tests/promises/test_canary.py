"""No content, key or token leaves in a log line, a metric, a span or on a standard stream: every tool, every door."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

import pytest
from starlette.testclient import TestClient

from cairn import wiring
from cairn.access.api_keys import Grant
from cairn.ground.adapters import Adapters
from cairn.ground.ids import Tenant
from cairn.ground.jobs import KINDS
from cairn.ground.settings import HeuristicSettings, MemorySettings
from cairn.local.server.bridge import Bridge, application
from cairn.local.server.doors import tool_handlers
from cairn.models.fact_models import FactModels
from cairn.models.responses import ResponsesModel
from cairn.services import Services
from cairn.tool.tool import Tool
from cairn_auth import authorizer, metadata
from cairn_health import door as health
from cairn_mcp.door import handler as mcp_handler
from cairn_tools.catalog import CATALOG
from cairn_tools.memory_after_turn import memory_after_turn
from cairn_tools.memory_create_key import memory_create_key
from cairn_tools.putMemory import putMemory
from support.canaries import CANARY, CREDENTIALS, Arguments, Door, EventOf, each_tool, http, misplaced, planted
from support.loopback import no_lifespan
from support.services import services_over
from support.tool import FOR_AGENTS, outcome

pytestmark = pytest.mark.enable_socket
API_KEY = re.compile(r"\bcairn_[0-9a-f]{16}_\w+")


def mcp(event_of: EventOf) -> Door:
    return lambda tool, arguments: mcp_handler(event_of("/mcp", rpc(tool, arguments), headers=CREDENTIALS), None)


def rpc(tool: Tool, arguments: Arguments) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool.name, "arguments": arguments}}


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


DOORS = ("http", "mcp", "local http", "local mcp")
FOR_OPERATORS = [tool for tool in CATALOG if tool.for_operators]
each_tool_at_each_door = pytest.mark.parametrize(
    ("door", "tool"),
    [
        pytest.param(door, tool, id=f"{door}-{tool.name}")
        for door in DOORS
        for tool in CATALOG
        if not (tool.for_operators and door.endswith("mcp"))
    ],
    indirect=["door"],
)


@pytest.fixture
def door(request: pytest.FixtureRequest, event_of: EventOf, services: Services) -> Door:
    del services  # that answer at each door
    match request.param:
        case "http":
            return http(event_of)
        case "mcp":
            return mcp(event_of)
        case "local http":
            return request.getfixturevalue("local")("/v1/tools/{}")
        case _:
            return request.getfixturevalue("local")("/mcp")


@pytest.mark.req("R099")
@pytest.mark.req("R100")
@pytest.mark.req("R101")
@each_tool_at_each_door
def test_a_call_that_works_tells_nothing_it_was_given(
    tool: Tool, door: Door, key: str, said: Callable[[], str]
) -> None:
    arguments = planted(tool)
    first = json.dumps(door(tool, arguments)).replace("\\", "")
    made = API_KEY.findall(first + json.dumps(door(tool, arguments)))

    assert ('"error":{"code"' in first.replace(" ", "")) is (outcome(tool) != "OK")
    heard = said()
    assert CANARY not in heard
    assert len(made) == (2 if tool is memory_create_key else 0)
    assert [each for each in (key, *made) if each.rsplit("_", 1)[1] in heard] == []


@pytest.mark.req("R099")
@pytest.mark.req("R101")
@pytest.mark.slow
@each_tool_at_each_door
def test_a_call_that_is_refused_tells_nothing_it_was_given(tool: Tool, door: Door, said: Callable[[], str]) -> None:
    for arguments in misplaced(tool):
        assert "INVALID_ARGUMENT" in json.dumps(door(tool, arguments))

    assert CANARY not in said()


@pytest.mark.req("R099")
@pytest.mark.parametrize("door", ["mcp", "local mcp"], indirect=True)
@pytest.mark.parametrize("tool", FOR_OPERATORS, ids=lambda tool: tool.name)
def test_a_tool_that_mcp_lacks_tells_nothing_it_was_given(
    tool: Tool, door: Door, event_of: EventOf, said: Callable[[], str]
) -> None:
    http(event_of)(CATALOG[0], {})
    for arguments in (planted(tool), *misplaced(tool)):
        assert "Unknown tool" in json.dumps(door(tool, arguments))

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
        for part in ("table", "keys")
        for tool in CATALOG
        if (tool.grants or tool.own_machine_only) and (part != "keys" or tool.name not in SELDOM_NEED_A_KEY)
    ],
)
def test_a_store_that_fails_and_tells_all_is_told_of_by_class_and_place_only(  # noqa: PLR0913 - fixtures
    *,
    parts: dict[str, Any],
    tool: Tool,
    services: Services,
    adapters: Adapters,
    event_of: EventOf,
    said: Callable[[], str],
) -> None:
    for each in (memory_after_turn, putMemory):
        http(event_of)(each, planted(each) if each is putMemory else each.example)
    wiring.provide(services_over(replace(adapters, **parts), services.settings, inventory=Broken()))
    doors = [http(event_of)] if tool.for_operators else [http(event_of), mcp(event_of)]

    answers = [json.dumps(call(tool, planted(tool))) for call in doors]

    assert all("INTERNAL_ERROR" in answer and CANARY not in answer for answer in answers)
    heard = said()
    assert '"failure":"RuntimeError"' in heard
    assert CANARY not in heard


@pytest.mark.req("R099")
@pytest.mark.req("R100")
@each_tool
def test_a_language_model_that_fails_is_told_of_without_its_key_or_what_it_was_asked(
    tool: Tool, adapters: Adapters, services: Services, event_of: EventOf, said: Callable[[], str]
) -> None:
    heuristic = HeuristicSettings(enabled=True, base_url="http://127.0.0.1:9")
    settings = replace(services.settings, memory=MemorySettings(heuristic=heuristic))
    model = FactModels({"responses": ResponsesModel(lambda _: f"key-{CANARY}")})
    wiring.provide(services_over(adapters, settings, fact_model=model))

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
    tools = [tool for tool in FOR_AGENTS if tool.on_by_default and tool.runs is None]
    calls = [arguments for tool in tools for arguments in (rpc(tool, planted(tool)), rpc(tool, {CANARY: CANARY}))]
    asked += [{**call, "id": number} for number, call in enumerate(calls, 1)]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("CAIRN_")}
    command = [sys.executable, "-m", "cairn.local", "stdio", "--data", str(tmp_path / "data")]
    pipe, logged = subprocess.PIPE, tmp_path / "log"  # a file: so many calls tell more than a pipe holds unread
    with (
        logged.open("w") as errors,
        subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=errors, text=True, env=environment) as server,  # noqa: S603 - the command of this package
    ):
        assert server.stdin is not None
        assert server.stdout is not None
        replies: list[dict[str, Any]] = []
        for request in asked:
            server.stdin.write(json.dumps(request) + "\n")
            server.stdin.flush()
            replies.append(json.loads(server.stdout.readline()))
        rest, _ = server.communicate(timeout=30)

    log = logged.read_text(encoding="utf-8")
    assert [reply["id"] for reply in replies] == list(range(len(asked)))
    assert rest == ""
    said = [line for line in map(json.loads, log.splitlines()) if line["message"] == "call"]
    # One memory in 64 has its log indexed, which is told of as a call whenever it is done.
    lines = [line for line in said if line["tool"] not in {job.kind for job in KINDS}]
    assert [line["tool"] for line in lines] == [tool.name for tool in tools for _ in range(2)]
    assert {line["status"] for line in lines[::2]} <= {"OK", "NOT_FOUND"}
    assert {line["status"] for line in lines[1::2]} == {"INVALID_ARGUMENT"}
    assert CANARY not in log
