"""A process that writes to the embedded store and says on its output what was acknowledged; killed by its tests."""

from __future__ import annotations

import sys
from itertools import count
from pathlib import Path

from cairn.embedded.blobs import DirectoryBlobs
from cairn.embedded.table import SqliteTable
from cairn.ground.ids import Tenant
from cairn.ground.table import ABSENT, Key, Put, Update


def write_until_killed(store: Path, run: str) -> None:
    """Put an item, a transaction and a blob in turn, each new, and print each once the call has returned."""
    table, blobs = SqliteTable(store / "memory.sqlite"), DirectoryBlobs(store / "blobs")
    for number in count():
        name = f"{run}-{number:06}"
        table.put(Put({"pk": "items", "sk": name, "v": name * 50}, ABSENT))
        print("item", name, flush=True)  # noqa: T201 - the acknowledgement
        parts = [Put({"pk": f"parts#{name}", "sk": str(part), "v": name * 200}, ABSENT) for part in range(5)]
        table.transact([*parts, Update(Key("totals", "parts"), add={"n": len(parts)})])
        print("parts", name, flush=True)  # noqa: T201
        digest = blobs.put(Tenant("acme"), name.encode() * 5000)
        print("blob", digest, flush=True)  # noqa: T201


def increment(store: Path, times: int) -> None:
    """Add one to the same number this often."""
    table = SqliteTable(store / "memory.sqlite")
    for _ in range(times):
        table.update(Update(Key("totals", "n"), add={"n": 1}))
    table.close()


if __name__ == "__main__":
    verb, directory, argument = sys.argv[1:]
    if verb == "write":
        write_until_killed(Path(directory), argument)
    else:
        increment(Path(directory), int(argument))
