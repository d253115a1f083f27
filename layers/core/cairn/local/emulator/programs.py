"""Install the third-party programs that a checkout pins, each in its own virtual environment under `.cache/`."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from cairn.ground.errors import SettingsError

RUNTIMES = ("3.13", "3.12", "3.11")
"""The Pythons that Lambda has and Cairn runs on, the newest first."""
PINS = Path("tools") / "programs"
_INSTALL_SECONDS = 360
_SHOWN = 4000


def interpreter() -> tuple[str, str]:
    """Return the newest Python that Lambda has too, as its version and its path; SettingsError where there is none."""
    for version in RUNTIMES:
        versions = sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python{version}"))
        for path in [shutil.which(f"python{version}"), *map(str, versions), sys.executable]:
            if path and _version(path) == version:
                return version, path
    raise SettingsError(f"one of Python {', '.join(RUNTIMES)} is needed, since Lambda has no other")


def install(checkout: Path, name: str, python: str) -> Path:
    """Put the packages that `<name>.txt` pins into a virtual environment, once; return where its programs are."""
    pins, home = checkout / PINS / f"{name}.txt", checkout / ".cache" / name
    done = home / "installed.txt"
    if not (done.is_file() and done.read_bytes() == pins.read_bytes()):
        shutil.rmtree(home, ignore_errors=True)
        run([python, "-m", "venv", str(home)], _INSTALL_SECONDS)
        pip = [str(home / "bin" / "pip"), "install", "--quiet", "--disable-pip-version-check", "--require-hashes"]
        run([*pip, "--requirement", str(pins)], _INSTALL_SECONDS)
        shutil.copyfile(pins, done)
    return home / "bin"


def run(
    command: Sequence[str], seconds: float, environment: Mapping[str, str] | None = None, cwd: Path | None = None
) -> str:
    """Run a program to its end and return its output; ClickException with its last words where it fails."""
    name = f"{Path(command[0]).name} {command[1]}"
    try:
        done = subprocess.run(  # noqa: S603 - the programs that the functions above install
            command, cwd=cwd, env=environment, capture_output=True, text=True, timeout=seconds, check=False
        )
    except subprocess.TimeoutExpired:
        raise click.ClickException(f"{name} took more than {seconds:.0f} s") from None
    if done.returncode != 0:
        raise click.ClickException(f"{name} failed:\n{done.stdout[-_SHOWN:]}\n{done.stderr[-_SHOWN:]}")
    return done.stdout


def _version(path: str) -> str:
    asked = [path, "-c", "import sys; print(*sys.version_info[:2], sep='.')"]
    return subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip()  # noqa: S603 - a Python
