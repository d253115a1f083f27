"""What the embedded store is made of: SQLite, a directory of blobs, a master key and threads of this process."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from cairn.embedded.blobs import DirectoryBlobs
from cairn.embedded.files import make_directory
from cairn.embedded.keyring import LocalKeyRing, master_key_of
from cairn.embedded.table import SqliteTable
from cairn.ground.adapters import Adapters
from cairn.process.once import Once
from cairn.process.system import SystemClock, SystemEntropy, in_turn
from cairn.settings.settings import EmbeddedStore, Settings, sandbox_environment
from cairn.telemetry.record import CallMeter

if TYPE_CHECKING:
    from cairn.calls.usage import Prices
    from cairn.ground.adapters import Holders
    from cairn.ground.ports import Anchors, Inventory, Sandbox


class EmbeddedWiring:
    """Makes what a process needs of a directory of this machine."""

    def __init__(self, store: EmbeddedStore, settings: Settings) -> None:
        """Take the directory, and the settings that the sandbox is told."""
        self._store = store
        self._settings = settings

    def adapters(self) -> Adapters:
        """Return new adapters, which drop jobs; a directory without data keys gets a master key, where none is given.

        SettingsError where the store's master key is missing or another one, NewerStore where its format is unknown.
        """
        store = self._store
        make_directory(store.directory)
        meter = CallMeter()
        table = SqliteTable(store.table_file, meter=meter)
        master = master_key_of(table, store.key_file, store.master_key)

        def gathered(calls: Sequence[Callable[[], object]]) -> list[object]:
            with table.gathering():
                return in_turn(calls)

        return Adapters(
            table=table,
            blobs=DirectoryBlobs(store.blobs_directory, meter),
            keys=LocalKeyRing(master),
            clock=SystemClock(),
            entropy=SystemEntropy(),
            parallel=gathered,
            meter=meter,
            holders=lambda: self.holders,
            own_disk=True,
        )

    @Once
    def holders(self) -> Holders:
        """Return what tells which processes of this machine still live."""
        from cairn.embedded.holders import ProcessHolders  # noqa: PLC0415 - a process that only reads holds nothing

        return ProcessHolders(self._store.processes_directory)

    def sandbox(self) -> Sandbox:
        """Return a child process for each call, which is told the cluster's settings alone."""
        from cairn.embedded.sandbox import ProcessSandbox  # noqa: PLC0415 - most processes run no standard tools

        return ProcessSandbox(sandbox_environment(self._settings))

    def inventory(self) -> Inventory:
        """Return the way to all that a tenant has in the directory."""
        from cairn.embedded.inventory import EmbeddedInventory  # noqa: PLC0415 - for operators' commands alone

        return EmbeddedInventory(SqliteTable(self._store.table_file), self._store.blobs_directory)

    def anchors(self) -> Anchors:
        """Return the directory that the settings name."""
        from cairn.embedded.anchors import DirectoryAnchors  # noqa: PLC0415 - few processes seal or verify

        return DirectoryAnchors(Path(self._settings.anchors or ""))

    def prices(self) -> Prices:
        """Return that calls cost nothing."""
        from cairn.calls.usage import Prices  # noqa: PLC0415 - one tool asks for them

        return Prices()
