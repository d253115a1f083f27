"""What key-value memory costs: round trips and write units of each kind of change, of a process that is warm.

The value has 200 bytes. The units are DynamoDB's, double in transactions; the index is counted apart.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

from cairn.domain.ids import Tenant
from cairn.domain.keyvalue import KeyName, Namespace, Place
from cairn.domain.settings import Quotas
from cairn.embedded.blobs import DirectoryBlobs
from cairn.embedded.keyring import LocalKeyRing
from cairn.embedded.queue import InProcessJobs
from cairn.embedded.table import SqliteTable
from cairn.runtime.system import SystemClock, SystemEntropy
from cairn.service.keyvalue import KeyValue
from cairn.service.vault import Vault
from cairn.service.world import World
from metering import Meter, MeteredBlobs, MeteredTable

ROW = "{:32}{:>8}{:>13}{:>13}"
VALUE, OTHER, LONGER = "x" * 198, "y" * 198, "z" * 298


def main() -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory() as directory:
        meter = Meter()
        table, jobs = SqliteTable(Path(directory) / "table.sqlite3"), InProcessJobs(lambda _: None)
        blobs = MeteredBlobs(DirectoryBlobs(Path(directory) / "blobs"), meter)
        keys, metered = LocalKeyRing(bytes(range(32))), MeteredTable(table, meter)
        world = World(metered, blobs, keys, SystemClock(), SystemEntropy(), meter, jobs)
        memory = KeyValue(world, Vault(world), Quotas())
        place, lasting = _place("a"), _place("b")
        memory.put(_place("first"), VALUE)
        print(ROW.format("key-value memory", "rounds", "write units", "index units"))
        _row(meter, "put a new key", lambda: memory.put(place, VALUE))
        _row(meter, "put it again, as long", lambda: memory.put(place, OTHER))
        _row(meter, "put it again, longer", lambda: memory.put(place, LONGER))
        _row(meter, "put a new key that expires", lambda: memory.put(lasting, VALUE, ttl_seconds=3600))
        _row(meter, "delete a key", lambda: memory.delete(place))
        _row(meter, "delete a key that expires", lambda: memory.delete(lasting))
        jobs.close()
        table.close()


def _place(key: str) -> Place:
    return Place(Tenant("acme"), Namespace("bench"), KeyName(key))


def _row(meter: Meter, name: str, act: Callable[[], object]) -> None:
    rounds, counts = meter.rounds, meter.counts.copy()
    act()
    used = meter.counts - counts
    print(ROW.format(name, meter.rounds - rounds, used["write_units"], used["index_units"]))


if __name__ == "__main__":
    main()
