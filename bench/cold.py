"""What a cold start costs, under Lambda's own runtime: each function beside a bare boto3 handler, taken in turns.

`make runtime` names the functions. Milliseconds depend on the machine, ratios to the bare handler much less: it makes
one DynamoDB client from the SDK that comes with its runtime, as Lambda's images have it, and reads one item.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import time
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from lambda_runtime import PROGRAMS, Function, running
from sample_events import samples

WARM_CALLS = 5
_BARE = Path(__file__).parent / "bare"
_LOG = Path(os.devnull)
_MEASURE = "import sys, time; start = time.process_time(); __import__(sys.argv[1]); print(time.process_time() - start)"


@dataclass
class Times:
    """What was measured of one function, in milliseconds; `ready` is the answer to an event that asks for nothing."""

    function: Function
    imports: list[float] = field(default_factory=list[float])
    ready: list[float] = field(default_factory=list[float])
    first: list[float] = field(default_factory=list[float])
    warm: list[float] = field(default_factory=list[float])

    def row(self, bare: Times) -> dict[str, Any]:
        """Return the medians, the ratio to the bare handler and the size of what is unpacked."""
        shown = {name: round(median(getattr(self, name)), 1) for name in ("imports", "ready", "first", "warm")}
        ratio = median(mine / theirs for mine, theirs in zip(self.first, bare.first, strict=True))
        return {"function": self.function.name, **shown, "ratio": round(ratio, 2)}


def main() -> None:
    """Print a table and, last, one JSON object."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--json", action="store_true", help="print the JSON object only")
    options.add_argument("--rounds", type=int, default=10, help="how often each function is started")
    given = options.parse_args()
    functions = [Function(**each) for each in json.loads(os.environ["RUNTIME_FUNCTIONS"])]
    bare = Function(name="bare", handler="handler.handler", code=str(_BARE), environment=_environment(functions))
    measured = [Times(each) for each in (bare, *functions)]
    for _ in range(given.rounds):
        for times in measured:
            _start(times)
    rows = [times.row(measured[0]) for times in measured]
    sizes = _sizes(functions)
    if not given.json:
        _print(rows, sizes)
    print(json.dumps({"bench": "cold", "rounds": given.rounds, "rows": rows, "sizes": sizes}))


def _environment(functions: Sequence[Function]) -> Mapping[str, str]:
    return next(each.environment for each in functions if "CAIRN_TABLE" in each.environment)


def _start(times: Times) -> None:
    function = times.function
    event = {"bare": {"read": 1}} if function.name == "bare" else samples(function, os.environ["RUNTIME_KEY"])
    event = next(iter(event.values()))
    times.imports.append(_import_milliseconds(function))
    started = time.perf_counter()
    with running(function, _LOG) as sandbox:
        sandbox.invoke({})
        times.ready.append(_since(started))
        sandbox.invoke(event)
        times.first.append(_since(started))
        for _ in range(WARM_CALLS):
            called = time.perf_counter()
            sandbox.invoke(event)
            times.warm.append(_since(called))


def _import_milliseconds(function: Function) -> float:
    command = [str(PROGRAMS / "python3"), "-c", _MEASURE, function.handler.rpartition(".")[0]]
    environment = function.variables()
    printed = subprocess.run(command, env=environment, capture_output=True, text=True, check=True, timeout=60).stdout  # noqa: S603
    return float(printed) * 1000


def _since(started: float) -> float:
    return (time.perf_counter() - started) * 1000


def _sizes(functions: Sequence[Function]) -> dict[str, dict[str, float]]:
    """Return the megabytes of code and layers, as unpacked and as zipped."""
    found = {Path(each).name: Path(each) for function in functions for each in (function.code, function.layers) if each}
    return {name: _megabytes(path) for name, path in found.items()}


def _megabytes(directory: Path) -> dict[str, float]:
    contents = [path.read_bytes() for path in directory.rglob("*") if path.is_file()]
    unpacked, zipped = sum(map(len, contents)), sum(len(zlib.compress(each)) for each in contents)
    return {"unpacked_mb": round(unpacked / 1e6, 2), "zipped_mb": round(zipped / 1e6, 2)}


def _print(rows: list[dict[str, Any]], sizes: dict[str, dict[str, float]]) -> None:
    print(f"{'function':34} {'import ms':>9} {'ready ms':>9} {'first ms':>9} {'warm ms':>8} {'to bare':>8}")
    for row in rows:
        times = f"{row['imports']:>9} {row['ready']:>9} {row['first']:>9} {row['warm']:>8}"
        print(f"{row['function']:34} {times} {row['ratio']:>8}")
    for name, size in sizes.items():
        print(f"{name:34} {size['unpacked_mb']} MB, zipped {size['zipped_mb']} MB")


if __name__ == "__main__":
    main()
