"""A fresh `cairn serve`: whoever pastes what it prints is served without naming a project or a user."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

pytestmark = [pytest.mark.slow, pytest.mark.enable_socket, pytest.mark.req("R284")]

PROGRAM = [sys.executable, "-m", "cairn.local"]
SESSION = {"session_id": "monday"}
TOLD = {**SESSION, "turn_id": "1", "input_items": "I live in Oslo.", "output_items": "Noted."}
NEXT = {**SESSION, "current_input": "Where do I live?"}


def environment() -> dict[str, str]:
    """Return a new user's: nothing of Cairn is set, and ada is logged in."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("CAIRN_")}
    return {**kept, "LOGNAME": "ada", "CAIRN_EMBEDDING_EMBEDDER": "none"}


@dataclass(frozen=True)
class Printed:
    """What the server printed when it started."""

    text: str

    @property
    def url(self) -> str:
        [found] = re.findall(r"Cairn serves MCP at (\S+)", self.text)
        return found

    @property
    def headers(self) -> dict[str, str]:
        """Return the headers with the key that is shown."""
        [key] = re.findall(r"API key  (cairn_\S+)", self.text)
        return {"Authorization": f"Bearer {key}"}

    def over_http(self, tool: str, arguments: dict[str, Any], **headers: str) -> Any:
        where = self.url.replace("/mcp", f"/v1/tools/{tool}")
        answer = httpx2.post(where, content=json.dumps(arguments).encode(), headers={**self.headers, **headers})
        return json.loads(answer.content)

    def over_mcp(self, path: str, *calls: tuple[str, dict[str, Any]]) -> tuple[Any, list[Any]]:
        """Return what the SDK's client is told of the tools' schemas, and what its calls answer."""

        async def converse() -> tuple[Any, list[Any]]:
            async with httpx2.AsyncClient(headers=self.headers) as http:
                client = Client(streamable_http_client(f"{self.url}{path}", http_client=http))
                async with client:
                    return await conversed(client, *calls)

        return anyio.run(converse)


async def conversed(client: Client, *calls: tuple[str, dict[str, Any]]) -> tuple[Any, list[Any]]:
    listed = {tool.name: tool.input_schema for tool in (await client.list_tools()).tools}
    return listed, [(await client.call_tool(name, given)).structured_content for name, given in calls]


@contextmanager
def served(data: Path, *options: str) -> Generator[Printed]:
    command = [*PROGRAM, "serve", "--port", "0", "--data", str(data), "--quiet", *options]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, env=environment(), stdout=pipe, stderr=pipe, text=True) as server:  # noqa: S603 - our own program
        assert server.stdout is not None
        lines: list[str] = []
        for line in server.stdout:
            lines.append(line)
            if line.startswith("Stop with"):
                break
        try:
            yield Printed("".join(lines))
        finally:
            server.terminate()
            server.communicate(timeout=20)


def test_with_the_printed_key_an_agent_need_name_no_project_and_no_user(tmp_path: Path) -> None:
    with served(tmp_path) as printed:
        assert "for project default and user ada" in printed.text
        assert printed.over_http("memory_after_turn", TOLD)["facts_written"] == 1
        for path in ("", "/agent"):
            listed, (prepared, kept, found) = printed.over_mcp(
                path,
                ("memory_before_turn", NEXT),
                ("remember", {**SESSION, "content": f"Beans are sown in May{path}."}),
                ("recall", {**SESSION, "query": "Where do I live, and when are beans sown?"}),
            )
            assert "home" in json.dumps(prepared["input_items"])
            assert kept["remembered"]
            assert {"home: Oslo", f"Beans are sown in May{path}."} <= {each["content"] for each in found["memories"]}
            for name, schema in listed.items():
                assert not {"project", "user_id"} & schema["properties"].keys(), name
                assert not {"project", "user_id"} & set(schema["required"]), name
        for header in ("X-Cairn-Project", "X-Cairn-User"):
            refused = printed.over_http("recall", {**SESSION, "query": "x"}, **{header: "other"})
            assert refused["error"]["code"] == "PERMISSION_DENIED"

    async def over_stdio() -> Any:
        server = StdioServerParameters(
            command=PROGRAM[0], args=[*PROGRAM[1:], "stdio", "--data", str(tmp_path)], env=environment()
        )
        async with Client(server) as client:
            return await conversed(client, ("recall", {**SESSION, "query": "Where do I live?"}))

    _, [found] = anyio.run(over_stdio)
    assert "home: Oslo" in json.dumps(found), "a desktop client has the same memory, and names as little"


def test_the_first_key_may_be_for_a_repository_and_a_restart_makes_no_other(tmp_path: Path) -> None:
    with served(tmp_path, "--project", "owner/repo", "--user", "Ada L") as printed:
        assert "for project owner/repo and user Ada L" in printed.text
        assert printed.over_http("memory_after_turn", TOLD)["ok"]
        assert printed.over_http("recall", {**SESSION, "query": "x", "project": "owner"})["error"]
    with served(tmp_path) as again:
        assert "shown this once" not in again.text
        assert again.text.count("keys create") == 1
        assert "--project default --user ada" in again.text
