"""Build the template, deploy it unchanged to an AWS emulator on this machine, call it through its API, take it down.

SAM CLI and the emulator go to `.cache/`, each into a virtual environment of its own, in exact and hashed versions. The
emulator listens on 127.0.0.1 alone, checks every role's permissions, and no call can reach an AWS account: credentials
and endpoint are the emulator's.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

ROOT = Path(__file__).resolve().parent.parent
CACHE = ROOT / ".cache" / "stack"
BUILT = CACHE / "build"
PINS = ROOT / "tools" / "emulator"
SUITE = ROOT / "tests" / "stack"
STACK = "cairn"
RUNTIMES = ("3.13", "3.12", "3.11")
TENANTS = ("acme", "globex")
_BUILD_SECONDS, _DEPLOY_SECONDS, _START_SECONDS, _STOP_SECONDS, _SUITE_SECONDS = 180, 180, 30, 15, 180
_ACCOUNT = {
    "AWS_ACCESS_KEY_ID": "test",
    "AWS_SECRET_ACCESS_KEY": "test",
    "AWS_DEFAULT_REGION": "us-east-1",
    "AWS_CONFIG_FILE": os.devnull,
    "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
}


def main() -> int:
    """Run all of it; 0 where every call was answered as expected."""
    CACHE.mkdir(parents=True, exist_ok=True)
    runtime, python = interpreter()
    sam, emulator = (install(name, python) for name in ("sam", "ministack"))
    parameters = {
        "Runtime": f"python{runtime}",
        "Architecture": {"aarch64": "arm64"}.get(platform.machine(), platform.machine()),
        "DeletionProtection": "false",
    }
    overrides = ["--parameter-overrides", *(f"{name}={value}" for name, value in parameters.items())]
    with step("build"):
        build(sam, overrides)
    with emulated(emulator) as endpoint:
        with step("deploy"):
            outputs = deploy(sam, overrides, endpoint)
        with step("keys"):
            keys = {tenant: issue_key(tenant, endpoint, outputs) for tenant in TENANTS}
        with step("suite"):
            return check(endpoint, outputs, keys)


def interpreter() -> tuple[str, str]:
    """Return the newest Python that Lambda has too, as its version and its path."""
    for version in RUNTIMES:
        versions = sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python{version}"))
        for path in [shutil.which(f"python{version}"), *map(str, versions), sys.executable]:
            if path and _version(path) == version:
                return version, path
    sys.exit(f"make stack needs one of Python {', '.join(RUNTIMES)}")


def install(name: str, python: str) -> Path:
    """Put the pinned packages of `tools/emulator/<name>.txt` into a virtual environment, once; return its programs."""
    pins, home = PINS / f"{name}.txt", ROOT / ".cache" / name
    done = home / "installed.txt"
    if not (done.is_file() and done.read_bytes() == pins.read_bytes()):
        shutil.rmtree(home, ignore_errors=True)
        run([python, "-m", "venv", str(home)], _BUILD_SECONDS)
        pip = [str(home / "bin" / "pip"), "install", "--quiet", "--disable-pip-version-check", "--require-hashes"]
        run([*pip, "--requirement", str(pins)], 2 * _BUILD_SECONDS)
        shutil.copyfile(pins, done)
    return home / "bin"


def build(sam: Path, overrides: Sequence[str]) -> None:
    """Let SAM CLI build layers and functions."""
    directories = ["--build-dir", str(BUILT), "--cache-dir", str(CACHE / "cache"), "--cached"]
    run([str(sam / "sam"), "build", *directories, *overrides], _BUILD_SECONDS, _environment(sam))


@contextmanager
def emulated(programs: Path) -> Generator[str]:
    """Run the emulator on a free port of this machine and yield its address; stop it and its workers by process id."""
    port = free_port()
    endpoint, environment = f"http://127.0.0.1:{port}", _environment(programs)
    environment |= {"GATEWAY_PORT": str(port), "BIND_HOST": "127.0.0.1", "MINISTACK_HOST": "localhost"}
    environment |= {"SFTP_ENABLED": "0", "IOT_MTLS_ENABLED": "0", "AUTH": "true"}
    with (
        (CACHE / "emulator.log").open("w") as log,
        subprocess.Popen(  # noqa: S603 - the pinned emulator
            [str(programs / "ministack")], cwd=CACHE, env=environment, stdout=log, stderr=log, start_new_session=True
        ) as process,
    ):
        try:
            _await(f"{endpoint}/_ministack/health", process)
            yield endpoint
        finally:
            process.terminate()
            with suppress(subprocess.TimeoutExpired):
                process.wait(_STOP_SECONDS)
            with suppress(ProcessLookupError):  # where it took its workers along
                os.killpg(process.pid, signal.SIGKILL)


def deploy(sam: Path, overrides: Sequence[str], endpoint: str) -> dict[str, str]:
    """Deploy what was built and return the stack's outputs."""
    environment = {**_environment(sam), "AWS_ENDPOINT_URL": endpoint}
    common = ["--stack-name", STACK]
    options = ["--template-file", str(BUILT / "template.yaml"), "--resolve-s3", "--capabilities", "CAPABILITY_IAM"]
    quiet = ["--no-confirm-changeset", "--no-progressbar"]
    run([str(sam / "sam"), "deploy", *common, *options, *quiet, *overrides], _DEPLOY_SECONDS, environment)
    listed = run([str(sam / "sam"), "list", "stack-outputs", *common, "--output", "json"], _DEPLOY_SECONDS, environment)
    return {each["OutputKey"]: each["OutputValue"] for each in json.loads(listed)}


