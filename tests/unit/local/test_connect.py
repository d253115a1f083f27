"""`cairn connect`: what it writes for each agent, that it keeps all else, and that it takes all of it out again."""

from __future__ import annotations

import json
import re
import shlex
import stat
import tomllib
from pathlib import Path
from typing import Any

import pytest

from cairn.hooks.dialects import DIALECTS
from cairn.local.connect import known
from cairn.local.connect.agent import Machine
from cairn.local.connect.agents import claude_code, codex, copilot, cursor, gemini
from cairn.local.connect.json_text import parsed
from cairn.local.connect.names import NAMES
from cairn.local.connect.words import is_hook_command
from cairn.local.store import operator_services
from support.connecting import SETTINGS, cairn, client, files, fill, furnished

every_agent = pytest.mark.parametrize("name", NAMES)
KEY = re.compile(r"cairn_[0-9a-f]{16}_[A-Za-z0-9_-]{43}")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return furnished(tmp_path, monkeypatch)


def connected(*arguments: str) -> str:
    """Connect without being asked, and return what was told."""
    result = cairn("connect", *arguments, "--yes")
    assert result.exit_code == 0, result.output
    return result.output


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def read(path: Path) -> Any:
    return parsed(path.read_text(encoding="utf-8"), comments=True).value


def hook_lines(home: Path) -> list[str]:
    """Return each command line of a hook in any JSON file of an agent."""
    texts = [path.read_text(encoding="utf-8") for path in home.rglob("*.json")]
    lines = [json.loads(line) for text in texts for line in re.findall(r'"(?:command|bash)": (".*")', text)]
    return [line for line in lines if is_hook_command(line)]


def endpoints(home: Path) -> set[str]:
    text = "".join(path.read_text(encoding="utf-8") for path in home.rglob("*.*") if path.suffix in {".json", ".toml"})
    return set(re.findall(r"http://127\.0\.0\.1:\d+/mcp/\w+", text))


@every_agent
def test_an_agent_that_was_never_started_is_connected_and_a_second_run_changes_nothing(home: Path, name: str) -> None:
    connected(name)
    before = files(home)

    told = connected(name)

    assert "nothing changes" in told
    assert files(home) == before
    assert not any(path.endswith(".before-cairn") for path in before)


@every_agent
def test_what_was_in_the_configuration_stays_and_comes_back_byte_for_byte(home: Path, name: str) -> None:
    fill(home, name)
    for path in SETTINGS[name]:
        (home / path).chmod(0o644)
    before = files(home)

    connected(name)
    during = files(home)
    connected(name, "--remove")

    for path, text in SETTINGS[name].items():
        assert during[path] != before[path]
        assert during[f"{path}.before-cairn"] == before[path]
        assert "say done" not in text or b"say done" in during[path]
        assert mode(home / path) == 0o644
    assert {path: text for path, text in files(home).items() if "state" not in path} == before


@every_agent
def test_what_a_person_changed_since_stays_when_cairn_goes(home: Path, name: str) -> None:
    fill(home, name)
    connected(name)
    path = home / next(iter(SETTINGS[name]))
    text = path.read_text(encoding="utf-8")
    mark = "\nmine = 1\n" if path.suffix == ".toml" else text.replace("{", '{"mine": [1, 2],', 1)
    path.write_text(mark, encoding="utf-8")

    connected(name, "--remove")

    assert read(path)["mine"] == [1, 2]
    assert "cairn" not in path.read_text(encoding="utf-8")


@every_agent
def test_print_writes_nothing_and_shows_what_would_be_written(home: Path, name: str) -> None:
    fill(home, name)
    before = files(home)

    result = cairn("connect", name, "--print")

    assert result.exit_code == 0, result.output
    assert files(home) == before
    assert not (home / ".local").exists()
    assert re.search(r'^\+.*(/mcp/(hooks|agent)|"stdio")', result.output, re.MULTILINE)


@every_agent
def test_a_file_that_is_broken_is_left_as_it_is_and_nothing_else_is_written(home: Path, name: str) -> None:
    fill(home, name)
    path = home / list(SETTINGS[name])[-1]
    path.write_text('{"a": \n nonsense', encoding="utf-8")
    before = files(home)

    result = cairn("connect", name, "--yes")

    assert result.exit_code == 2
    assert str(path) in result.output
    assert "line" in result.output
    assert files(home) == before


@every_agent
def test_who_says_no_keeps_what_was(home: Path, name: str) -> None:
    fill(home, name)
    before = files(home)

    result = cairn("connect", name, input="n\n")

    assert "Nothing was written" in result.output
    assert files(home) == before


