"""Run an AWS emulator on 127.0.0.1, with a made-up account, so that no call can reach a real one."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import click

_START_SECONDS, _STOP_SECONDS = 30, 15
ACCOUNT = {
    "AWS_ACCESS_KEY_ID": "test",
    "AWS_SECRET_ACCESS_KEY": "test",
    "AWS_DEFAULT_REGION": "us-east-1",
    "AWS_CONFIG_FILE": os.devnull,
    "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
}
"""The environment of whoever acts as the emulator's account."""


@dataclass(frozen=True, slots=True)
class Emulator:
    """A running emulator: its address, and its process, which ends with it."""

    endpoint: str
    process: subprocess.Popen[bytes]


@contextmanager
def emulated(programs: Path, home: Path, port: int, *, iam: bool) -> Generator[Emulator]:
    """Run the emulator on a port and end it and its workers by process id; what it holds stays in `home`.

    With `iam` every role's permissions are checked. What the emulator holds is written when it is asked to end, so a
    killed one forgets what happened since its start. ClickException where it does not start.
    """
    workers = home / "workers"
    workers.mkdir(parents=True, exist_ok=True)
    with (
        (home / "emulator.log").open("a") as log,
        subprocess.Popen(  # noqa: S603 - the pinned emulator
            [str(programs / "ministack")],
            cwd=home,
            env=environment(programs) | _settings(home, port, iam=iam),
            stdout=log,
            stderr=log,
            start_new_session=True,
        ) as process,
    ):
        try:
            yield _started(f"http://127.0.0.1:{port}", process, home)
        finally:
            _end(process)
            shutil.rmtree(workers, ignore_errors=True)


def environment(programs: Path) -> dict[str, str]:
    """Return this process's environment, these programs first, with the emulator's account for every other."""
    inherited = {
        name: value for name, value in os.environ.items() if not name.startswith(("AWS_", "CAIRN_", "LUMERA_"))
    }
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    return {**inherited, **ACCOUNT, "PATH": path, "SAM_CLI_TELEMETRY": "0"}


def _settings(home: Path, port: int, *, iam: bool) -> dict[str, str]:
    return {
        "GATEWAY_PORT": str(port),
        "BIND_HOST": "127.0.0.1",
        "MINISTACK_HOST": "localhost",
        "SFTP_ENABLED": "0",
        "IOT_MTLS_ENABLED": "0",
        "AUTH": str(iam).lower(),
        # Each worker unpacks all layers, a third of a gigabyte, and those that are killed leave them behind.
        "TMPDIR": str(home / "workers"),
        "LAMBDA_WARM_TTL_SECONDS": "60",
        "PERSIST_STATE": "1",
        "STATE_DIR": str(home / "state"),
        "S3_PERSIST": "1",
        "S3_DATA_DIR": str(home / "objects"),
    }


def _started(endpoint: str, process: subprocess.Popen[bytes], home: Path) -> Emulator:
    deadline = time.monotonic() + _START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with urlopen(f"{endpoint}/_ministack/health", timeout=1):  # noqa: S310 - the emulator's own address
                return Emulator(endpoint, process)
        except (URLError, TimeoutError, ConnectionError):
            time.sleep(0.1)
    raise click.ClickException(f"the emulator did not start: see {home / 'emulator.log'}")


def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        with suppress(subprocess.TimeoutExpired):
            process.wait(_STOP_SECONDS)
    finally:
        with suppress(ProcessLookupError):  # where it took its workers along
            os.killpg(process.pid, signal.SIGKILL)
