"""The memory tool at every door: the same words as Anthropic's local tool, whoever asks, and nobody else's files."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from anthropic import Anthropic, AsyncAnthropic
from anthropic.tools.memory import BetaLocalFilesystemMemoryTool

from cairn import AsyncMemory, Memory
from cairn.access.api_keys import Grant, project_pattern
from cairn.files import owners
from cairn.frameworks.anthropic import AsyncCairnMemoryTool, CairnMemoryTool
from cairn.ground.ids import Project, Tenant, UserId
from cairn.services import Services
from cairn_mcp import door
from cairn_tools.catalog import CATALOG
from cairn_tools.memory import memory
from support.access import EventOf, bearer, through
from support.loopback import Run, serving
from support.memory_tool import OTHERWISE, Given, drawn, even, local
from support.messages_stub import Script, messages_server

ADA = {"project": "garden", "user_id": "ada"}
STORY: list[Given] = [
    {"command": "view", "path": "/memories"},
    {"command": "create", "path": "/memories/plan.md", "file_text": "beans\npeas\n"},
    {"command": "create", "path": "/memories/plan.md", "file_text": "again"},
    {"command": "view", "path": "/memories/plan.md", "view_range": [1, -1]},
    {"command": "str_replace", "path": "/memories/plan.md", "old_str": "peas", "new_str": "kale"},
    {"command": "str_replace", "path": "/memories/plan.md", "old_str": "e", "new_str": "x"},
    {"command": "str_replace", "path": "/memories/plan.md", "old_str": "nowhere", "new_str": "x"},
    {"command": "insert", "path": "/memories/plan.md", "insert_line": 1, "insert_text": "between\n"},
    {"command": "insert", "path": "/memories/plan.md", "insert_line": 9, "insert_text": "far"},
    {"command": "view", "path": "/memories/nothing"},
    {"command": "view", "path": "/etc/passwd"},
    {"command": "rename", "old_path": "/memories/plan.md", "new_path": "/memories/old/plan.md"},
    {"command": "rename", "old_path": "/memories/plan.md", "new_path": "/memories/x"},
    {"command": "delete", "path": "/memories"},
    {"command": "view", "path": "/memories"},
    {"command": "delete", "path": "/memories/old"},
    {"command": "view", "path": "/memories"},
]


@pytest.fixture
def run() -> Iterator[Run]:
    with serving() as started:
        yield started


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    monkeypatch.setenv("CAIRN_EMBEDDING_EMBEDDER", "none")
    return tmp_path


def asked(url: str, tool: Any) -> None:
    client = Anthropic(base_url=url, api_key="none", max_retries=0)
    said: Any = {"role": "user", "content": "Tend the plan."}
    runner = client.beta.messages.tool_runner(model="claude-sonnet-5-5", max_tokens=99, messages=[said], tools=[tool])
    assert runner.until_done().stop_reason == "end_turn"


def played(run: Run, tool: Any) -> Script:
    script = Script(STORY)
    asked(run(messages_server(script)).url, tool)
    return script


@pytest.mark.req("R314")
@pytest.mark.enable_socket
def test_the_sdk_s_own_loop_is_told_the_same_by_cairn_as_by_its_local_tool(run: Run, home: Path) -> None:
    theirs = played(run, BetaLocalFilesystemMemoryTool(str(home / "local")))
    with Memory(home / "data", user="ada") as opened:
        ours = played(run, CairnMemoryTool(opened.files()))

    assert ours.tools == theirs.tools == [{"type": "memory_20250818", "name": "memory"}]
    assert [(even(words), failed) for words, failed in ours.told] == [
        (even(words), failed) for words, failed in theirs.told
    ]
    assert len(ours.told) == len(STORY)


@pytest.mark.enable_socket
def test_the_asynchronous_loop_is_told_the_same(run: Run, home: Path) -> None:
    theirs = played(run, BetaLocalFilesystemMemoryTool(str(home / "local")))
    script = Script(STORY)
    url = run(messages_server(script)).url

    async def main() -> None:
        client = AsyncAnthropic(base_url=url, api_key="none", max_retries=0)
        async with AsyncMemory(home / "data", user="ada") as opened:
            tool: Any = AsyncCairnMemoryTool(opened.files())
            said: Any = {"role": "user", "content": "Tend the plan."}
            await client.beta.messages.tool_runner(
                model="claude-sonnet-5-5", max_tokens=99, messages=[said], tools=[tool]
            ).until_done()

    asyncio.run(main())
    assert [(even(words), failed) for words, failed in script.told] == [
        (even(words), failed) for words, failed in theirs.told
    ]


@pytest.fixture
def over_http(services: Services, event_of: EventOf) -> Callable[..., tuple[int, dict[str, Any]]]:
    assert services

    def call(arguments: Given, key: str | None = None) -> tuple[int, dict[str, Any]]:
        event = event_of("/v1/tools/memory", arguments)
        answer = memory.handler(event if key is None else through(bearer(key), event), None)
        return answer["statusCode"], json.loads(answer["body"])

    return call


@pytest.fixture
def over_mcp(services: Services, event_of: EventOf) -> Callable[..., dict[str, Any]]:
    assert services

    def call(arguments: Given, path: str = "/mcp/files") -> dict[str, Any]:
        params = {"name": "memory", "arguments": arguments}
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        return json.loads(door.handler(event_of(path, body), None)["body"])["result"]

    return call


@pytest.mark.req("R314")
def test_both_doors_say_what_the_local_tool_says(
    over_http: Callable[..., tuple[int, dict[str, Any]]], over_mcp: Callable[..., dict[str, Any]], tmp_path: Path
) -> None:
    theirs = local(tmp_path / "local")
    for given in [*STORY, *drawn(7, 300)]:
        wanted = theirs(given)
        status, answer = over_http({**ADA, **given})
        result = over_mcp({**ADA, "user_id": "bob", **given})
        (shown,) = result["content"]

        failed = wanted == OTHERWISE or wanted.startswith("refused: ")
        assert (status >= 400, result["isError"]) == (failed, failed), given
        assert status in {200, 400, 404, 409}
        if wanted != OTHERWISE:
            words = answer["error"]["message"] if failed else answer["text"]
            assert even(words) == even(shown["text"]) == wanted.removeprefix("refused: "), given


def test_every_refusal_has_the_status_of_its_kind(over_http: Callable[..., tuple[int, dict[str, Any]]]) -> None:
    over_http({**ADA, **STORY[1]})
    found = [over_http({**ADA, **STORY[number]}) for number in (2, 9, 6, 8, 13)]
    assert [(status, answer["error"]["code"]) for status, answer in found] == [
        (409, "CONFLICT"),
        (404, "NOT_FOUND"),
        (400, "INVALID_ARGUMENT"),
        (400, "INVALID_ARGUMENT"),
        (400, "INVALID_ARGUMENT"),
    ]


def test_a_command_without_what_it_takes_is_refused_by_name(
    over_http: Callable[..., tuple[int, dict[str, Any]]],
) -> None:
    status, answer = over_http({**ADA, "command": "rename", "path": "/memories/a"})
    assert (status, list(answer["error"]["details"]["fields"])) == (400, ["old_path"])


def test_a_version_and_an_operation_hold_over_http(over_http: Callable[..., tuple[int, dict[str, Any]]]) -> None:
    create = {**ADA, **STORY[1], "operation_id": "o1"}
    assert over_http(create)[1]["version"] == 1
    assert over_http(create) == (200, {**over_http(create)[1], "replayed": True})
    status, answer = over_http({**create, "file_text": "other"})
    assert (status, answer["error"]["details"]["reason"]) == (409, "operation_id_reused")
    status, answer = over_http({**ADA, **STORY[4], "expected_version": 7})
    assert (status, answer["error"]["code"], answer["error"]["details"]) == (409, "CONFLICT", {"version": 1})


def test_only_the_path_of_files_lists_the_tool(event_of: EventOf, services: Services) -> None:
    assert services

    def listed(path: str) -> dict[str, Any]:
        event = event_of(path, {"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
        return {tool["name"]: tool for tool in json.loads(door.handler(event, None)["body"])["result"]["tools"]}

    assert [path for path in ("/mcp", "/mcp/agent", "/mcp/hooks") if "memory" in listed(path)] == []
    (tool,) = listed("/mcp/files").values()
    assert tool["name"] == "memory"
    assert {"command", "path", "old_str"} < tool["inputSchema"]["properties"].keys()
    assert "expected_version" not in tool["inputSchema"]["properties"]


def test_a_key_that_is_bound_to_a_user_reaches_their_files_alone(
    services: Services, over_http: Callable[..., tuple[int, dict[str, Any]]]
) -> None:
    grant = Grant((project_pattern("garden"),), users=(UserId("ada"),))
    key = services.credentials.create(Tenant("acme"), grant).text
    view = {"command": "view", "path": "/memories/plan.md"}
    over_http({**ADA, **STORY[1]})
    over_http({**ADA, "user_id": "bob", **STORY[1]})

    assert over_http(view, key)[0] == 200  # neither project nor user need be named
    for other in ({"user_id": "bob"}, {"project": "kitchen"}):
        status, answer = over_http({**view, **other}, key)
        assert (status, answer["error"]["code"]) == (403, "PERMISSION_DENIED")


def test_where_names_have_defaults_no_session_s_files_take_the_place_of_the_project_s(
    tuned: Callable[..., Services], over_http: Callable[..., tuple[int, dict[str, Any]]]
) -> None:
    services = tuned(lenient=True)
    assert over_http(STORY[1])[0] == 200
    held = services.memory_files.read(owners.of_project(Tenant("acme"), Project("default")), "/memories/plan.md")
    assert held is not None


def test_a_session_whose_files_a_bound_caller_wrote_is_theirs(
    services: Services, over_http: Callable[..., tuple[int, dict[str, Any]]]
) -> None:
    ada, bob = (
        services.credentials.create(Tenant("acme"), Grant((project_pattern("garden"),), users=(UserId(user),))).text
        for user in ("ada", "bob")
    )
    of_monday = {"session_id": "monday", "whose": "session"}
    assert over_http({**of_monday, **STORY[1]}, ada)[0] == 200
    assert over_http({**of_monday, **STORY[3]}, ada)[0] == 200
    assert over_http({**of_monday, **STORY[3]}, bob)[0] == 403


def test_a_key_that_may_read_alone_changes_no_file(
    services: Services, over_http: Callable[..., tuple[int, dict[str, Any]]]
) -> None:
    key = services.credentials.create(Tenant("acme"), Grant(scopes=("read",))).text
    assert over_http({**ADA, **STORY[1]}, key)[0] == 403


def test_two_tenants_have_files_of_their_own(services: Services, event_of: EventOf) -> None:
    assert services
    for tenant in ("acme", "globex"):
        event = event_of("/v1/tools/memory", {**ADA, **STORY[1]}, tenant=tenant)
        assert json.loads(memory.handler(event, None)["body"])["version"] == 1


def test_the_tools_of_files_are_for_programs() -> None:
    named = [
        tool.name for tool in CATALOG if tool.name == "memory" or "_file" in tool.name or "_operation" in tool.name
    ]
    assert len(named) == 5
    assert all(tool.for_programs for tool in CATALOG if tool.name in named)
