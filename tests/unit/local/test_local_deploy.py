"""`cairn deploy`: what it needs, what it runs and as whom, with programs of the test's own for the real ones."""

from __future__ import annotations

import json
import os
import socket
import sys
from collections.abc import Callable
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from cairn.ground.errors import SettingsError
from cairn.local.cli import main
from cairn.local.emulator import programs
from cairn.local.emulator.deploy import gateway
from cairn.local.emulator.deployment import Deployment, prepare, store
from cairn.local.emulator.emulator import emulated

OUTPUTS = {
    "ApiUrl": "http://0a1b2c3d.execute-api.localhost:4566",
    "MemoryTableName": "t",
    "MemoryBucketName": "b",
    "MemoryKeyArn": "arn:k",
}
EMULATOR = """
import json, os, signal, sys
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

Path("environment.json").write_text(json.dumps(dict(os.environ)))

class Health(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()

    def log_message(self, *args):
        pass

def end(*_):
    Path("ended").touch()
    sys.exit(0)

signal.signal(signal.SIGTERM, end)
HTTPServer((os.environ["BIND_HOST"], int(os.environ["GATEWAY_PORT"])), Health).serve_forever()
"""
SAM = """
import json, os, sys
with open("sam.jsonl", "a") as log:
    log.write(json.dumps({"arguments": sys.argv[1:], "environment": dict(os.environ)}) + chr(10))
if sys.argv[1] == "list":
    print(json.dumps([{"OutputKey": "ApiUrl", "OutputValue": "http://api"}]))
"""
Program = Callable[[str, str], Path]


@pytest.fixture
def program(tmp_path: Path) -> Program:
    """Return a function that writes a program and returns the directory that it is in."""

    def write(name: str, source: str) -> Path:
        directory = tmp_path / "bin"
        directory.mkdir(exist_ok=True)
        written = directory / name
        written.write_text(f"#!{os.path.realpath(sys.executable)}\n{source}")
        written.chmod(0o700)
        return directory

    return write


@pytest.fixture
def _an_account_of_mine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_PROFILE", "mine")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "mine")
    monkeypatch.setenv("CAIRN_TABLE", "mine")


def test_without_the_emulator_it_says_how_to_deploy_to_aws() -> None:
    result = CliRunner().invoke(main, ["deploy"])

    assert result.exit_code == 2
    assert "sam build && sam deploy --guided" in result.output


def test_outside_a_checkout_it_says_where_to_run_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    result = CliRunner().invoke(main, ["deploy", "--emulator"])

    assert result.exit_code == 2
    assert "template.yaml is not here: run this in a checkout" in result.output


def test_a_checkout_without_its_pins_is_none(tmp_path: Path) -> None:
    (tmp_path / "template.yaml").touch()

    with pytest.raises(SettingsError, match=r"sam\.txt is not here"):
        prepare(tmp_path, tmp_path / "home", {})


def test_the_address_of_the_api_needs_no_name_to_be_resolved() -> None:
    assert gateway("http://127.0.0.1:8788", OUTPUTS) == "http://127.0.0.1:8788/_aws/execute-api/0a1b2c3d"


def test_the_deployed_store_is_named_by_the_stack_s_outputs() -> None:
    assert store(OUTPUTS) == {"CAIRN_TABLE": "t", "CAIRN_BUCKET": "b", "CAIRN_KEY_ID": "arn:k"}


@pytest.mark.slow
@pytest.mark.usefixtures("_an_account_of_mine")
def test_sam_builds_and_deploys_the_same_parameters_and_only_to_the_emulator(tmp_path: Path, program: Program) -> None:
    sam = program("sam", SAM)
    deployment = Deployment(tmp_path, tmp_path / "home", sam, sam, {"Rate": "rate(1 minute)"})

    deployment.build()
    outputs = deployment.deploy("http://127.0.0.1:1")

    build, deploy, _ = (json.loads(line) for line in (tmp_path / "sam.jsonl").read_text().splitlines())
    assert outputs == {"ApiUrl": "http://api"}
    for call in (build, deploy):
        assert call["arguments"][call["arguments"].index("--parameter-overrides") + 1] == 'Rate="rate(1 minute)"'
        assert call["environment"]["AWS_ACCESS_KEY_ID"] == "test"
        assert {"AWS_PROFILE", "CAIRN_TABLE"}.isdisjoint(call["environment"])
    assert deploy["environment"]["AWS_ENDPOINT_URL"] == "http://127.0.0.1:1"


@pytest.mark.slow
@pytest.mark.enable_socket
@pytest.mark.usefixtures("_an_account_of_mine")
def test_the_emulator_is_on_loopback_keeps_its_state_and_is_asked_to_end(tmp_path: Path, program: Program) -> None:
    directory, home = program("ministack", EMULATOR), tmp_path / "home"
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]

    with emulated(directory, home, port, iam=True) as emulator:
        assert emulator.endpoint == f"http://127.0.0.1:{port}"
        assert not (home / "ended").exists()

    told = json.loads((home / "environment.json").read_text())
    assert (told["BIND_HOST"], told["AUTH"], told["PERSIST_STATE"]) == ("127.0.0.1", "true", "1")
    assert Path(told["STATE_DIR"]).is_relative_to(home)
    assert Path(told["S3_DATA_DIR"]).is_relative_to(home)
    assert told["AWS_ACCESS_KEY_ID"] == "test"
    assert "AWS_PROFILE" not in told
    assert (home / "ended").exists()
    assert emulator.process.returncode == 0


@pytest.mark.slow
@pytest.mark.enable_socket
def test_an_emulator_that_does_not_start_names_its_log(tmp_path: Path, program: Program) -> None:
    directory = program("ministack", "raise SystemExit('no such port')")

    with (
        pytest.raises(click.ClickException, match=r"did not start: see .*emulator\.log"),
        emulated(directory, tmp_path / "home", 1, iam=False),
    ):
        pass

    assert "no such port" in (tmp_path / "home" / "emulator.log").read_text()


@pytest.mark.slow
def test_a_program_that_fails_is_told_with_its_last_words(program: Program) -> None:
    failing = program("failing", "raise SystemExit('what was wrong')") / "failing"

    with pytest.raises(click.ClickException, match=r"(?s)failing now failed:.*what was wrong"):
        programs.run([str(failing), "now"], 30)


@pytest.mark.slow
def test_a_program_that_takes_too_long_is_ended(program: Program) -> None:
    slow = program("slow", "import time; time.sleep(60)") / "slow"

    with pytest.raises(click.ClickException, match="slow now took more than"):
        programs.run([str(slow), "now"], 0.2)


def test_pinned_programs_are_installed_once_and_again_when_the_pins_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran: list[str] = []

    def run(command: list[str], _seconds: float) -> str:
        ran.append(command[1])
        if command[1] == "-m":
            Path(command[-1]).mkdir(parents=True)
        return ""

    monkeypatch.setattr(programs, "run", run)
    pins = tmp_path / programs.PINS / "sam.txt"
    pins.parent.mkdir(parents=True)
    pins.write_text("one==1")

    for _ in range(2):
        assert programs.install(tmp_path, "sam", "python") == tmp_path / ".cache" / "sam" / "bin"
    assert ran == ["-m", "install"]
    pins.write_text("one==2")
    programs.install(tmp_path, "sam", "python")

    assert ran == ["-m", "install"] * 2


def test_a_machine_without_a_python_that_lambda_has_is_told_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(programs, "RUNTIMES", ("3.0",))
    monkeypatch.setenv("HOME", str(tmp_path))

    with pytest.raises(SettingsError, match=r"Python 3\.0 is needed"):
        programs.interpreter()
