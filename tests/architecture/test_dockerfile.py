"""The Dockerfile, which no test can build, says what a reviewer would look for."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import click
import pytest

from cairn.local.cli import main
from cairn.local.server.address import ListenAddress

ROOT = Path(__file__).resolve().parents[2]
KNOWN = {"FROM", "COPY", "RUN", "USER", "ENV", "VOLUME", "EXPOSE", "HEALTHCHECK", "ENTRYPOINT", "CMD"}
LINES = [
    line.partition(" ")
    for line in (ROOT / "Dockerfile").read_text(encoding="utf-8").splitlines()
    if line and not line.startswith("#")
]
SAID = {word: text for word, _, text in LINES}


def test_it_is_ten_lines_of_instructions_that_docker_knows() -> None:
    assert len(LINES) == 10
    assert {word for word, _, _ in LINES} <= KNOWN
    assert LINES[0][0] == "FROM"
    assert re.fullmatch(r"python:3\.\d+-slim", SAID["FROM"])


def test_the_server_runs_as_nobody_in_particular_and_its_data_is_that_user_s_alone() -> None:
    words = [word for word, _, _ in LINES]
    assert words.index("RUN") < words.index("USER") < words.index("ENTRYPOINT")
    assert SAID["USER"] == "cairn"
    assert "useradd --uid 10001 cairn" in SAID["RUN"]
    assert f"install -d -m 700 -o cairn {SAID['VOLUME']}" in SAID["RUN"]
    assert SAID["ENV"] == f"CAIRN_DATA={SAID['VOLUME']}"


def test_its_shell_command_parses_and_keeps_no_cache() -> None:
    subprocess.run(["/bin/sh", "-n", "-c", SAID["RUN"]], check=True)  # noqa: S603 - only parsed
    assert "pip install --no-cache-dir" in SAID["RUN"]


def test_it_starts_the_command_with_options_that_it_has_on_the_port_that_is_exposed() -> None:
    entry, arguments = json.loads(SAID["ENTRYPOINT"]), json.loads(SAID["CMD"])

    assert entry == ["cairn"]
    serve = main.commands[arguments[0]]
    assert isinstance(serve, click.Command)
    context = serve.make_context("serve", arguments[1:])
    assert int(SAID["EXPOSE"]) == context.params["port"] == ListenAddress().port
    assert ListenAddress(context.params["host"]).is_open


def test_its_health_check_asks_the_server_under_a_name_that_is_answered() -> None:
    kind, _, words = SAID["HEALTHCHECK"].partition(" ")
    python, option, program = json.loads(words)

    assert (kind, python, option) == ("CMD", "python", "-c")
    compile(program, "HEALTHCHECK", "exec")
    (url,) = re.findall(r"'(http://[^']+)'", program)
    assert url == f"http://127.0.0.1:{SAID['EXPOSE']}/healthz"
    assert "timeout=" in program


@pytest.mark.parametrize("line", ["*", "!dist/*.whl"])
def test_nothing_but_the_wheel_is_sent_to_the_builder(line: str) -> None:
    assert line in (ROOT / ".dockerignore").read_text(encoding="utf-8").split()
    assert SAID["COPY"] == "dist/*.whl /tmp/"
