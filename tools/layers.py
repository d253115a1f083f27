"""Build the layers for each processor that Lambda has, wherever this runs, and hold them to processor and size.

What SAM CLI would run is run here, from the pins with their hashes: a dependency that has no wheel for a processor, or
one that holds machine code for another, fails it.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

from build_core import MACHINES, foreign
from cairn.local.emulator.programs import interpreter, run

ROOT = Path(__file__).resolve().parent.parent
MOST_BYTES = 150_000_000
"""What the layers of a function may take, unpacked."""
_LAYERS = {"CoreLayer": ROOT / "layers", "ModelLayer": ROOT / "layers" / "model"}
_SECONDS = 600


def main() -> int:
    """Print the megabytes of each layer; 1 where one is for another processor or all of them are too large."""
    runtime, python = interpreter()
    failed = False
    for architecture in MACHINES:
        with tempfile.TemporaryDirectory() as scratch:
            sizes = {name: build(name, f"python{runtime}-{architecture}", python, Path(scratch)) for name in _LAYERS}
            others = list(foreign(Path(scratch), architecture))
        told = ", ".join(f"{name} {size / 1e6:.1f} MB" for name, size in sizes.items())
        print(f"{architecture}: {told}, {sum(sizes.values()) / 1e6:.1f} MB in all", *others)
        failed = failed or bool(others) or sum(sizes.values()) > MOST_BYTES
    return int(failed)


def build(name: str, target: str, python: str, scratch: Path) -> int:
    """Build a layer as SAM CLI does, on a copy of its directory; return its bytes."""
    copy, built = scratch / "source" / name, scratch / "built" / name
    shutil.copytree(_LAYERS[name], copy)
    makefile = ROOT / "layers" / "targets" / target / "Makefile"
    command = ["make", "--silent", "--makefile", str(makefile), f"build-{name}"]
    run([*command, f"ARTIFACTS_DIR={built}", f"PYTHON={python}"], _SECONDS, cwd=copy)
    shutil.rmtree(copy)
    return sum(each.stat().st_size for each in built.rglob("*") if each.is_file())


if __name__ == "__main__":
    sys.exit(main())
