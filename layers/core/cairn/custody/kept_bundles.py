"""Exported bundles, kept sealed in parts until somebody fetched them, for a day.

A part is stored only while its run is the task's. What is over is removed by maintenance.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from hashlib import sha256
from typing import TYPE_CHECKING

from cairn.custody import layout
from cairn.custody.task import Task
from cairn.custody.task_records import taken_over
from cairn.ground.adapters import Adapters
from cairn.ground.codec import rfc3339
from cairn.ground.errors import NotFound, TransactionRefused
from cairn.ground.ids import Tenant
from cairn.ground.paging import every
from cairn.ground.table import Attributes, Delete, Key, Put, Query, Scalar, Update, tenant_of
from cairn.vault.vault import Vault, blob_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from _typeshed import ReadableBuffer

PART_BYTES = 9 * 2**18
"""How long a part is, but for the last: in base64 it is 3 MiB."""


class KeptBundles:
    """Stores the parts of bundles, returns them and removes them."""

    def __init__(self, adapters: Adapters, vault: Vault) -> None:
        """Hold no state of its own."""
        self._adapters = adapters
        self._vault = vault

    def keep(self, task: Task, number: int, data: bytes) -> None:
        """Store a part of the bundle that a task's run makes; ResourceBusy where it is not the task's run any more."""
        where = Key(layout.tasks_pk(task.tenant), layout.part_sk(task.id, task.run, number))
        blob = self._adapters.blobs.put(task.tenant, self._vault.seal_blob(task.tenant, where, data))
        goes = {"ipk": layout.bundles_pk(), "isk": rfc3339(task.kept_until or task.seen)}
        part: dict[str, Scalar] = {"pk": where.pk, "sk": where.sk, "blob": blob, **goes}
        seen = Update(task.key, set={"seen": rfc3339(self._adapters.clock.now())}, condition=task.held)
        try:
            self._adapters.table.transact([Put(part), seen])
        except TransactionRefused as refused:
            self._adapters.blobs.delete(task.tenant, blob)
            raise taken_over() from refused

    def part(self, task: Task, number: int) -> bytes:
        """Return a part of a task's bundle; NotFound where it is gone, or there never was such a one."""
        where = Key(layout.tasks_pk(task.tenant), layout.part_sk(task.id, task.run, number))
        item = self._adapters.table.get(where) if task.has_bundle(self._adapters.clock.now()) else None
        if item is None or (blob := blob_of(item)) is None:
            raise NotFound("There is no such part of a bundle, or it is gone by now")
        return self._vault.unseal_blob(task.tenant, where, self._adapters.blobs.get(task.tenant, blob))

    def remove(self, tenant: Tenant, task_id: str, run: int | None = None) -> int:
        """Remove what one run of a task kept, or all its runs; return how many parts that were."""
        query = Query(layout.tasks_pk(tenant), *layout.parts_of_task(task_id, run))
        return sum(map(self._remove, every(self._adapters.table, query)))

    def remove_overdue(self) -> int:
        """Remove the parts of every tenant whose time is over, and return how many that were."""
        now = rfc3339(self._adapters.clock.now())
        listed: Iterable[Attributes] = every(self._adapters.table, Query(layout.bundles_pk(), "0", now, index=True))
        found = [self._adapters.table.get(Key.of(item)) for item in listed]
        return sum(self._remove(item) for item in found if item is not None)

    def _remove(self, item: Attributes) -> int:
        """Remove a part's bytes, then what names them: what stops in between is found again."""
        where = Key.of(item)
        if (blob := blob_of(item)) is not None:
            self._adapters.blobs.delete(tenant_of(where.pk), blob)
        self._adapters.table.delete(Delete(where))
        return 1


class PartStream(io.RawIOBase):
    """A stream to write to whose bytes are handed on in parts, so that they are never in one place in the clear."""

    def __init__(self, keep: Callable[[int, bytes], None]) -> None:
        """Hand each part on with its number, from 1 on."""
        super().__init__()
        self._keep = keep
        self._held = bytearray()
        self._sum = sha256()
        self.size = 0
        self.parts = 0

    @property
    def sha256(self) -> str:
        """Return the SHA-256 of all that was written."""
        return self._sum.hexdigest()

    def writable(self) -> bool:
        """Tell that it may be written to."""
        return True

    def write(self, data: ReadableBuffer, /) -> int:
        """Take bytes in."""
        taken = bytes(data)
        self._sum.update(taken)
        self._held += taken
        self.size += len(taken)
        while len(self._held) >= PART_BYTES:
            self._hand_on(PART_BYTES)
        return len(taken)

    def finish(self) -> None:
        """Hand on what is left."""
        if self._held:
            self._hand_on(len(self._held))

    def _hand_on(self, length: int) -> None:
        self.parts += 1
        self._keep(self.parts, bytes(self._held[:length]))
        del self._held[:length]
