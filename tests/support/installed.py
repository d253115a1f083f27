"""Cairn as an install has it: the built wheel unpacked into a directory, and servers that run."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import zipfile
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_URL = re.compile(r"http://\S+/mcp")


def built(kind: str, directory: Path) -> Path:
    """Build the wheel or the source distribution with what is installed here, and return its file."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", str(directory)]
    environment = {**os.environ, "PIP_NO_INDEX": "1"}
    subprocess.run(command, cwd=ROOT, env=environment, check=True, capture_output=True)  # noqa: S603 - our own build
    (made,) = (each for each in directory.iterdir() if each.suffix in {".whl", ".gz"})
    return made


def unpacked(wheel: Path, directory: Path) -> Path:
    """Return the directory into which a wheel was unpacked, as an installer would."""
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(directory)
    return directory


@dataclass(frozen=True, slots=True)
class Started:
    """A running `cairn serve`: the origin that it answers at, what it said, and where its standard error goes."""

    origin: str
    said: str
    log: Path

    @property
    def warned(self) -> str:
        """Return what it has written to standard error: all that it says at its start, once it answered something."""
        return self.log.read_text(encoding="utf-8")


def environment(home: Path, **more: str) -> dict[str, str]:
    """Return the environment of somebody whose home is this directory."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
    return {**kept, "HOME": str(home), **more}


@contextmanager
def served(home: Path, told: Mapping[str, str], *options: str) -> Generator[Started]:
    """Run `cairn serve` on a free port as somebody with this home would, outside any checkout."""
    command = [sys.executable, "-m", "cairn.local", "serve", "--port", "0", *options]
    log = home / "serve.log"
    with (
        log.open("w") as errors,
        subprocess.Popen(command, cwd=home, env=dict(told), stdout=subprocess.PIPE, stderr=errors, text=True) as server,  # noqa: S603 - our own
    ):
        said = ""
        try:
            for line in server.stdout or ():
                said += line
                if line.startswith("Stop with"):
                    break
            if (match := _URL.search(said)) is None:
                raise AssertionError(log.read_text(encoding="utf-8"))
            yield Started(match[0].removesuffix("/mcp"), said, log)
        finally:
            server.terminate()
