"""What the embedded store is made of: SQLite, a directory of blobs, a master key and threads of this process."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from cairn.embedded.blobs import DirectoryBlobs
from cairn.embedded.keyring import LocalKeyRing, load_or_create_master_key, master_key
from cairn.embedded.table import SqliteTable
from cairn.ground.adapters import Adapters
from cairn.process.system import SystemClock, SystemEntropy, in_turn
from cairn.settings.settings import EmbeddedStore, Settings, sandbox_environment

if TYPE_CHECKING:
    from cairn.calls.usage import Prices
    from cairn.ground.ports import Inventory, Sandbox


class EmbeddedWiring:
    """Makes what a process needs of a directory of this machine."""

    def __init__(self, store: EmbeddedStore, settings: Settings) -> None:
        """Take the directory, and the settings that the sandbox is told."""
        self._store = store
        self._settings = settings

    def adapters(self) -> Adapters:
        """Return new adapters, which drop jobs; the directory gets a master key where it has none and none is given."""
        store = self._store
        given = store.master_key
        master = load_or_create_master_key(store.key_file) if given is None else master_key(given)
        table = SqliteTable(store.table_file)

        def gathered(calls: Sequence[Callable[[], object]]) -> list[object]:
            with table.gathering():
                return in_turn(calls)

        return Adapters(
            table=table,
            blobs=DirectoryBlobs(store.blobs_directory),
            keys=LocalKeyRing(master),
            clock=SystemClock(),
            entropy=SystemEntropy(),
            parallel=gathered,
        )

    def sandbox(self) -> Sandbox:
        """Return a child process for each call, which is told the cluster's settings alone."""
        from cairn.embedded.sandbox import ProcessSandbox  # noqa: PLC0415 - most processes run no standard tools

        return ProcessSandbox(sandbox_environment(self._settings))

    def inventory(self) -> Inventory:
        """Return the way to all that a tenant has in the directory."""
        from cairn.embedded.inventory import EmbeddedInventory  # noqa: PLC0415 - for operators' commands alone

        return EmbeddedInventory(SqliteTable(self._store.table_file), self._store.blobs_directory)

    def prices(self) -> Prices:
        """Return that calls cost nothing."""
        from cairn.calls.usage import Prices  # noqa: PLC0415 - one tool asks for them

        return Prices()
