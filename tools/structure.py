"""Print how a checkout is laid out: files beside a module, files that a call enters, what an import loads, names.

CHECKOUT is this one unless another is named, which needs its own .venv: its Python runs what is traced and imported.
Processor times are the least of several fresh processes; compare those of one quiet machine only.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeAlias

import source_counts

ROOT = Path(__file__).resolve().parent.parent
DOORS = (
    *("cairn_mcp.door", "cairn_auth.authorizer", "cairn_auth.metadata", "cairn_health.door"),
    *("cairn_jobs.schedule", "cairn_jobs.worker", "cairn_sandbox.door"),
)
_NO_TOOLS = {"__init__", "catalog"}
_SETTINGS = {"settings": {"mcp": {"tools": {"memory": {"enabled": True}}}}}
_LINT = "from importlinter.cli import lint_imports; raise SystemExit(lint_imports(no_cache=True))"
_NEW_KEY = "from cairn.local.cli import main; main()"
_IMPORT = """
import sys, time
module, event = sys.argv[1:]
if module:
    __import__(module)
if event:
    import json
    assert "tenant" in sys.modules[module].handler(json.loads(event), None)["context"]
spent = time.process_time()
own = [each for name, each in sys.modules.items() if name.partition(".")[0].partition("_")[0] == "cairn"]
print(spent * 1000, len(own), sum(hasattr(each, "__path__") for each in own), len(sys.modules))
"""

Cell: TypeAlias = str | float


@dataclass(frozen=True, slots=True)
class Checkout:
    """A checkout with its own .venv, and a directory outside it for what its processes write."""

    root: Path
    scratch: Path

    def run(self, *arguments: str, check: bool = True) -> str:
        """Return what the checkout's Python prints; RuntimeError with its errors where it fails and that is checked."""
        environment = {
            "PATH": os.environ["PATH"],
            "PYTHONHASHSEED": "0",
            "PYTHONPYCACHEPREFIX": str(self.scratch / "bytecode"),
            "CAIRN_DATA": str(self.scratch / "data"),
            "CAIRN_SETTINGS": json.dumps(_SETTINGS),
        }
        command = [str(self.root / ".venv/bin/python"), "-P", *arguments]
        ran = subprocess.run(command, cwd=self.root, env=environment, capture_output=True, text=True, check=False)  # noqa: S603
        if check and ran.returncode:
            raise RuntimeError(ran.stderr)
        return ran.stdout


