"""Build the layer of all that is Python: Cairn and its dependencies, trimmed, with bytecode.

Lambda cannot keep the bytecode it makes, so that without it every cold start compiles each module anew: more than half
of its time. Bytecode fits every processor, machine code does not; that is in the layer beside this one, which SAM CLI
builds for the function's architecture. In Lambda both become one directory, /opt/python.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

LAYERS = Path(__file__).resolve().parent
_VERSIONS = ("3.13", "3.12", "3.11")
_OWN_VERSION = ".".join(map(str, sys.version_info[:2]))
_UNUSED = ("numpy/**/tests", "numpy/f2py")
_CLIENT = re.compile(r'client\(\s*"([a-z0-9-]+)"')


def main() -> None:
    """Build the layer into the directory that is named."""
    target = Path(sys.argv[1])
    install(target)
    shutil.copytree(LAYERS / "core" / "cairn", target / "cairn")
    for library in target.rglob("*.so"):
        library.unlink()
    trim(target / "botocore" / "data", services(target / "cairn" / "aws"))
    for name in _UNUSED:
        for folder in list(target.glob(name)):
            shutil.rmtree(folder)
    compile_all(target)


def install(target: Path) -> None:
    """Install the pinned dependencies; those with machine code leave only their Python here."""
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-compile"]
    pins = LAYERS / "deps" / "requirements.txt"
    options = ["--only-binary", ":all:", "--require-hashes", "--requirement", str(pins)]
    subprocess.run([*pip, *options, "--target", str(target)], check=True)  # noqa: S603 - pip, on our own pins


def services(adapters: Path) -> set[str]:
    """Return the AWS services that these modules make clients of."""
    found = {name for path in adapters.glob("*.py") for name in _CLIENT.findall(path.read_text(encoding="utf-8"))}
    if not found:
        raise ValueError(f"{adapters} makes no client that this script can see")
    return found


def trim(data: Path, kept: set[str]) -> None:
    """Leave the SDK's descriptions of these services only; it lists every folder and reads every endpoint otherwise."""
    for folder in data.iterdir():
        if folder.is_dir() and folder.name not in kept:
            shutil.rmtree(folder)
    endpoints = json.loads((data / "endpoints.json").read_text(encoding="utf-8"))
    for partition in endpoints["partitions"]:
        partition["services"] = {name: each for name, each in partition["services"].items() if name in kept}
    (data / "endpoints.json").write_text(json.dumps(endpoints, separators=(",", ":")), encoding="utf-8")


def compile_all(target: Path) -> None:
    """Add bytecode for each Python that Lambda may run this with and this machine has.

    It is bound to no timestamp, since packaging changes those, and to no path of this machine. A dependency that has a
    version of its own for each Python is here in that of this process, and others need not understand it.
    """
    compiler = ["-m", "compileall", "-qq", "--invalidation-mode", "unchecked-hash"]
    paths = ["-s", str(target), "-p", "/opt/python", str(target)]
    for version in _VERSIONS:
        python = shutil.which(f"python{version}")
        if python and subprocess.run([python, "-c", ""], capture_output=True, check=False).returncode == 0:  # noqa: S603
            subprocess.run([python, *compiler, *paths], check=version == _OWN_VERSION)  # noqa: S603 - our own files


if __name__ == "__main__":
    main()
