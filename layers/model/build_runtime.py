"""Build the part of the layer that runs the model: onnxruntime, without what converts, trains or tests models."""

from __future__ import annotations

import compileall
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from py_compile import PycInvalidationMode

_PROCESSORS = {"x86_64": "x86_64", "arm64": "aarch64"}
_PACKAGE = "onnxruntime"
# The shared library is for programs that are not Python; what Python loads holds all of it once more.
_UNUSED = ("backend", "datasets", "quantization", "tools", "transformers", "libonnxruntime.so*")


def main() -> None:
    """Build for the processor into the directory that are named."""
    architecture, target = sys.argv[1], Path(sys.argv[2])
    with tempfile.TemporaryDirectory() as scratch:
        install(_PROCESSORS[architecture], scratch)
        unused = shutil.ignore_patterns(*_UNUSED)
        shutil.copytree(Path(scratch) / _PACKAGE, target / _PACKAGE, ignore=unused)
    unchecked = PycInvalidationMode.UNCHECKED_HASH  # for the reasons that build_core.py gives
    compileall.compile_dir(target, quiet=1, stripdir=target, prependdir="/opt/python", invalidation_mode=unchecked)


def install(processor: str, directory: str) -> None:
    """Install the pinned package as Lambda needs it on a processor."""
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-compile"]
    where = ["--platform", f"manylinux_2_28_{processor}", "--only-binary", ":all:", "--no-deps", "--target", directory]
    pins = ["--require-hashes", "--requirement", str(Path(__file__).with_name("runtime.txt"))]
    subprocess.run([*pip, *where, *pins], check=True)  # noqa: S603 - pip, on our own pins


if __name__ == "__main__":
    main()