def main() -> None:
    """Print every table."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("checkout", type=Path, nargs="?", default=ROOT)
    options.add_argument("--rounds", type=int, default=9, help="how many processes import each function")
    told = "seconds that `make test` took; without a number it is run and measured"
    options.add_argument("--make-test", type=float, nargs="?", const=0.0, metavar="SECONDS", help=told)
    given = options.parse_args()
    root = given.checkout.resolve()
    if not (root / ".venv/bin/python").exists():
        options.error(f"{root} has no .venv: run `make lint` there")
    with TemporaryDirectory() as scratch:
        checkout = Checkout(root, Path(scratch))
        for part in (_sources(root), _calls(checkout), _imports(checkout, given.rounds), _contracts(checkout)):
            print(part, end="\n\n", flush=True)
    print(_names(root))
    if given.make_test is not None:
        print(f"\nmake test: {given.make_test or _measured(root):,.0f} s")


def table(title: str, columns: Sequence[str], rows: Iterable[Sequence[Cell]], note: str = "") -> str:
    """Return a table for a terminal: names to the left, numbers to the right."""
    shown = [list(columns), *([f"{cell:,}" if isinstance(cell, int | float) else cell for cell in row] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*shown, strict=True)]
    aligned = [
        "  ".join(cell.rjust(width) if at else cell.ljust(width) for at, (cell, width) in enumerate(line)).rstrip()
        for line in (list(zip(row, widths, strict=True)) for row in shown)
    ]
    return "\n".join([title, *aligned, *([note] if note else [])])


def _sources(root: Path) -> str:
    every = source_counts.sources(root)
    core = [path for path in every if path.is_relative_to(root / "layers")]
    functions = [path for path in every if path not in core]
    columns = ("packages", "files", "folders", "beside a module", "largest", "median lines", "largest")
    rows: list[Sequence[Cell]] = []
    for name, paths in (("layers/core/cairn", core), ("functions", functions), ("both", every)):
        said = source_counts.comments(paths)
        shares = (said.per_hundred(said.for_people), said.per_hundred(said.for_tools))
        rows.append([name, len(paths), *source_counts.files_beside(paths), *source_counts.lines(paths), *shares])
    note = "beside a module: files in its folder, but __init__.py; mean over modules. comments: per 100 lines of code."
    return table("Files", (*columns, "comments", "for linters"), rows, note)


def _calls(checkout: Checkout) -> str:
    program = Path(__file__).with_name("traced_calls.py")
    counts: Mapping[str, Mapping[str, int]] = json.loads(
        checkout.run(str(program), str(checkout.root)).splitlines()[-1]
    )
    columns = next(iter(counts.values()))
    rows = [[name, *each.values()] for name, each in counts.items()]
    note = (
        "A second call of each tool's handler, on the embedded store. before: until the tool's own line runs; moves\n"
        "before are those between files. A move is an entry into another file or folder; returns are not counted."
    )
    return table("Calls", ("call", *columns), rows, note)


def _imports(checkout: Checkout, rounds: int) -> str:
    names = sorted(path.stem for path in (checkout.root / "functions/cairn_tools").glob("*.py"))
    functions = (*(f"cairn_tools.{name}" for name in names if name not in _NO_TOOLS), *DOORS)
    event = _authorized(checkout)
    started = {
        "nothing": ("", ""),
        **{name: (name, "") for name in functions},
        "cairn_auth.authorizer, one request": ("cairn_auth.authorizer", event),
    }
    for each in started.values():
        checkout.run("-c", _IMPORT, *each)  # writes the bytecode
    runs: dict[str, list[list[float]]] = {name: [] for name in started}
    for _ in range(rounds):  # in turns, so that a busy minute of the machine is nobody's alone
        for name, each in started.items():
            runs[name].append([float(number) for number in checkout.run("-c", _IMPORT, *each).splitlines()[-1].split()])
    rows = [[name, *map(int, each[0][1:]), round(min(run[0] for run in each), 1)] for name, each in runs.items()]
    idle = float(rows[0][-1])
    columns = ("function", "our modules", "packages of them", "all modules", "CPU ms", "beyond nothing")
    note = f"CPU ms: of a whole process, the least of {rounds}."
    return table("Imports", columns, [[*row, round(float(row[-1]) - idle, 1)] for row in rows], note)


def _authorized(checkout: Checkout) -> str:
    """Return the authorizer's sample event with an API key that the store knows, as JSON."""
    printed = checkout.run("-c", _NEW_KEY, "keys", "create", "--data", str(checkout.scratch / "data"))
    key = re.search(r"cairn_[0-9a-f]+_\S+", printed)
    if key is None:
        raise RuntimeError("`cairn keys create` prints no key")
    event = json.loads((checkout.root / "events/authorizer.json").read_text(encoding="utf-8"))
    return json.dumps(event | {"headers": event["headers"] | {"authorization": f"Bearer {key[0]}"}})


def _contracts(checkout: Checkout) -> str:
    printed = checkout.run("-c", _LINT, check=False).strip()
    said = re.search(r"Contracts: (\d+ kept, \d+ broken)", printed)
    return f"Import contracts: {said[1] if said else printed.splitlines()[-1]}"


def _names(root: Path) -> str:
    paths = source_counts.sources(root)
    classes, modules = source_counts.repeated_classes(paths, root), source_counts.repeated_modules(paths, root)
    conventional = ", ".join(sorted(source_counts.CONVENTIONAL))
    return "\n".join(
        [
            f"Public classes defined more than once: {len(classes)}",
            *_places(classes),
            "",
            f"Module names used more than once, but for {conventional}: {len(modules)}",
            *_places(modules),
        ]
    )


def _places(repeated: Mapping[str, Sequence[str]]) -> Iterator[str]:
    for name, places in repeated.items():
        yield f"  {name} {len(places)}: {', '.join(places)}"


def _measured(root: Path) -> float:
    """Return the seconds of wall time that the checkout's tests take; CalledProcessError where they fail."""
    begun = time.monotonic()
    subprocess.run(["make", "test"], cwd=root, stdout=sys.stderr, check=True)  # noqa: S607 - the make of the caller
    return time.monotonic() - begun


if __name__ == "__main__":
    main()
