"""`cairn service`: the files for systemd and launchd say what they should, hold no key, and go again."""

from __future__ import annotations

import configparser
import os
import plistlib
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from cairn.local.cli import main
from cairn.local.service.definition import LABEL, launchd, systemd

COMMAND = ["/opt/my own/bin/cairn", "serve", "--data", '/srv/50% "off" $HOME']
CONTROL = """#!/bin/sh
echo "$0 $*" >> {log}
exit {status}
"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", *(each for each in os.environ if each.startswith("CAIRN_"))):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def control(home: Path, name: str, status: int) -> None:
    """Put a program in the place of systemctl or launchctl, which logs what it is asked."""
    (home / "bin").mkdir(exist_ok=True)
    (home / "bin" / name).write_text(CONTROL.format(log=home / "asked", status=status), encoding="utf-8")
    (home / "bin" / name).chmod(0o755)


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["service", *arguments], catch_exceptions=False)


def unit(text: str) -> configparser.ConfigParser:
    parser = configparser.ConfigParser(interpolation=None)
    parser.optionxform = str  # pyright: ignore[reportAttributeAccessIssue] - as its documentation says
    parser.read_string(text)
    return parser


def test_systemd_reads_every_word_of_the_command_as_it_is() -> None:
    definition = systemd(COMMAND, {"XDG_CONFIG_HOME": "/conf"}, Path("/home/ada"))

    line = unit(definition.text)["Service"]["ExecStart"]
    assert [word.replace("%%", "%").replace("$$", "$") for word in shlex.split(line)] == COMMAND
    assert definition.path == Path("/conf/systemd/user/cairn.service")
    assert systemd(COMMAND, {}, Path("/home/ada")).path == Path("/home/ada/.config/systemd/user/cairn.service")


def test_launchd_reads_every_word_of_the_command_as_it_is() -> None:
    definition = launchd(COMMAND, 501, Path("/Users/ada"))

    told: dict[str, Any] = plistlib.loads(definition.text.encode())
    assert (told["Label"], told["ProgramArguments"], told["Umask"]) == (LABEL, COMMAND, 0o077)
    assert (told["RunAtLoad"], told["KeepAlive"]) == (True, {"SuccessfulExit": False})
    assert definition.path == Path("/Users/ada/Library/LaunchAgents/cairn.serve.plist")
    assert definition.start == (("launchctl", "bootstrap", "gui/501", str(definition.path)),)


def test_an_install_writes_the_unit_of_this_install_prints_the_key_once_and_says_how_to_start(home: Path) -> None:
    first, again = run("install", "--port", "9000", "--data", str(home / "memory")), run("install", "--port", "9001")

    written = home / ".config" / "systemd" / "user" / "cairn.service"
    keys = re.findall(r"API key  (cairn_\w+)", first.output)
    assert (first.exit_code, again.exit_code, len(keys)) == (0, 0, 1)
    assert "systemctl --user enable --now cairn.service" in first.output
    command = shlex.split(unit(first.output.split("\n\n", 1)[1].split("API key")[0])["Service"]["ExecStart"])
    assert command == [
        str(Path(sys.executable).with_name("cairn")),
        "serve",
        "--port",
        "9000",
        "--data",
        f"{home}/memory",
    ]
    assert "--port 9001" in written.read_text(encoding="utf-8")
    assert f"--data {home}/.local/share/cairn" in written.read_text(encoding="utf-8")
    assert not re.search(r"cairn_\w{20}", written.read_text(encoding="utf-8"))


def test_what_the_service_starts_prints_no_key_into_a_log(home: Path) -> None:
    data = str(home / "memory")
    assert "API key" in run("install", "--data", data).output
    assert "API key" not in run("install", "--data", data).output


@pytest.mark.slow
def test_systemd_itself_finds_no_fault_where_it_is_there_to_be_asked(home: Path) -> None:
    analyze = shutil.which("systemd-analyze", path="/usr/bin:/bin")
    run("install", "--data", str(home / "50% of my memory"))
    path = home / ".config" / "systemd" / "user" / "cairn.service"
    assert set(unit(path.read_text(encoding="utf-8")).sections()) == {"Unit", "Service", "Install"}
    if analyze is not None:
        environment = {**os.environ, "XDG_RUNTIME_DIR": str(home)}
        command = [analyze, "--user", "verify", str(path)]
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)  # noqa: S603 - systemd's own
        assert (done.returncode, done.stderr) == (0, "")


def test_on_macos_it_writes_an_agent(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")

    result = run("install", "--data", str(home / "memory"))

    written = home / "Library" / "LaunchAgents" / "cairn.serve.plist"
    assert plistlib.loads(written.read_bytes())["ProgramArguments"][1:] == [
        "serve", "--port", "8787", "--data", f"{home}/memory",
    ]  # fmt: skip
    assert f"launchctl bootstrap gui/{os.getuid()} {written}" in result.output


def test_elsewhere_it_says_which_it_knows(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "freebsd14")

    result = run("install", "--data", str(home / "memory"))

    assert result.exit_code == 2
    assert "knows systemd and launchd" in result.output


def test_settings_that_stand_in_this_shell_alone_are_named_and_not_shown(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LUMERA_MEMORY_KEY", "0123456789abcdef" * 4)

    result = run("install", "--data", str(home / "memory"))

    assert "the service does not get what is set in this shell alone: LUMERA_MEMORY_KEY." in result.output
    assert "0123456789abcdef" not in result.output


def test_an_environment_that_uvx_made_for_one_use_is_warned_of(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "cache" not in run("install", "--data", str(home / "memory")).output

    monkeypatch.setattr(sys, "prefix", "/home/ada/.cache/uv/archive-v0/x1")

    assert "Warning: Cairn runs from a cache that may be emptied" in run("install").output


def test_a_file_of_somebody_else_is_left_alone(home: Path) -> None:
    path = home / ".config" / "systemd" / "user" / "cairn.service"
    path.parent.mkdir(parents=True)
    path.write_text("[Unit]\nDescription=my own\n", encoding="utf-8")

    for verb in ("install", "uninstall"):
        assert run(verb).exit_code == 2
    assert path.read_text(encoding="utf-8") == "[Unit]\nDescription=my own\n"


def test_an_uninstall_stops_the_service_and_removes_what_enabling_made_and_nothing_that_was_stored(home: Path) -> None:
    control(home, "systemctl", 0)
    run("install", "--data", str(home / "memory"))
    path = home / ".config" / "systemd" / "user" / "cairn.service"
    link = path.parent / "default.target.wants" / "cairn.service"
    link.parent.mkdir()
    link.symlink_to(path)

    result = run("uninstall")

    assert (result.exit_code, path.exists(), link.is_symlink()) == (0, False, False)
    assert (home / "asked").read_text(encoding="utf-8").splitlines()[-1].endswith("--user disable --now cairn.service")
    assert (home / "memory" / "master.key").exists() or any((home / "memory").iterdir())
    assert "may still run" not in result.output
    assert run("uninstall").exit_code == 1


def test_where_nobody_can_be_asked_an_uninstall_says_that_it_may_still_run(home: Path) -> None:
    run("install", "--data", str(home / "memory"))

    result = run("uninstall")

    assert result.exit_code == 0
    assert "It may still run; to stop it:\n  systemctl --user disable --now cairn.service" in result.output


def test_the_status_is_0_only_where_it_runs(home: Path) -> None:
    absent = run("status")
    run("install", "--data", str(home / "memory"))
    control(home, "systemctl", 3)
    stopped = run("status")
    control(home, "systemctl", 0)
    runs = run("status")

    assert (absent.exit_code, stopped.exit_code, runs.exit_code) == (1, 1, 0)
    assert "not installed" in absent.output
    assert "it does not run" in stopped.output
    assert "It runs" in runs.output
