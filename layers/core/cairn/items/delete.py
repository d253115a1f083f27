"""Delete some items of a log in one transaction, or the whole log: at once for all who read, its contents step by step.

The head says that the log is gone and up to which position; what lies below is removed afterwards. A call that is
stopped there can be made again. An append that comes meanwhile begins a new log above that position.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial

from cairn.ground import retries
from cairn.ground.adapters import Adapters, Pending
from cairn.ground.codec import rfc3339
from cairn.ground.damage import sound_or_none
from cairn.ground.errors import CairnError, ResourceBusy, TransactionRefused
from cairn.ground.table import Key, Put, Write
from cairn.items import layout
from cairn.items.dropped import blobs_of, discard, dropping, due
from cairn.items.guards import Guard
from cairn.items.head import ANY_ROW, Head, changed
from cairn.items.heads import Heads
from cairn.items.model import Deleted, Item, ItemId, Log, total_size
from cairn.items.rows import Row, Rows, without
from cairn.items.sweep import Sweep
from cairn.vault.vault import Vault


class Deleting:
    """Deletes items and logs."""

    def __init__(self, adapters: Adapters, vault: Vault, heads: Heads) -> None:
        """Hold no state of its own."""
        self._adapters = adapters
        self._vault = vault
        self._heads = heads
        self._rows = Rows(adapters, vault)
        self._sweep = Sweep(adapters, heads)

    def delete_log(self, log: Log) -> Deleted:
        """Delete a log with all that is kept of it, and return how many items it had; ResourceBusy."""
        for attempt in range(retries.ATTEMPTS):
            head = self._heads.read(log)
            if not head.is_there:
                if not head.swept:
                    self._sweep.all(log, head)
                return Deleted(0, 0)
            now = self._adapters.clock.now()
            after = head.emptied(now)
            blobs = [] if head.state_blob is None else [head.state_blob]
            writes = [changed(log.head, head, after), *dropping(self._adapters, log, head, blobs, now)]
            with suppress(TransactionRefused):
                self._adapters.table.transact(writes)
                self._heads.remember(log, after)
                self._sweep.all(log, after)
                return Deleted(head.count, 0)
            self._heads.wait(attempt)
        raise ResourceBusy("Too many calls are changing this log; try again", {"resource": "log"})

    def delete_items(self, log: Log, ids: Sequence[ItemId]) -> Deleted:
        """Delete those of these items that are there, all or none, and return how many those were; ResourceBusy."""
        for attempt in range(retries.ATTEMPTS):
            head, rows = self._found(log, ids)
            lost = [item for _, items in rows for item in items if item.id in set(ids)]
            if not lost:
                return Deleted(0, head.told)
            after = self._try(log, head, rows, lost)
            if after is not None:
                return Deleted(len(lost), after.revision)
            self._heads.wait(attempt)
        raise ResourceBusy("Too many calls are changing this log; try again", {"resource": "log"})

    def _found(self, log: Log, ids: Sequence[ItemId]) -> tuple[Head, Sequence[tuple[Row, Sequence[Item]]]]:
        """Return the head, read before the rows that hold the items, and these rows."""
        get = self._adapters.table.get
        head = Pending(partial(self._heads.read, log))
        guards = [Pending(partial(get, Key(log.pk, layout.guard_sk(each)))) for each in dict.fromkeys(ids)]
        self._adapters.parallel([head, *guards])
        stored = [item for each in guards if (item := each.result) is not None]
        read = partial(Guard.of, self._vault, log.tenant)
        found = [guard for item in stored if (guard := sound_or_none(self._adapters, item, read)) is not None]
        places = sorted({guard.row for guard in found if guard.position >= head.result.floor})
        if not places or not head.result.is_there:
            return head.result, ()
        gets = [Pending(partial(get, Key(log.pk, layout.row_sk(place)))) for place in places]
        self._adapters.parallel(gets)
        items = [item for each in gets if (item := each.result) is not None]
        rows = [row for item in items if (row := sound_or_none(self._adapters, item, Row.of)) is not None]
        return head.result, list(self._rows.opened(log, iter(rows)))

    def _try(
        self, log: Log, head: Head, rows: Sequence[tuple[Row, Sequence[Item]]], lost: Sequence[Item]
    ) -> Head | None:
        """Commit and return the head then, None where another call changed the log."""
        now, gone = self._adapters.clock.now(), {item.position for item in lost}
        after = replace(
            head,
            revision=head.later(now),
            count=head.count - len(lost),
            size=head.size - total_size(lost),
            newest=ANY_ROW,
            updated_at=rfc3339(now),
        )
        touched = [(row, items) for row, items in rows if any(item.position in gone for item in items)]
        kept = [(row, [item for item in items if item.position not in gone]) for row, items in touched]
        writes = [without(log, self._rows, row, left, after.revision) for row, left in kept]
        blobs = [row.blob for row, _ in touched if row.blob is not None]
        dropped = dropping(self._adapters, log, head, blobs, now)
        if not self._commit(log, [changed(log.head, head, after), *writes, *dropped]):
            return None
        if blobs:
            with suppress(CairnError):  # a later call finds them again
                discard(self._adapters, log.tenant, due(self._adapters, log))
        return self._heads.remember(log, after)

    def _commit(self, log: Log, writes: Sequence[Write]) -> bool:
        try:
            self._adapters.table.transact(writes)
        except TransactionRefused:
            for blob in blobs_of(write.item for write in writes if isinstance(write, Put)):
                self._adapters.blobs.delete(log.tenant, blob)
            return False
        return True
