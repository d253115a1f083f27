"""Build the layer of Cairn and its dependencies for one processor, trimmed, with bytecode.

Lambda cannot keep the bytecode it makes, so that without it every cold start compiles each module anew: more than half
of its time. What no function uses is left out, since a layer is fetched before the first call. SAM CLI tells the
processor by the makefile that it takes, one of those in targets.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from gzip import decompress
from pathlib import Path
from typing import Any, cast

LAYERS = Path(__file__).resolve().parent
MACHINES = {"x86_64": 62, "arm64": 183}
"""The number of each processor in the header of an ELF file."""
_PROCESSORS = {"x86_64": "x86_64", "arm64": "aarch64"}
_OLDEST_GLIBC, _GLIBC = 17, {"3.11": 26}
_NEWEST_GLIBC = 34
_UNUSED = (
    *("**/*.pyi", "**/*.pxd", "bin", "cffi", "pycparser", "pydantic/v1", "yaml/_yaml*.so"),
    *("numpy/**/tests", "numpy/**/*_tests*.so", "numpy/**/*.a", "numpy/_core/include", "numpy/_core/_simd*.so"),
    *(f"numpy/{name}" for name in ("f2py", "random", "testing")),
    *(f"aws_lambda_powertools/{name}" for name in ("event_handler", "utilities/idempotency", "utilities/parser")),
)
_OF_ONE_MACHINE = ("client", "frameworks", "local")
"""What no function imports: of the dependencies as patterns of paths, of Cairn by name."""
_CLIENT = re.compile(r'client\(\s*"([a-z0-9-]+)"')
_ELF = b"\x7fELF"


def main() -> None:
    """Build the layer for the processor into the directory that are named."""
    architecture, target = sys.argv[1], Path(sys.argv[2])
    install(target, architecture)
    trim(target / "botocore" / "data", services(LAYERS / "core" / "cairn" / "aws"))
    remove(target, _UNUSED)
    compile_alone(target)
    shutil.copytree(LAYERS / "core" / "cairn", target / "cairn", ignore=shutil.ignore_patterns(*_OF_ONE_MACHINE))
    compiled(target)
    if others := list(foreign(target, architecture)):
        sys.exit(f"{others[0]} is not for {architecture}")


def install(target: Path, architecture: str) -> None:
    """Install the pinned dependencies as Lambda needs them, for this Python and the processor."""
    newest = _GLIBC.get(".".join(map(str, sys.version_info[:2])), _NEWEST_GLIBC)
    systems = ("2014", *(f"_2_{minor}" for minor in range(_OLDEST_GLIBC, newest + 1)))
    where = [f"--platform=manylinux{system}_{_PROCESSORS[architecture]}" for system in systems]
    pip = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "--no-compile",
        "--no-deps",
    ]
    pins = ["--only-binary", ":all:", "--require-hashes", "--requirement", str(LAYERS / "deps" / "requirements.txt")]
    subprocess.run([*pip, *pins, *where, "--target", str(target)], check=True)  # noqa: S603 - pip, on our own pins


def services(adapters: Path) -> set[str]:
    """Return the AWS services that these modules make clients of."""
    found = {name for path in adapters.glob("*.py") for name in _CLIENT.findall(path.read_text(encoding="utf-8"))}
    if not found:
        raise ValueError(f"{adapters} makes no client that this script can see")
    return found


def trim(data: Path, kept: set[str]) -> None:
    """Leave the SDK's descriptions of these services only; it lists every folder, and reads every endpoint and word."""
    for folder in data.iterdir():
        if folder.is_dir() and folder.name not in kept:
            shutil.rmtree(folder)
    for packed in list(data.glob("*/*/service-2.json.gz")):
        packed.with_suffix("").write_text(_compact(wordless(json.loads(decompress(packed.read_bytes())))), "utf-8")
        packed.unlink()
    endpoints = json.loads((data / "endpoints.json").read_text(encoding="utf-8"))
    for partition in endpoints["partitions"]:
        partition["services"] = {name: each for name, each in partition["services"].items() if name in kept}
    (data / "endpoints.json").write_text(_compact(endpoints), encoding="utf-8")


def wordless(described: Any) -> Any:
    """Return what describes a service with its documentation empty, which a client parses and never shows."""
    if isinstance(described, list):
        return [wordless(each) for each in cast("list[Any]", described)]
    if not isinstance(described, dict):
        return described
    fields = cast("dict[str, Any]", described)
    is_text = {name: name == "documentation" and isinstance(each, str) for name, each in fields.items()}
    return {name: "" if is_text[name] else wordless(each) for name, each in fields.items()}


def remove(target: Path, unused: tuple[str, ...]) -> None:
    """Remove what matches a pattern."""
    for pattern in unused:
        for path in list(target.glob(pattern)):
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)


def compile_alone(target: Path) -> None:
    """Put bytecode in the place of every module, a tenth of the layer: nobody reads dependencies there."""
    compiled(target, "-b")
    for source in list(target.rglob("*.py")):
        source.unlink()


def compiled(target: Path, *options: str) -> None:
    """Compile for this Python: bound to no timestamp, since packaging changes those, and to no path of this machine."""
    compiler = ["-m", "compileall", "-qq", "--invalidation-mode", "unchecked-hash", *options]
    paths = ["-s", str(target), "-p", "/opt/python", str(target)]
    subprocess.run([sys.executable, *compiler, *paths], check=True)  # noqa: S603 - our own files


def foreign(target: Path, architecture: str) -> Iterator[Path]:
    """Yield the libraries that are for another processor."""
    for path in sorted(target.rglob("*.so*")):
        header = path.read_bytes()[:20]
        if header[:4] != _ELF or int.from_bytes(header[18:20], "little") != MACHINES[architecture]:
            yield path.relative_to(target)


def _compact(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))


if __name__ == "__main__":
    main()
