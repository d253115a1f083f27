"""Build the template of a checkout, and deploy it unchanged to the emulator."""

from __future__ import annotations

import json
import platform
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from cairn.ground.errors import SettingsError
from cairn.local.emulator.emulator import environment
from cairn.local.emulator.programs import PINS, install, interpreter, run

STACK = "cairn"
_BUILD_SECONDS, _DEPLOY_SECONDS, _KEY_SECONDS = 300, 180, 30
_STORE = {"TABLE": "MemoryTableName", "BUCKET": "MemoryBucketName", "KEY_ID": "MemoryKeyArn"}


@dataclass(frozen=True, slots=True)
class Deployment:
    """Deploys a checkout with the installed SAM CLI and emulator, a build directory and the template's parameters."""

    checkout: Path
    home: Path
    sam: Path
    emulator: Path
    parameters: Mapping[str, str] = field(default_factory=dict[str, str])

    def build(self) -> None:
        """Let SAM CLI build layers and functions."""
        directories = ["--build-dir", str(self.home / "build"), "--cache-dir", str(self.home / "cache"), "--cached"]
        self._sam("build", *directories, *self._overrides(), seconds=_BUILD_SECONDS)

    def deploy(self, endpoint: str) -> dict[str, str]:
        """Deploy what was built, or what changed of it, and return the stack's outputs."""
        template = ["--template-file", str(self.home / "build" / "template.yaml")]
        options = ["--stack-name", STACK, "--resolve-s3", "--capabilities", "CAPABILITY_IAM", *self._overrides()]
        quiet = ["--no-confirm-changeset", "--no-fail-on-empty-changeset", "--no-progressbar"]
        self._sam("deploy", *template, *options, *quiet, seconds=_DEPLOY_SECONDS, endpoint=endpoint)
        asked = ["list", "stack-outputs", "--stack-name", STACK, "--output", "json"]
        listed = self._sam(*asked, seconds=_DEPLOY_SECONDS, endpoint=endpoint)
        return {each["OutputKey"]: each["OutputValue"] for each in json.loads(listed)}

    def _overrides(self) -> list[str]:
        return ["--parameter-overrides", *(f'{name}="{value}"' for name, value in self.parameters.items())]

    def _sam(self, *arguments: str, seconds: float, endpoint: str | None = None) -> str:
        account = environment(self.sam) | ({} if endpoint is None else {"AWS_ENDPOINT_URL": endpoint})
        return run([str(self.sam / "sam"), *arguments], seconds, account, self.checkout)


def prepare(checkout: Path, home: Path, parameters: Mapping[str, str]) -> Deployment:
    """Install SAM CLI and the emulator where they are not yet; SettingsError where the directory is no checkout."""
    needed = (Path("template.yaml"), *(PINS / f"{name}.txt" for name in ("sam", "ministack")))
    if missing := [str(each) for each in needed if not (checkout / each).is_file()]:
        raise SettingsError(f"{missing[0]} is not here: run this in a checkout of Cairn's repository")
    runtime, python = interpreter()
    sam, emulator = (install(checkout, name, python) for name in ("sam", "ministack"))
    own = {
        "Runtime": f"python{runtime}",
        "Architecture": {"aarch64": "arm64"}.get(platform.machine(), platform.machine()),
        "DeletionProtection": "false",
    }
    return Deployment(checkout, home, sam, emulator, own | dict(parameters))


def keys(arguments: list[str], endpoint: str, outputs: Mapping[str, str]) -> str:
    """Run `cairn keys` with these arguments on the deployed store, as its operator would, and return its output."""
    account = environment(Path(sys.executable).parent) | store(outputs) | {"AWS_ENDPOINT_URL": endpoint}
    return run([sys.executable, "-m", "cairn.local", "keys", *arguments], _KEY_SECONDS, account).strip()


def store(outputs: Mapping[str, str]) -> dict[str, str]:
    """Return the settings that name a deployed store."""
    return {f"CAIRN_{name}": outputs[output] for name, output in _STORE.items()}
