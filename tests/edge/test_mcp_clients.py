"""The official SDK's own client against the door over HTTP and against the catalog over stdio, in both eras."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any, TypeAlias, cast

import anyio
import pytest
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import ResourceTemplateReference

import cairn
from support.routes import LISTED

pytestmark = [pytest.mark.slow, pytest.mark.enable_socket]

FIXTURE = Path(__file__).resolve().parents[1] / "conformance" / "fixture_server.py"
STDIO = """
from cairn.access.callers import Caller
from cairn.access.api_keys import ALL_PROJECTS
from cairn.ground.ids import Tenant
from cairn_mcp import stdio

stdio.run(Caller(Tenant("desktop"), frozenset({"read", "write"}), "stdio", (ALL_PROJECTS,)))
"""
SETTINGS = {"settings": {"mcp": {"tools": {"memory": {"enabled": True}}}}}
NAMES = {"project": "garden", "session_id": "monday"}
Connect: TypeAlias = Callable[[], AbstractAsyncContextManager[Any]]


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    ours = {"CAIRN_DATA": str(tmp_path), "CAIRN_SETTINGS": json.dumps(SETTINGS)}
    return {name: value for name, value in os.environ.items() if not name.startswith(("CAIRN_", "LUMERA_"))} | ours


@pytest.fixture
def over_http(environment: dict[str, str]) -> Iterator[Connect]:
    command = [sys.executable, str(FIXTURE), "door"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True, env=environment) as server:  # noqa: S603 - a script of this repository
        assert server.stdout is not None
        port = server.stdout.readline().strip()
        yield lambda: cast("Any", streamable_http_client(f"http://127.0.0.1:{port}/mcp"))
        server.communicate(timeout=10)


@pytest.fixture
def over_stdio(environment: dict[str, str]) -> Iterator[Connect]:
    server = StdioServerParameters(command=sys.executable, args=["-c", STDIO], env=environment)
    with Path(os.devnull).open("w") as nowhere:
        yield lambda: cast("Any", stdio_client(server, errlog=nowhere))


@pytest.fixture(params=["over_http", "over_stdio"])
def connect(request: pytest.FixtureRequest) -> Connect:
    return request.getfixturevalue(request.param)


@pytest.mark.req("R005")
@pytest.mark.req("R255")
@pytest.mark.parametrize(("mode", "version"), [("legacy", "2025-11-25"), ("auto", "2026-07-28"), ("2026-07-28", None)])
def test_the_sdks_client_remembers_a_turn(mode: str, version: str | None, connect: Connect) -> None:
    anyio.run(_converse, connect, mode, version)


async def _converse(connect: Connect, mode: str, version: str | None) -> None:
    async with Client(connect(), mode=mode) as client:
        if version is not None:
            assert client.protocol_version == version
            assert client.server_info is not None
            assert client.server_info.version == cairn.__version__
            assert "memory_before_turn" in (client.instructions or "")
        listed = (await client.list_tools()).tools
        assert [tool.name for tool in listed] == [tool.name for tool in LISTED if tool.on_by_default]
        assert all(tool.input_schema and tool.annotations for tool in listed)

        said = [{"type": "message", "role": "user", "content": "My name is Ada."}]
        answered = [{"type": "message", "role": "assistant", "content": "Hello Ada."}]
        turn = NAMES | {"turn_id": "1", "input_items": said, "output_items": answered}
        stored = await client.call_tool("memory_after_turn", turn)
        assert (stored.is_error, (stored.structured_content or {})["replayed"]) == (False, False)
        again = await client.call_tool("memory_after_turn", turn)
        assert (again.structured_content or {})["replayed"] is True
        recalled = await client.call_tool("memory_before_turn", NAMES | {"current_input": "Who am I?"})
        assert "Ada" in json.dumps(recalled.structured_content)

        await _read(client)

        refused = await client.call_tool("memory_after_turn", turn | {"session_id": "../monday"})
        assert refused.is_error
        assert (refused.structured_content or {})["error"]["code"] == "INVALID_ARGUMENT"
        with pytest.raises(MCPError) as unknown:
            await client.call_tool("no_such_tool", {})
        assert unknown.value.error.code == -32602


async def _read(client: Client) -> None:
    """Read the turn as a resource and as a prompt."""
    (listed,) = (await client.list_resources()).resources
    assert listed.uri == "cairn://sessions/garden/monday"
    assert "My name is Ada." in (await client.read_resource(listed.uri)).model_dump_json()
    with pytest.raises(MCPError) as missing:
        await client.read_resource("cairn://sessions/garden/never")
    assert missing.value.error.code in {-32002, -32602}
    template = (await client.list_resource_templates()).resource_templates[0].uri_template
    found = await client.complete(ResourceTemplateReference(uri=template), {"name": "project", "value": "g"})
    assert found.completion.values == ["garden"]
    assert [each.name for each in (await client.list_prompts()).prompts] == ["recap", "known", "handover"]
    recap = await client.get_prompt("recap", {"project": "garden"})
    assert "My name is Ada." in recap.model_dump_json()


def test_nothing_but_the_protocol_is_written_to_stdout(environment: dict[str, str]) -> None:
    client = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    pipe = subprocess.PIPE
    command = [sys.executable, "-c", STDIO]
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True, env=environment) as server:  # noqa: S603 - the program above
        assert server.stdin is not None
        assert server.stdout is not None
        replies: list[dict[str, Any]] = []
        for number, (method, params) in enumerate([("initialize", client), ("tools/list", {})]):
            request = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
            server.stdin.write(json.dumps(request) + "\n")
            server.stdin.flush()
            replies.append(json.loads(server.stdout.readline()))
        rest, _ = server.communicate(timeout=30)
    assert [reply["id"] for reply in replies] == [0, 1]
    assert len(replies[1]["result"]["tools"]) == len([tool for tool in LISTED if tool.on_by_default])
    assert (rest, server.returncode) == ("", 0)
