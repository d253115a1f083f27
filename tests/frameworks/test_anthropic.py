"""Anthropic's memory tool over Cairn: as the SDK's own local tool, by random commands and in its own loop."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from anthropic import Anthropic
from anthropic.tools import ToolError

from cairn import AsyncMemory
from cairn.frameworks.anthropic import AsyncCairnMemoryTool, CairnMemoryTool
from cairn.ground.errors import Unavailable
from support.frameworks import Place
from support.loopback import Run, serving
from support.memory_tool import OTHERWISE, drawn, even, local
from support.messages_stub import Script, messages_server

MODEL = "claude-sonnet-5-5"


@pytest.fixture
def run() -> Iterator[Run]:
    with serving() as started:
        yield started


def test_random_commands_are_answered_as_by_the_sdk_s_local_tool(place: Place, tmp_path: Path) -> None:
    for seed in range(12 if place.key is None else 3):
        theirs = local(tmp_path / str(seed))
        tool = CairnMemoryTool(place.memory(user=f"user-{seed}").files())
        for number, given in enumerate(drawn(seed, 50)):
            assert (seed, number, given, _said(tool, given)) == (seed, number, given, theirs(given))


def _said(tool: CairnMemoryTool, given: dict[str, Any]) -> str:
    try:
        return even(str(tool.call(given)))
    except ToolError as error:
        words = str(error)
        return OTHERWISE if words.startswith("Invalid input: ") else f"refused: {words}"


@pytest.mark.enable_socket
def test_what_one_run_wrote_the_next_is_shown_in_one_round_trip_a_command(place: Place, run: Run) -> None:
    memory, door = place.counted(user="ada")
    scripts = [
        Script([{"command": "create", "path": "/memories/beds.md", "file_text": "Beans go north.\n"}]),
        Script([{"command": "view", "path": "/memories/beds.md"}]),
    ]
    for script in scripts:
        client = Anthropic(base_url=run(messages_server(script)).url, api_key="none", max_retries=0)
        said: Any = {"role": "user", "content": "Plan the beds."}
        tool: Any = CairnMemoryTool(memory.files())
        client.beta.messages.tool_runner(model=MODEL, max_tokens=99, messages=[said], tools=[tool]).until_done()

    shown = "Here's the content of /memories/beds.md with line numbers:\n     1\tBeans go north.\n     2\t"
    assert scripts[1].told == [(shown, False)]
    assert door.calls == ["memory", "memory"]


def test_a_command_whose_answer_is_lost_is_done_once(place: Place) -> None:
    memory, door = place.counted(user="ada")
    door.lose_next = 1
    given = {"command": "create", "path": "/memories/beds.md", "file_text": "Beans go north.\n"}
    assert CairnMemoryTool(memory.files()).call(given) == "File created successfully at: /memories/beds.md"
    assert len(door.calls) == 2


def test_what_may_succeed_later_is_not_told_the_model_as_a_refusal(place: Place) -> None:
    memory, door = place.counted(user="ada")
    door.fail_next = 99
    with pytest.raises(Unavailable):
        CairnMemoryTool(memory.files()).call({"command": "view", "path": "/memories"})


def test_the_asynchronous_tool_holds_no_loop_up(place: Place) -> None:
    async def main() -> Any:
        async with AsyncMemory(place.store, key=place.key, project=place.project, user="ada") as memory:
            tool = AsyncCairnMemoryTool(memory.files())
            return await tool.call({"command": "create", "path": "/memories/a", "file_text": ""})

    assert asyncio.run(main()) == "File created successfully at: /memories/a"
