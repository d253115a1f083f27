"""A built function under Lambda's own runtime: the emulator that SAM CLI brings, and awslambdaric."""

from __future__ import annotations

import json
import os
import platform
import signal
import socket
import subprocess
import time
from collections.abc import Generator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PROGRAMS = ROOT / ".cache" / "runtime" / "bin"
_INVOCATIONS = "/2015-03-31/functions/function/invocations"
_START_SECONDS, _STOP_SECONDS, _GRACE_SECONDS = 10, 5, 5
_ARCHITECTURES = {"aarch64": "arm64"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Function:
    """A function as it is deployed, `code` and `layers` being what Lambda has in /var/task and in /opt."""

    name: str
    handler: str
    code: str
    layers: str | None = None
    timeout: int = 10
    memory: int = 512
    environment: Mapping[str, str] = field(default_factory=dict[str, str])

    def variables(self) -> dict[str, str]:
        """Return the environment of its process: Lambda's, the function's own, and no bytecode written."""
        path = [self.code] if self.layers is None else [self.code, f"{self.layers}/python"]
        return {
            "PATH": "/usr/bin:/bin",
            "LANG": "en_US.UTF-8",
            "TZ": ":UTC",
            "PYTHONPATH": os.pathsep.join(path),
            "PYTHONDONTWRITEBYTECODE": "1",  # code and layers are read-only in Lambda
            "LAMBDA_TASK_ROOT": self.code,
            "AWS_LAMBDA_FUNCTION_NAME": self.name,
            "AWS_LAMBDA_FUNCTION_TIMEOUT": str(self.timeout),
            "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": str(self.memory),
            **self.environment,
        }


class Sandbox:
    """The one process of a function; it takes one invocation at a time, as in Lambda."""

    def __init__(self, function: Function, port: int) -> None:
        """Reach the function at this port of this machine."""
        self._port = port
        self._seconds = function.timeout + _GRACE_SECONDS

    def invoke(self, event: object) -> Any:
        """Return what the runtime answers to an event: the handler's value, or an object with `errorType`."""
        answer = self.answer(json.dumps(event).encode())
        try:
            return json.loads(answer)
        except ValueError:
            raise RuntimeError(answer[:200].decode("utf-8", "replace")) from None

    def answer(self, payload: bytes) -> bytes:
        """Return the runtime's answer to these bytes as it stands."""
        with closing(HTTPConnection("127.0.0.1", self._port, timeout=self._seconds)) as connection:
            connection.request("POST", _INVOCATIONS, payload)
            return connection.getresponse().read()


def free_port() -> int:
    """Return a port of 127.0.0.1 that nothing listens on."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


@contextmanager
def running(function: Function, log: Path) -> Generator[Sandbox]:
    """Run a function until the block ends; Lambda starts its process at the first invocation, and so does this."""
    port, runtime_port = free_port(), free_port()
    addresses = ["--runtime-interface-emulator-address", f"127.0.0.1:{port}"]
    addresses += ["--runtime-api-address", f"127.0.0.1:{runtime_port}"]
    command = [str(_emulator()), *addresses, "--log-level", "error", str(PROGRAMS / "python3"), "-m", "awslambdaric"]
    with (
        log.open("ab") as output,
        subprocess.Popen(  # noqa: S603 - the pinned emulator
            [*command, function.handler],
            cwd=function.code,
            env=function.variables(),
            stdout=output,
            stderr=output,
            start_new_session=True,
        ) as process,
    ):
        try:
            _await(port, process)
            yield Sandbox(function, port)
        finally:
            with suppress(ProcessLookupError):  # the handler's process is the emulator's child
                os.killpg(process.pid, signal.SIGTERM)
            with suppress(subprocess.TimeoutExpired):
                process.wait(_STOP_SECONDS)
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


def _emulator() -> Path:
    machine = platform.machine()
    name = f"aws-lambda-rie-{_ARCHITECTURES.get(machine, machine)}"
    (found,) = (ROOT / ".cache" / "sam" / "lib").glob(f"python3*/site-packages/samcli/local/rapid/{name}")
    return found


def _await(port: int, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        with suppress(ConnectionRefusedError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        time.sleep(0.002)
    raise RuntimeError("the runtime emulator did not start")
