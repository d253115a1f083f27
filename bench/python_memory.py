"""What `from cairn import Memory` takes of a process: to import it, to open a directory, to keep and to find.

Each row is the median of new processes. Processor time is what a program pays; the clock also tells of the machine.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import Final

from report import Table, options, publish

_PROGRAM: Final = """
import json, sys, time
taken, last = {}, [time.process_time(), time.perf_counter()]
def step(name):
    now = [time.process_time(), time.perf_counter()]
    taken[name] = [1000 * (after - before) for before, after in zip(last, now)]
    last[:] = [time.process_time(), time.perf_counter()]
from cairn import Memory
step("from cairn import Memory")
memory = Memory(sys.argv[1], user="ada")
step("Memory(directory)")
memory.add("I live in Oslo and grow beans.")
step("the first add")
memory.add("I keep three bees.")
step("a further add")
memory.search("What grows in my garden?")
step("the first search, which loads the model")
memory.search("Where do I live?")
step("a further search")
memory.close()
step("close")
print(json.dumps({"taken": taken, "modules": len(sys.modules)}))
"""


def main() -> int:
    """Print the table."""
    parser = options(__doc__)
    parser.add_argument("--runs", type=int, default=7)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        runs = [measured(Path(directory) / "store") for _ in range(given.runs)]
    rows = [
        [name, *(round(median(run[name][clock] for run in runs), 1) for clock in range(2))] for name in next(iter(runs))
    ]
    note = "Opening and adding are on a directory that is there already, but for the first of the processes."
    publish("python_memory", [Table("A program's own memory", ["step", "CPU ms", "ms"], rows, note)], given)
    return 0


def measured(directory: Path) -> dict[str, list[float]]:
    """Return the processor time and the time of each step of a new process, in milliseconds."""
    run = subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-c", _PROGRAM, str(directory)], capture_output=True, text=True, check=True, env={**os.environ}
    )
    return json.loads(run.stdout)["taken"]


if __name__ == "__main__":
    sys.exit(main())
