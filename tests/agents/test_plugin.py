"""Who installs the plugin, and no program of Cairn's, is remembered from session to session."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

import pytest

from support.agents import ROOT, Agent
from support.desk import CAIRN, Desk

pytestmark = [pytest.mark.enable_socket, pytest.mark.slow]
PNPM: Final = "We use pnpm in this project, never npm. Please remember that."
ASKED: Final = "Which package manager does this project use?"
FOLDER: Final = "widget"
"""What the plugin's hooks call the project: its folder's name."""


def claude(desk: Desk, agent: Agent, key: str) -> None:
    """Install the plugin from this repository's marketplace, as Claude Code's users do."""
    agent.runs("plugin", "marketplace", "add", str(ROOT))
    url = f"http://127.0.0.1:{desk.server.port}"
    agent.runs("plugin", "install", "cairn@cairn", "--config", f"url={url}", "--config", f"key={key}")


def codex(desk: Desk, agent: Agent, _key: str) -> None:
    """Install the plugin from this repository's marketplace, and name the server, as Codex's users do."""
    agent.runs("plugin", "marketplace", "add", str(ROOT))
    agent.runs("plugin", "add", "cairn@cairn")
    url = f"http://127.0.0.1:{desk.server.port}/mcp/hooks"
    agent.runs("mcp", "add", "cairn", "--url", url, "--bearer-token-env-var", "CAIRN_KEY")


INSTALLERS: Final[dict[str, Callable[[Desk, Agent, str], None]]] = {"claude-code": claude, "codex": codex}


def installed(desk: Desk, name: str, key: str) -> Agent:
    """Return an agent that has the plugin; no `cairn` is found on its machine."""
    alone = replace(desk.unconnected(name), more={"CAIRN_KEY": key, "PATH": "/usr/bin:/bin"})
    INSTALLERS[name](desk, alone, key)
    return alone


@pytest.fixture
def key(desk: Desk) -> str:
    made = desk.cairn("keys", "create", "--tenant", "local", "--user", "ada", "--data", str(desk.server.data))
    return made.split()[0]


@pytest.mark.req("R311")
@pytest.mark.parametrize("second", INSTALLERS)
@pytest.mark.parametrize("first", INSTALLERS)
def test_what_a_session_was_told_the_next_knows_by_the_plugin_alone(
    desk: Desk, key: str, first: str, second: str
) -> None:
    agents = {name: installed(desk, name, key) for name in {first, second}}
    agents[first].says(PNPM)
    desk.model.asked.clear()

    agents[second].says(ASKED)

    assert desk.model.was_told("never npm")
    said = [("user", PNPM), ("assistant", "Noted."), ("user", ASKED), ("assistant", "Noted.")]
    assert desk.stored(FOLDER, key) == said


def test_a_turn_that_changes_the_folder_is_stored_whole(desk: Desk, key: str) -> None:
    agent = installed(desk, "claude-code", key)
    (agent.repository / "docs").mkdir()
    desk.model.calls = {"name": "Bash", "input": {"command": "cd docs", "description": "Look around"}}

    agent.says(PNPM, "--allowedTools=Bash")

    said = desk.stored(FOLDER, key)
    assert said[0] == ("user", PNPM)
    assert said[-1] == ("assistant", "Noted.")


def test_a_session_is_told_at_its_begin_where_there_is_a_cairn_command(desk: Desk, key: str) -> None:
    agent = installed(desk, "claude-code", key)
    agent.says(PNPM)
    desk.model.asked.clear()

    replace(agent, more={"PATH": f"{CAIRN.parent}:/usr/bin:/bin"}).says("Good morning.")

    assert desk.model.was_told("SessionStart hook additional context")


def test_a_server_that_is_gone_keeps_nobody_from_working(desk: Desk, key: str) -> None:
    agent = installed(desk, "claude-code", key)
    desk.server.kill()

    agent.says(PNPM)

    assert desk.model.was_told("never npm")
