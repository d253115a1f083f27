"""Build the embedding model for an install that came without one."""

from __future__ import annotations

import fcntl
import re
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

import click

import cairn
from cairn.local.embedding_model import is_whole
from cairn.models.embedders import LAYERED

_STEP = re.compile(r"(\d+)/(\d+) (.+)")
_LAST_WORDS = 3


def build(target: Path, tell: Callable[[int, int, str], None]) -> None:
    """Build the model into a directory, unless it is there; one at a time. ClickException where that fails.

    `tell` gets the number of each step that begins, how many there are, and what it does.
    """
    try:
        target.mkdir(parents=True, exist_ok=True)
        with _alone(target):
            if not is_whole(target):
                _run(target, tell)
    except OSError as error:
        raise click.ClickException(f"the embedding model cannot be put into {target}: {error.strerror}") from None


def _run(target: Path, tell: Callable[[int, int, str], None]) -> None:
    command = [sys.executable, str(recipe() / "build_apart.py"), str(target)]
    last_words: deque[str] = deque(maxlen=_LAST_WORDS)
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:  # noqa: S603 - our own program
        for line in process.stdout or ():
            if step := _STEP.fullmatch(line.strip()):
                tell(int(step[1]), int(step[2]), step[3])
            elif line.strip():
                last_words.append(line.strip())
    if process.returncode or not is_whole(target):
        raise click.ClickException("the embedding model was not built: " + " / ".join(last_words))


def recipe() -> Path:
    """Return where the programs are that build a model: beside the package in an install, in layers of a checkout."""
    package = Path(cairn.__file__).parent
    places = (package.parent / LAYERED, package.parents[1] / "model")
    found = next((each for each in places if (each / "build_apart.py").is_file()), None)
    if found is None:
        raise click.ClickException(f"what builds the embedding model is not in {places[0]}: install Cairn again")
    return found


@contextmanager
def _alone(target: Path) -> Generator[None]:
    with (target / ".lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