@every_agent
def test_no_output_has_the_key_and_the_files_that_have_it_are_for_their_owner_alone(home: Path, name: str) -> None:
    fill(home, name)

    told = connected(name) + connected(name) + cairn("connect", name, "--remove", "--print").output

    key = client(home)["key"]
    holding = [path for path, text in files(home).items() if key.encode() in text]
    assert key not in told
    assert {mode(home / path) for path in holding} == {0o600}
    assert all(str(home / path) in told for path in holding if path != ".config/cairn/client.json")


def test_claude_code_codex_and_the_client_file_do_not_repeat_the_key(home: Path) -> None:
    connected("claude-code", "codex")

    assert [path for path, text in files(home).items() if KEY.search(text.decode())] == [".config/cairn/client.json"]
    for line in (
        read(home / ".claude.json")["mcpServers"]["cairn"]["headersHelper"],
        tomllib.loads((home / ".codex/config.toml").read_text())["mcp_servers"]["cairn"]["http_headers_helper"],
    ):
        told = json.loads(cairn(*shlex.split(line)[1:]).stdout)
        assert told["Authorization"] == f"Bearer {client(home)['key']}"


def test_codex_is_told_the_project_of_the_folder_it_is_in(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    connected("codex")
    (home / "garden").mkdir()
    monkeypatch.chdir(home / "garden")

    assert json.loads(cairn("headers", "--folder").stdout)["X-Cairn-Project"] == "garden"
    assert "X-Cairn-Project" not in json.loads(cairn("headers").stdout)


@pytest.mark.parametrize(
    ("name", "path", "events", "most"),
    [
        ("claude-code", ".claude/settings.json", claude_code.EVENTS, 5),
        ("codex", ".codex/hooks.json", codex.EVENTS, 5),
        ("gemini", ".gemini/settings.json", gemini.EVENTS, 5000),
    ],
)
def test_each_event_runs_this_program_and_waits_five_seconds(
    home: Path, name: str, path: str, events: tuple[str, ...], most: int
) -> None:
    connected(name)

    hooks = read(home / path)["hooks"]
    assert tuple(hooks) == events
    for event, [group] in hooks.items():
        [hook] = group["hooks"]
        program, *words = shlex.split(hook.pop("command"))
        assert Path(program).is_absolute()
        assert words[-2:] == ["hook", name]
        assert hook == {"type": "command", "timeout": most} | ({"async": True} if event == "PostToolBatch" else {})


def test_cursor_and_copilot_get_hooks_of_their_own_form(home: Path) -> None:
    connected("cursor", "copilot")

    hooks = read(home / ".cursor/hooks.json")
    own = read(home / ".copilot/hooks/cairn.json")
    assert (hooks["version"], own["version"]) == (1, 1)
    assert tuple(hooks["hooks"]) == cursor.EVENTS
    assert tuple(own["hooks"]) == copilot.EVENTS
    assert all(is_hook_command(hook["command"]) for [hook] in hooks["hooks"].values())
    assert all(is_hook_command(hook["bash"]) and hook["timeoutSec"] == 5 for [hook] in own["hooks"].values())


def test_an_agent_with_hooks_is_one_whose_events_the_server_reads(home: Path) -> None:
    assert {each.name for each in known.every(Machine(home, {})) if each.has_hooks} <= DIALECTS.keys()


def test_all_connects_those_that_are_found(home: Path) -> None:
    fill(home, "claude-code")
    fill(home, "gemini")

    told = connected("--all")

    assert re.findall(r"the memory of ([\w ]+),", told) == ["Claude Code", "Gemini CLI"]
    assert not (home / ".codex").exists()


def test_where_one_of_several_is_broken_the_others_are_connected_and_the_status_is_1(home: Path) -> None:
    fill(home, "claude-code")
    fill(home, "gemini")
    (home / ".gemini/settings.json").write_text("no", encoding="utf-8")

    result = cairn("connect", "--all", "--yes")

    assert result.exit_code == 1
    assert "no valid JSON at line 1, column 1" in result.output
    assert read(home / ".claude/settings.json")["hooks"]["SessionEnd"]


def test_the_key_is_of_the_person_and_all_projects_and_every_agent_shares_it(home: Path) -> None:
    connected("claude-code")
    first = client(home)
    connected("gemini")

    [credential] = operator_services(None, {}).credentials.list()
    assert client(home) == first == {"url": "http://127.0.0.1:8787", "key": first["key"]}
    assert (credential.grant.projects, credential.grant.users) == (("*",), ("ada",))
    assert operator_services(None, {}).credentials.check(first["key"]) == credential
    assert read(home / ".gemini/settings.json")["mcpServers"]["cairn"]["headers"] == {
        "Authorization": f"Bearer {first['key']}"
    }


def test_the_key_is_revoked_with_the_last_agent_and_not_before(home: Path) -> None:
    connected("claude-code")
    connected("gemini")
    key = client(home)["key"]

    connected("claude-code", "--remove")
    assert operator_services(None, {}).credentials.check(key) is not None
    connected("gemini", "--remove")

    assert operator_services(None, {}).credentials.check(key) is None
    assert not (home / ".config/cairn/client.json").exists()
    assert not (home / ".local/state/cairn/connect.json").exists()


def test_the_store_that_was_named_is_remembered_with_its_key(home: Path) -> None:
    connected("claude-code", "--data", str(home / "elsewhere"))
    key = client(home)["key"]

    connected("gemini", "claude-desktop")
    assert client(home)["key"] == key
    assert not (home / ".local/share").exists()
    assert read(home / ".config/Claude/claude_desktop_config.json")["mcpServers"]["cairn"]["args"][-2:] == [
        "--data",
        str(home / "elsewhere"),
    ]
    connected("claude-code", "gemini", "claude-desktop", "--remove")

    assert operator_services(home / "elsewhere", {}).credentials.check(key) is None


def test_a_key_that_was_revoked_is_replaced(home: Path) -> None:
    connected("claude-code")
    old = client(home)["key"]
    cairn("keys", "revoke", old.split("_")[1])

    connected("claude-code")

    assert client(home)["key"] != old
    assert operator_services(None, {}).credentials.check(client(home)["key"]) is not None


def test_with_a_project_the_key_opens_no_other(home: Path) -> None:
    connected("gemini", "--project", "owner/repo")

    [credential] = operator_services(None, {}).credentials.list()
    assert credential.grant.projects == ("owner/repo",)
    assert client(home)["project"] == "owner/repo"


def test_another_port_changes_the_address_and_nothing_else(home: Path) -> None:
    connected("claude-code")
    key = client(home)["key"]

    told = connected("claude-code", "--port", "9000")

    assert client(home) == {"url": "http://127.0.0.1:9000", "key": key}
    assert endpoints(home) == {"http://127.0.0.1:9000/mcp/hooks"}
    assert len(hook_lines(home)) == len(claude_code.EVENTS)
    assert "is the memory of Claude Code" in told


def test_hooks_of_another_install_are_replaced_and_not_doubled(home: Path) -> None:
    connected("claude-code")
    path = home / ".claude/settings.json"
    text = re.sub(
        r'"command": ".*? hook claude-code"', '"command": "/old/bin/cairn hook claude-code"', path.read_text()
    )
    path.write_text(text.replace('"SessionEnd"', '"Notification"'), encoding="utf-8")

    connected("claude-code")

    assert tuple(sorted(read(path)["hooks"])) == tuple(sorted(claude_code.EVENTS))
    assert "/old/bin" not in path.read_text()


def test_a_key_to_a_server_elsewhere_is_asked_for_and_not_echoed(home: Path) -> None:
    result = cairn("connect", "gemini", "--url", "https://memory.example.com/mcp", "--yes", input="cairn_elsewhere\n")

    assert result.exit_code == 0, result.output
    assert client(home) == {"url": "https://memory.example.com", "key": "cairn_elsewhere"}
    assert "cairn_elsewhere" not in result.output
    assert not (home / ".local/share").exists()


@pytest.mark.usefixtures("home")
def test_a_key_that_was_given_is_not_revoked() -> None:
    key = cairn("keys", "create", "--tenant", "local").stdout.strip()
    connected("gemini", "--url", "http://127.0.0.1:8787", "--key", key)

    told = connected("gemini", "--remove")

    assert "opens nothing" not in told
    assert operator_services(None, {}).credentials.check(key) is not None


def test_a_server_elsewhere_without_encryption_is_refused_before_anything_is_written(home: Path) -> None:
    fill(home, "gemini")
    before = files(home)

    result = cairn("connect", "gemini", "--url", "http://memory.example.com", "--key", "cairn_x", "--yes")

    assert result.exit_code == 2
    assert "without encryption" in result.output
    assert files(home) == before


def test_claude_desktop_cannot_be_given_a_server_elsewhere(home: Path) -> None:
    result = cairn("connect", "claude-desktop", "--url", "https://memory.example.com", "--key", "cairn_x", "--yes")

    assert result.exit_code == 2
    assert "starts a program on this machine" in result.output
    assert files(home) == {}


def test_a_server_of_the_name_that_a_person_wrote_comes_back(home: Path) -> None:
    path = home / ".cursor/mcp.json"
    path.parent.mkdir()
    path.write_text('{"mcpServers": {"cairn": {"url": "http://127.0.0.1:8787/mcp", "headers": {}}}}', encoding="utf-8")
    connected("cursor")
    path.write_text(path.read_text().replace("{", '{"mine": 1, ', 1), encoding="utf-8")

    connected("cursor", "--remove")

    assert read(path) == {
        "mine": 1,
        "mcpServers": {"cairn": {"url": "http://127.0.0.1:8787/mcp", "headers": {}}},
    }


def test_what_a_person_added_to_the_server_stays_at_a_change_of_the_address(home: Path) -> None:
    connected("gemini")
    path = home / ".gemini/settings.json"
    path.write_text(path.read_text().replace('"httpUrl"', '"trust": true, "httpUrl"'), encoding="utf-8")

    assert "nothing changes" in connected("gemini")
    connected("gemini", "--port", "9000")

    server = read(path)["mcpServers"]["cairn"]
    assert (server["trust"], server["httpUrl"]) == (True, "http://127.0.0.1:9000/mcp/hooks")


def test_a_configuration_behind_a_link_is_changed_where_it_is(home: Path) -> None:
    kept = home / "dotfiles" / "settings.json"
    kept.parent.mkdir()
    kept.write_text("{}\n", encoding="utf-8")
    (home / ".claude").mkdir()
    (home / ".claude/settings.json").symlink_to(kept)

    connected("claude-code")

    assert (home / ".claude/settings.json").is_symlink()
    assert read(kept)["hooks"]


@pytest.mark.parametrize(
    "text", ['{"hooks": {}}', '{"hooks": {"Stop": []}}', '{"hooks": {"Stop": [ ]}, "model": "x"}\n']
)
def test_what_was_empty_before_is_empty_again_and_not_gone(home: Path, text: str) -> None:
    path = home / ".claude/settings.json"
    path.parent.mkdir()
    path.write_text(text, encoding="utf-8")

    connected("claude-code")
    connected("claude-code", "--remove")

    assert path.read_text(encoding="utf-8") == text


def test_a_file_that_others_can_read_is_closed_to_them_again(home: Path) -> None:
    connected("gemini")
    path = home / ".gemini/settings.json"
    path.chmod(0o644)

    told = connected("gemini")

    assert f"{path} will be for its owner alone" in told
    assert mode(path) == 0o600


def test_what_the_agent_writes_while_a_person_is_asked_stays(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(home, "claude-code")
    path = home / ".claude.json"

    def answer(*_asked: object, **_more: object) -> bool:
        path.write_text(path.read_text().replace('"numStartups": 3', '"numStartups": 4'), encoding="utf-8")
        return True

    monkeypatch.setattr("click.confirm", answer)
    for words in ([], ["--remove"]):
        assert cairn("connect", "claude-code", *words).exit_code == 0
        assert read(path)["numStartups"] == 4
        path.write_text(path.read_text().replace('"numStartups": 4', '"numStartups": 3'), encoding="utf-8")


def test_on_a_mac_desktop_programs_keep_their_configuration_in_the_library(tmp_path: Path) -> None:
    machine = Machine(tmp_path, {}, "darwin")

    paths = {file.path for name in ("vscode", "claude-desktop") for file in known.agent(name, machine).configurations}

    assert paths == {
        tmp_path / "Library/Application Support/Code/User/mcp.json",
        tmp_path / "Library/Application Support/Claude/claude_desktop_config.json",
    }


def test_folders_that_the_environment_names_are_used(tmp_path: Path) -> None:
    machine = Machine(tmp_path, {"CLAUDE_CONFIG_DIR": "/c", "CODEX_HOME": "/x", "XDG_CONFIG_HOME": "/conf"})

    paths = {
        str(file.path) for name in ("claude-code", "codex", "zed") for file in known.agent(name, machine).configurations
    }

    assert paths == {
        "/c/settings.json",
        "/c/.claude.json",
        "/x/hooks.json",
        "/x/config.toml",
        "/conf/zed/settings.json",
    }


def test_an_agent_is_named_or_all_are_meant(home: Path) -> None:
    for words in ([], ["--all", "codex"], ["emacs"], ["codex", "--url", "http://localhost", "--port", "1"]):
        assert cairn("connect", *words).exit_code == 2
    assert files(home) == {}


def test_what_was_never_connected_is_not_removed(home: Path) -> None:
    fill(home, "claude-code")
    before = files(home)

    assert "nothing changes" in connected("claude-code", "--remove")

    assert files(home) == before
