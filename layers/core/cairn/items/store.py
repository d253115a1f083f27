"""Item logs: ordered, each item stored once, changed under a revision; reads are strongly consistent."""

from __future__ import annotations

from collections.abc import Sequence

from cairn.ground.adapters import Adapters
from cairn.ground.settings import Limits
from cairn.items.append import Appending
from cairn.items.delete import Deleting
from cairn.items.heads import Heads
from cairn.items.listing import Listing, LogPage, Shelf
from cairn.items.model import Append, Appended, Deleted, ItemId, Log, OperationId, Stretch, TakenBack
from cairn.items.read import Reading, Window
from cairn.items.take_back import TakingBack
from cairn.vault.vault import Vault


class ItemLogs:
    """Reads and changes the item logs of all tenants."""

    def __init__(self, adapters: Adapters, vault: Vault, limits: Limits) -> None:
        """Hold logs to these limits."""
        heads = Heads(adapters)
        self._reading = Reading(adapters, vault, heads)
        self._appending = Appending(adapters, vault, heads, limits)
        self._taking_back = TakingBack(adapters, vault, heads, self._reading)
        self._deleting = Deleting(adapters, vault, heads)
        self._listing = Listing(adapters, vault)

    def append(self, log: Log, append: Append) -> Appended:
        """Append all or nothing; Conflict, QuotaExceeded, ResourceBusy.

        Items that are there already are not stored again. Where all of them are, this is a replay, whatever revision is
        expected; where one says something else under the same id, it is a Conflict.
        """
        return self._appending.append(log, append)

    def read(self, log: Log, window: Window) -> Stretch:
        """Return the newest items, those after a position or the newest before one; nothing where there is no log."""
        return self._reading.read(log, window)

    def take_back(
        self, log: Log, operation_id: OperationId, count: int = 1, expected_revision: int | None = None
    ) -> TakenBack:
        """Take back the newest items, once for each operation; Conflict, ResourceBusy."""
        return self._taking_back.take_back(log, operation_id, count, expected_revision)

    def delete_items(self, log: Log, ids: Sequence[ItemId]) -> Deleted:
        """Delete those of these items that are there, all or none; ResourceBusy."""
        return self._deleting.delete_items(log, ids)

    def delete_log(self, log: Log) -> Deleted:
        """Delete a log with all that is kept of it; once it was stopped, call it again. ResourceBusy."""
        return self._deleting.delete_log(log)

    def page(
        self, shelf: Shelf, prefix: str = "", limit: int = 50, cursor: str | None = None, *, with_state: bool = False
    ) -> LogPage:
        """Return a page of logs by name; InvalidArgument for a cursor of another listing."""
        return self._listing.page(shelf, prefix, limit, cursor, with_state=with_state)
