"""Run frameworks' real packages over Cairn's adapters, and hold the adapters' types to them.

    python tools/frameworks.py [WHAT OF tests/frameworks, or pytest's options]

Each environment is made once, of pinned packages, under `.cache/frameworks`; Cairn is this checkout.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from cairn.local.emulator.programs import install

ROOT = Path(__file__).resolve().parent.parent
ADAPTERS, TESTS = Path("layers/core/cairn/frameworks"), Path("tests/frameworks")
ALONE: Final[Mapping[str, frozenset[str]]] = {"pydantic-ai": frozenset({"pydantic_ai"})}
"""The adapters that stand in an environment of their own; all others are in `together`."""
_PYTHONPATH: Final = "pythonpath=tests tools layers layers/model"
OPTIONS: Final = ("-n", "2", "--dist", "worksteal", "-p", "no:cacheprovider", "-o", _PYTHONPATH)
"""Pytest's, without `bench`: a module of it has the name of a framework's package, `agents`."""
ENVIRONMENTS: Final = ("together", *ALONE)


def main() -> int:
    """Type-check the adapters and run their tests in each environment; 1 where something is wrong."""
    asked = [each for each in sys.argv[1:] if each]
    failed = False
    for name in ENVIRONMENTS:
        began = time.monotonic()
        python = install(ROOT, f"frameworks/{name}", sys.executable) / "python"
        installed = time.monotonic()
        failed |= not (_has_right_types(name, python) and _passes(name, python, asked))
        seconds = time.monotonic()
        print(f"{name}: installed in {installed - began:.0f} s, checked and run in {seconds - installed:.0f} s")
    return int(failed)


def adapters(environment: str) -> set[str]:
    """Return the names of the adapters of an environment, which are those of their files."""
    alone = {each for names in ALONE.values() for each in names}
    there = {path.stem for path in (ROOT / ADAPTERS).glob("*.py")} - {"__init__"}
    return there & ALONE[environment] if environment in ALONE else there - alone


def tests(environment: str) -> list[Path]:
    """Return an environment's files of tests: `test_<adapter>.py`, `test_<adapter>_<what>.py`; the rest is together."""
    files = sorted((ROOT / TESTS).glob("test_*.py"))
    alone = {path: name for path in files for name, adapters in ALONE.items() if _adapter(path) in adapters}
    return [path for path in files if alone.get(path, "together") == environment]


def _adapter(test: Path) -> str:
    named = [path.stem for path in (ROOT / ADAPTERS).glob("*.py") if f"{test.stem}_".startswith(f"test_{path.stem}_")]
    return max(named, key=len, default="")


def _has_right_types(environment: str, python: Path) -> bool:
    files = [*(str(ADAPTERS / f"{each}.py") for each in sorted(adapters(environment))), *map(str, tests(environment))]
    if not files:
        return True
    # A configuration of its own: what the project's leaves out, it leaves out even where it is named.
    strict = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["pyright"]
    kept = {name: value for name, value in strict.items() if name not in {"include", "exclude", "venv", "venvPath"}}
    paths = ("layers/core", "functions", *(each for each in strict["extraPaths"] if each != "bench"))
    written = {
        **kept,
        "include": [str(ROOT / each) for each in files],
        "extraPaths": [str(ROOT / each) for each in paths],
    }
    config = python.parent.parent / "pyright.json"
    config.write_text(json.dumps(written), encoding="utf-8")
    checker = Path(sys.executable).parent / "basedpyright"
    return _run([str(checker), "--project", str(config), "--pythonpath", str(python)], {})


def _passes(environment: str, python: Path, asked: Sequence[str]) -> bool:
    files = [str(path.relative_to(ROOT)) for path in tests(environment)]
    chosen = [each for each in asked if each.partition("::")[0] in files]
    options = [each for each in asked if not each.startswith(str(TESTS))]
    wanted = chosen if len(options) < len(asked) else files
    if not wanted:
        return True
    sources = os.pathsep.join(str(ROOT / each) for each in ("layers/core", "functions"))
    environ = {"FRAMEWORKS": environment, "PYTHONPATH": sources, "PYTHONHASHSEED": "0"}
    return _run([str(python), "-m", "pytest", *OPTIONS, *options, *wanted], environ)


def _run(command: Sequence[str], environ: Mapping[str, str]) -> bool:
    return subprocess.run(command, cwd=ROOT, env={**os.environ, **environ}, check=False).returncode == 0  # noqa: S603 - what is installed above


if __name__ == "__main__":
    sys.exit(main())
