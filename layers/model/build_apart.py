"""Build the embedding model with tools of its own: pinned, in a virtual environment that is gone afterwards.

So nothing that only the building needs is installed beside Cairn, and other versions than the reviewed ones cannot
change what comes out. Needs the standard library alone, since it also runs where a wheel is built. The index is that
of the person's pip, or of their uv.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from reviewed import is_whole

RECIPE = Path(__file__).resolve().parent
STEPS = ("making an environment", "fetching the tools, about 60 MB", "fetching the weights, 84 MB, and building")
"""What is printed, numbered, a line each, as each step begins."""
_SECONDS = 900
_INDEXES = ("UV_DEFAULT_INDEX", "UV_INDEX_URL")


def main() -> None:
    """Write model and vocabulary into the directory that is named, unless they are there; the model last."""
    target = Path(sys.argv[1])
    if is_whole(target):
        return
    try:
        with tempfile.TemporaryDirectory(prefix="cairn-model-") as scratch:
            for number, command in enumerate(commands(Path(scratch), target)):
                print(f"{number + 1}/{len(STEPS)} {STEPS[number]}", flush=True)  # noqa: T201 - whoever started this reads
                subprocess.run(command, check=True, timeout=_SECONDS, env=environment(os.environ))  # noqa: S603 - our own
    except (OSError, subprocess.SubprocessError) as error:
        sys.exit(f"the embedding model could not be built: {type(error).__name__}")


def commands(scratch: Path, target: Path) -> tuple[Sequence[str], ...]:
    """Return the command of each step."""
    python = str(scratch / "bin" / "python")
    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--only-binary", ":all:"]
    return (
        [sys.executable, "-m", "venv", str(scratch)],
        [*pip, "--require-hashes", "--requirement", str(RECIPE / "requirements.txt")],
        [python, str(RECIPE / "build_model.py"), str(target)],
    )


def environment(inherited: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of the steps: pip is told of uv's index where it has none of its own."""
    own = {name: value for name, value in inherited.items() if name not in {"PYTHONPATH", "PYTHONHOME"}}
    index = next((own[name] for name in _INDEXES if own.get(name)), None)
    return {"PIP_INDEX_URL": index, **own} if index else own


if __name__ == "__main__":
    main()
