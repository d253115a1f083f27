"""What a cold start costs, under Lambda's own runtime: each function beside two others, taken in turns.

`bare` is the least that a Lambda over DynamoDB does, with one client and the SDK that comes with its runtime, as
Lambda's images have it. `clients_alone` makes the clients of DynamoDB, KMS and S3 when it is asked, as whatever seals
contents has to: first answers are compared with its. `mcp-sdk` is the same item read by a tool of the official MCP SDK
behind an ASGI adapter. Milliseconds depend on the machine, ratios to the bare handlers much less. Without functions in
the environment, as `make runtime` names them, they are built and deployed to the emulator first.
"""

from __future__ import annotations

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

from cairn.local.emulator.programs import install, interpreter
from lambda_runtime import PROGRAMS, ROOT, Function, running
from report import Cell, Table, options, publish
from runtime import standing
from sample_events import EVENTS, samples

WARM_CALLS = 5
BARE, CLIENTS, SDK = "bare", "clients_alone", "mcp-sdk"
_HERE = Path(__file__).parent
_INSTALLER = "pip"
_LOG = Path(os.devnull)
_MEASURE = (
    "import sys, time; start = time.process_time(); before = len(sys.modules); __import__(sys.argv[1]);"
    " print(time.process_time() - start, len(sys.modules) - before)"
)
_COLUMNS = (
    *("function", "import CPU ms", "to bare", "modules", "init ms", "to bare", "first ms", "to clients", "warm ms"),
)
_NOTE = "init: from the start of the process to the answer to an event that asks for nothing. first: to a real answer."


@dataclass
class Times:
    """What was measured of one function, in milliseconds; `ready` is the answer to an event that asks for nothing."""

    function: Function
    imports: list[float] = field(default_factory=list[float])
    ready: list[float] = field(default_factory=list[float])
    first: list[float] = field(default_factory=list[float])
    warm: list[float] = field(default_factory=list[float])
    modules: int = 0

    def row(self, bare: Times, clients: Times) -> list[Cell]:
        """Return the medians, and the ratios to the bare handlers of the same rounds."""
        imports, ready, first, warm = (round(median(each), 1) for each in self._times())
        return [
            self.function.name,
            imports,
            _ratio(self.imports, bare.imports),
            self.modules,
            ready,
            _ratio(self.ready, bare.ready),
            first,
            _ratio(self.first, clients.first),
            warm,
        ]

    def _times(self) -> tuple[list[float], ...]:
        return self.imports, self.ready, self.first, self.warm


def main() -> None:
    """Print what starting takes, and what it takes up."""
    parser = options(__doc__)
    parser.add_argument("--rounds", type=int, default=5, help="how often each function is started")
    parser.add_argument("--functions", nargs="+", default=[""], help="parts of the names of those to start")
    given = parser.parse_args()
    if "RUNTIME_FUNCTIONS" in os.environ:
        tables = _measured(given.rounds, given.functions)
    else:
        with standing():
            tables = _measured(given.rounds, given.functions)
    publish("cold", tables, given)


def _measured(rounds: int, parts: Sequence[str]) -> list[Table]:
    every = [Function(**each) for each in json.loads(os.environ["RUNTIME_FUNCTIONS"])]
    functions = [each for each in every if any(part in each.name for part in parts)]
    environment = next(each.environment for each in every if "CAIRN_TABLE" in each.environment)
    beside = [_function(name, None, environment) for name in (BARE, CLIENTS)] + [
        _function(SDK, _sdk_layer(), environment)
    ]
    measured = [Times(each) for each in (*beside, *functions)]
    for _ in range(rounds):
        for times in measured:
            _start(times)
    rows = [times.row(measured[0], measured[1]) for times in measured]
    return [Table("Cold starts", _COLUMNS, rows, _NOTE), _sizes([*beside, *functions])]


def _function(name: str, layers: Path | None, environment: Mapping[str, str]) -> Function:
    code = str(_HERE / name.removeprefix("mcp-"))
    layer = None if layers is None else str(layers)
    return Function(name=name, handler="handler.handler", code=code, layers=layer, environment=environment)


def _sdk_layer() -> Path:
    """Return the official SDK as a layer: a directory with `python` in it."""
    programs = install(ROOT, "peers/mcp-sdk", interpreter()[1])
    (packages,) = (programs.parent / "lib").glob("python3*/site-packages")
    layer = programs.parent / "layer"
    layer.mkdir(exist_ok=True)
    if not (layer / "python").exists():
        (layer / "python").symlink_to(packages)
    return layer


def _start(times: Times) -> None:
    function = times.function
    event = _event(function)
    milliseconds, times.modules = _imported(function)
    times.imports.append(milliseconds)
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


def _event(function: Function) -> Mapping[str, Any]:
    """Return a function's first sample event; of the two beside them, what makes them read an item."""
    if function.name in {BARE, CLIENTS}:
        return {"bare": {"read": 1}}
    if function.name == SDK:
        return _tool_call()
    return next(iter(samples(function, os.environ["RUNTIME_KEY"]).values()))


def _tool_call() -> Mapping[str, Any]:
    """Return a sample event over MCP, changed to call the one tool of the SDK's server."""
    event = json.loads((EVENTS / "mcp" / "recall.json").read_text(encoding="utf-8"))
    message = json.loads(event["body"])
    message["params"] |= {"name": "read", "arguments": {"key": "bare"}}
    return event | {"headers": event["headers"] | {"mcp-name": "read"}, "body": json.dumps(message)}


def _imported(function: Function) -> tuple[float, int]:
    """Return the processor milliseconds that importing a handler takes, and how many modules it loads."""
    command = [str(PROGRAMS / "python3"), "-c", _MEASURE, function.handler.rpartition(".")[0]]
    environment = function.variables()
    printed = subprocess.run(command, env=environment, capture_output=True, text=True, check=True, timeout=60).stdout  # noqa: S603
    seconds, modules = printed.split()
    return float(seconds) * 1000, int(modules)


def _since(started: float) -> float:
    return (time.perf_counter() - started) * 1000


def _ratio(mine: Sequence[float], theirs: Sequence[float]) -> float:
    return round(median(one / other for one, other in zip(mine, theirs, strict=True)), 2)


def _sizes(functions: Sequence[Function]) -> Table:
    """Return the megabytes of code and layers, as unpacked and as zipped."""
    found = {Path(each).name: Path(each) for function in functions for each in (function.code, function.layers) if each}
    rows = [[name, *_megabytes(path)] for name, path in found.items()]
    return Table("Packages", ("package", "unpacked MB", "zipped MB"), rows)


def _megabytes(directory: Path) -> tuple[float, float]:
    linked = directory / "python"
    root = linked.resolve() if linked.is_symlink() else directory
    contents = [path.read_bytes() for path in root.rglob("*") if path.is_file() and _INSTALLER not in path.parts]
    unpacked, zipped = sum(map(len, contents)), sum(len(zlib.compress(each)) for each in contents)
    return round(unpacked / 1e6, 2), round(zipped / 1e6, 2)


if __name__ == "__main__":
    main()