def issue_key(tenant: str, endpoint: str, outputs: Mapping[str, str]) -> str:
    """Make an API key for the tenant in the deployed store, as its operator would."""
    store = {"TABLE": "MemoryTableName", "BUCKET": "MemoryBucketName", "KEY_ID": "MemoryKeyArn"}
    environment = _environment(Path(sys.executable).parent) | {"AWS_ENDPOINT_URL": endpoint}
    environment |= {f"CAIRN_{name}": outputs[output] for name, output in store.items()}
    made = run([sys.executable, "-m", "cairn.local", "keys", "create", "--tenant", tenant], _START_SECONDS, environment)
    return made.split()[0]


def check(endpoint: str, outputs: Mapping[str, str], keys: Mapping[str, str]) -> int:
    """Run tests/stack against the deployed stack."""
    told = {"STACK_NAME": STACK, "STACK_ENDPOINT": endpoint, "STACK_OUTPUTS": json.dumps(outputs)}
    told |= {"STACK_KEYS": json.dumps(keys)}
    pytest = [sys.executable, "-m", "pytest", str(SUITE), "-p", "no:cacheprovider", "--durations", "5"]
    environment = {**os.environ, **_ACCOUNT, **told, "AWS_ENDPOINT_URL": endpoint}
    return subprocess.run(pytest, cwd=ROOT, env=environment, timeout=_SUITE_SECONDS, check=False).returncode  # noqa: S603


def run(command: Sequence[str], seconds: float, environment: Mapping[str, str] | None = None) -> str:
    """Run a program to its end and return its output; exit with its last words where it fails."""
    done = subprocess.run(  # noqa: S603 - programs of the environments above
        command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=seconds, check=False
    )
    if done.returncode != 0:
        sys.exit(f"{Path(command[0]).name} {command[1]} failed:\n{done.stdout[-4000:]}\n{done.stderr[-2000:]}")
    return done.stdout


def free_port() -> int:
    """Return a port of 127.0.0.1 that nothing listens on."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


@contextmanager
def step(name: str) -> Generator[None]:
    """Print how long a step took."""
    started = time.monotonic()
    yield
    print(f"{name}: {time.monotonic() - started:.0f} s", flush=True)


def _environment(programs: Path) -> dict[str, str]:
    inherited = {
        name: value for name, value in os.environ.items() if not name.startswith(("AWS_", "CAIRN_", "LUMERA_"))
    }
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    return {**inherited, **_ACCOUNT, "PATH": path, "SAM_CLI_TELEMETRY": "0"}


def _version(path: str) -> str:
    asked = [path, "-c", "import sys; print(*sys.version_info[:2], sep='.')"]
    return subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip()  # noqa: S603


def _await(url: str, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with urlopen(url, timeout=1):  # noqa: S310 - the emulator's own address
                return
        except (URLError, TimeoutError):
            time.sleep(0.1)
    sys.exit(f"the emulator did not start: see {CACHE / 'emulator.log'}")


if __name__ == "__main__":
    sys.exit(main())
