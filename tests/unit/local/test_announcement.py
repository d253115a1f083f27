"""What `cairn serve` prints: one line that connects an agent, and which works as it stands."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from cairn.local.own_names import OwnNames
from cairn.local.server.announcement import announce
from support.connecting import cairn, client, furnished


def told(capsys: pytest.CaptureFixture[str], url: str, data: Path, own: OwnNames | None) -> list[str]:
    """Return the words of the command that is printed, without the program; none where none is."""
    announce([f"{url}/mcp"], data, "cairn_0123456789abcdef_secret", own=own)
    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("  agents")]
    return [word for line in lines for word in shlex.split(line.split("  (")[0])[2:]]


def test_the_usual_server_is_connected_without_any_option(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    home = furnished(tmp_path, monkeypatch)

    words = told(capsys, "http://127.0.0.1:8787", home / ".local/share/cairn", OwnNames.of())

    assert words == ["connect", "claude-code"]


def test_another_port_and_directory_are_named_and_the_line_connects(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    home = furnished(tmp_path, monkeypatch)
    data = home / "my store"

    words = told(capsys, "http://127.0.0.1:9000", data, OwnNames.of())

    assert words == ["connect", "claude-code", "--port", "9000", "--data", str(data)]
    assert cairn(*words, "--yes").exit_code == 0
    assert client(home)["url"] == "http://127.0.0.1:9000"
    assert data.is_dir()


def test_a_server_whose_keys_are_made_elsewhere_is_named_by_its_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    home = furnished(tmp_path, monkeypatch)

    words = told(capsys, "http://127.0.0.1:4566/stage", tmp_path, None)

    assert words == ["connect", "claude-code", "--url", "http://127.0.0.1:4566/stage"]
    assert cairn(*words, "--yes", input="cairn_given\n").exit_code == 0
    assert client(home) == {"url": "http://127.0.0.1:4566/stage", "key": "cairn_given"}


def test_no_line_is_printed_for_an_address_that_no_key_is_shown_to(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert told(capsys, "http://192.0.2.7:8787", tmp_path, OwnNames.of()) == []


def test_no_configuration_is_printed_to_paste(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    announce(["http://127.0.0.1:8787/mcp"], tmp_path, "cairn_0123456789abcdef_secret", own=OwnNames.of())

    out = capsys.readouterr().out
    assert json.dumps("mcpServers") not in out
    assert out.count("cairn_0123456789abcdef_secret") == 1


def test_the_console_s_address_is_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    furnished(tmp_path, monkeypatch)
    announce(["http://127.0.0.1:9000/mcp"], tmp_path, None, own=OwnNames.of())

    [line] = [each for each in capsys.readouterr().out.splitlines() if each.startswith("  console")]

    assert line.split()[1] == "http://127.0.0.1:9000/"
