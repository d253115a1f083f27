"""The `cairn` command: what it says and how it ends."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from cairn import __version__
from cairn.local.cli import main
from cairn.local.store import local_environment


def run(*arguments: str, **environment: str) -> Result:
    return CliRunner(env=environment).invoke(main, arguments)


def test_it_tells_its_version() -> None:
    result = run("--version")
    assert (result.exit_code, result.output) == (0, f"cairn, version {__version__}\n")


@pytest.mark.parametrize(
    "command", ["serve", "stdio", "demo", "deploy", "settings", "keys", "maintain", "shadow", "files", "import"]
)
def test_every_command_explains_itself(command: str) -> None:
    result = run(command, "--help")
    assert result.exit_code == 0
    assert len(result.output.splitlines()) > 5


def test_settings_show_each_value_where_it_came_from_and_what_it_does() -> None:
    result = run("settings", CAIRN_MEMORY_SEARCH_LIMIT="7", CAIRN_MEMORY_ENABLED="true")
    assert result.exit_code == 0
    lines = result.output.splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith("settings.mcp.memory.search_limit"))
    assert lines[at] == "settings.mcp.memory.search_limit = 7  (CAIRN_MEMORY_SEARCH_LIMIT)"
    assert lines[at + 1] == "  The most passages of earlier turns in the memory block."
    assert "settings.mcp.memory.recent_context_items = 30  (default)" in lines


def test_settings_show_a_tenants_own_values() -> None:
    document = '{"settings": {"mcp": {"tenants": {"acme": {"memory": {"search_limit": 9}}}}}}'
    assert "search_limit = 9  (tenant acme)" in run("settings", "--tenant", "acme", CAIRN_SETTINGS=document).output
    assert "search_limit = 5  (default)" in run("settings", "--tenant", "other", CAIRN_SETTINGS=document).output


def test_without_settings_of_your_own_memory_is_on_and_the_output_says_that_it_is_assumed() -> None:
    assert "memory.enabled = true  (assumed on one machine)" in run("settings").output
    assert "memory.enabled = false  (default)" in run("settings", CAIRN_SETTINGS="{}").output


@pytest.mark.parametrize(
    ("arguments", "environment", "told"),
    [
        (("settings",), {"CAIRN_MEMORY_SEARCH_LIMIT": "many"}, "CAIRN_MEMORY_SEARCH_LIMIT"),
        (("settings",), {"CAIRN_SERACH_LIMIT": "5"}, "CAIRN_SERACH_LIMIT: is no setting"),
        (("settings", "--tenant", "a/b"), {}, "--tenant"),
        (("demo", "--url", "http://127.0.0.1:1/mcp"), {}, "--url and --key go together"),
        (("serve", "--port", "70000"), {}, "--port"),
    ],
)
def test_what_is_wrong_is_told_plainly_with_status_2(
    arguments: tuple[str, ...], environment: dict[str, str], told: str
) -> None:
    result = run(*arguments, **environment)
    assert result.exit_code == 2
    assert told in result.output
    assert "Traceback" not in result.output


@pytest.mark.req("R193")
def test_a_master_key_that_is_none_is_refused_without_being_shown(tmp_path: Path) -> None:
    result = run("keys", "list", "--data", str(tmp_path / "store"), LUMERA_MEMORY_KEY="canary")
    assert result.exit_code == 2
    assert "LUMERA_MEMORY_KEY" in result.output
    assert "canary" not in result.output


@pytest.mark.parametrize("name", ["CAIRN_SETTINGS", "CAIRN_SETTINGS_FILE", "CAIRN_MEMORY_ENABLED"])
def test_an_empty_variable_says_nothing_and_leaves_the_memory_tools_on(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, "")

    shown = CliRunner().invoke(main, ["settings"])

    assert shown.exit_code == 0, shown.output
    assert local_environment({name: ""})["CAIRN_MEMORY_ENABLED"] == "true"
