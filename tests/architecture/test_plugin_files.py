"""What the plugin's files say fits what the server understands: events, tools, and the address of its door."""

from __future__ import annotations

import json
import re
import struct
import subprocess
import zlib
from pathlib import Path
from typing import Any

import pytest

import plugin_hooks
import plugin_icon
import plugins
from cairn.hooks.dialects import DIALECTS
from cairn_mcp.profiles import HOOKS
from cairn_tools.catalog import CATALOG
from cairn_tools.memory_hook import HookInput

ROOT = Path(__file__).resolve().parents[2]
PLUGIN = ROOT / "plugins" / "cairn"
PAGES = sorted(PLUGIN.rglob("*.md"))
GIVEN = {
    "session_id": "s1",
    "cwd": "/home/ada/widget",
    "prompt_id": "t1",
    "turn_id": "t1",
    "prompt": "Hello",
    "tool_name": "Bash",
    "tool_use_id": "c1",
    "tool_input": "{}",
    "tool_response": "ok",
    "agent_id": "a1",
    "agent_type": "explorer",
    "last_assistant_message": "Hello",
    "compact_summary": "Greetings.",
}


def calls(document: dict[str, Any]) -> list[dict[str, Any]]:
    handlers = [handler for groups in document["hooks"].values() for group in groups for handler in group["hooks"]]
    return [handler for handler in handlers if handler["type"] == "mcp_tool"]


def filled(value: str) -> str:
    """Return a text with the event's fields in it, as an agent puts them there; KeyError where there is no such."""
    return re.sub(r"\$\{(\w+)\}", lambda found: GIVEN[found[1]], value)


@pytest.mark.parametrize("document", [plugin_hooks.claude(), plugin_hooks.codex()], ids=["claude-code", "codex"])
def test_the_server_understands_every_event_that_a_plugin_tells(document: dict[str, Any]) -> None:
    for call in calls(document):
        given = call["input"]
        hook = DIALECTS[given["agent"]].read({name: filled(value) for name, value in given["event"].items()})

        assert call["tool"] in (HOOKS.arguments or {})
        assert (hook.session, hook.folder) == ("s1", "/home/ada/widget")
        assert hook.happened is not None, given["event"]["hook_event_name"]


@pytest.mark.parametrize("document", [plugin_hooks.claude(), plugin_hooks.codex(), plugin_hooks.gemini()])
def test_no_hook_delays_an_agent_for_more_than_five_seconds(document: dict[str, Any]) -> None:
    handlers = [handler for groups in document["hooks"].values() for group in groups for handler in group["hooks"]]
    assert {handler["timeout"] for handler in handlers} <= {5, 5000}


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_every_tool_that_a_page_has_called_takes_what_it_is_to_be_given(path: Path) -> None:
    text = path.read_text("utf-8")
    known = {tool.name: set(tool.input_schema()["properties"]) for tool in CATALOG}
    called = set(re.findall(r"[Cc]all `(\w+)`", text))

    assert called <= set(HOOKS.arguments or {})
    for name in re.findall(r"`([a-z]+(?:_[a-z]+)+|query|limit|origin|scope|rationale)`", text):
        told = {*known, *(each for taken in known.values() for each in taken)}
        assert name in told | {"root_cause", "lesson_learned", "user_everywhere"}


@pytest.mark.parametrize(
    "folder",
    [
        "/home/ada/widget",
        "/srv/My (new) widget",
        "/srv/-odd-",
        "/srv/$(exit 3)",
        '/srv/a"b',
        "/srv/\u010daj",
        "/" + "x-" * 90,
    ],
)
def test_the_header_of_a_folder_names_the_project_that_the_server_would_call_it(folder: str) -> None:
    command = plugins.claude_server()["mcpServers"]["cairn"]["headersHelper"].replace("${CLAUDE_PROJECT_DIR}", folder)
    event = {"agent": "codex", "event": {"hook_event_name": "SessionStart", "session_id": "s1", "cwd": folder}}

    printed = subprocess.run(["/bin/sh", "-c", command], capture_output=True, text=True, check=True).stdout  # noqa: S603

    assert json.loads(printed) == {"X-Cairn-Project": HookInput.model_validate(event).project}


@pytest.mark.parametrize("path", plugin_icon.ICONS, ids=lambda path: path.parent.name)
def test_the_icon_is_what_is_drawn_square_and_small(path: Path) -> None:
    content = path.read_bytes()
    side = struct.unpack(">II", content[16:24])
    at = content.index(b"IDAT")
    (size,) = struct.unpack(">I", content[at - 4 : at])

    assert side == (512, 512)
    assert len(content) < 20_000
    assert zlib.decompress(content[at + 4 : at + 4 + size]) == b"".join(b"\0" + row for row in plugin_icon.pixels())


def test_the_package_s_page_names_the_entry_of_the_registry() -> None:
    entry = plugins.registry_entry()
    assert f"mcp-name: {entry['name']}" in (ROOT / "README.md").read_text("utf-8")
    assert len(entry["description"]) <= 100
