"""Bring a store that has a bundle to the state of a later one, which holds what came, changed or went since.

Each item of the store is to be one that the later state has, or one that the base had and that changed or went; and
together with those that come they are to be all of the later state. So an import that was stopped can be run again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from cairn.archive.moves import ArchiveMoves
from cairn.custody.admission import in_scope, rule_at
from cairn.custody.bundle_check import BundleCheck
from cairn.custody.bundles import Bundles
from cairn.custody.document_rules import listed
from cairn.custody.pieces import Opener, Piece
from cairn.custody.records import Record, record_of
from cairn.custody.removal import Removal
from cairn.custody.scope import DataScope, parts_of
from cairn.custody.spilled_map import SpilledMap
from cairn.custody.states import Increment, line_of
from cairn.documents.model import Held
from cairn.ground.adapters import Adapters
from cairn.ground.errors import Conflict
from cairn.ground.ports import Inventory, Snapshot
from cairn.ground.table import Attributes, Key
from cairn.items.head import Head as ItemLogHead
from cairn.keyvalue.model import Entry
from cairn.vault.vault import Vault


class Increments:
    """Imports increments; a store that is written to meanwhile may end as neither state."""

    def __init__(self, adapters: Adapters, inventory: Inventory, vault: Vault) -> None:
        """Hold no state of its own."""
        self._adapters = adapters
        self._inventory = inventory
        self._vault = vault
        self._archive = ArchiveMoves(adapters, vault)
        self._bundles = Bundles(adapters, inventory, vault)
        self._removal = Removal(adapters, vault)

    def check(self, scope: DataScope, records: Iterable[Record], step: Increment) -> SpilledMap:
        """Return which items of the store are to go, those included in whose place others come.

        InvalidArgument as for Bundles.check(), and where the store lacks something of the base; Conflict where it has
        something of neither state.
        """
        check, gone = BundleCheck(scope), SpilledMap()
        for line, record in enumerate(records, 1):
            check.meet(record, f"line {line}")
        with self._inventory.snapshot() as snapshot:
            for where, record in self.held(scope, snapshot):
                item = f"{where.pk}\0{where.sk}".encode()
                if record is None:
                    gone.add(item, b"")
                    continue
                key, digest = line_of(record)
                if step.state.held.get(key) == digest:
                    if key not in check.lines:
                        check.meet(record, f"the store's {record['partition']} {record['sort']}")
                elif step.was.get(key) == digest:
                    gone.add(item, b"")
                elif scope.user is None or "archived" not in record:  # which may be another user's
                    raise _neither(step, record)
        check.lacking(None)
        check.check_whole(step.state, step.base)
        return gone

    def held(self, scope: DataScope, snapshot: Snapshot) -> Iterator[tuple[Key, Record | None]]:
        """Yield what the store has of the scope, as it was imported; None for what something that ended left."""
        opener = Opener(self._adapters, self._vault, scope.tenant, snapshot)
        for item in snapshot.items(scope.tenant):
            where = Key.of(item)
            kind = parts_of(where.pk)[0]
            if rule_at(where) is None:
                continue
            if not _is_there(kind, item):
                if in_scope(scope, Piece(where, item)):
                    yield where, None
                continue
            piece = opener.open(item)
            if piece is None or not in_scope(scope, piece):
                continue
            record = record_of(scope.tenant, listed(piece) if kind == "d" else piece)
            if kind == "a":
                opened: Any = self._archive.take_out(scope.tenant, item)
                record = {**record, "archived": opened}
            yield where, record

    def store(self, scope: DataScope, records: Iterable[Record], gone: SpilledMap) -> Iterator[bool]:
        """Remove what is to go and store records that check() has passed, yielding for each whether it was new.

        It may be done again. Unavailable at the end, with all of it done, where others use the store's own files.
        """
        touched = SpilledMap()
        for where, _ in gone:
            key = Key(*where.decode().split("\0"))
            self._removal.remove(key)
            touched.add(key.pk.encode(), b"")
        yield from self._bundles.store(scope, records, {})
        for pk, _ in touched:
            self._removal.clear(pk.decode())
        self._inventory.scrub()


def _is_there(kind: str, item: Attributes) -> bool:
    """Tell whether an item is more than what a deletion left; whether it has expired by now does not matter."""
    if kind == "k":
        return not Entry.of(item).removed
    if kind == "d":
        return not Held.of(item).removed
    return kind != "i" or parts_of(str(item["pk"]))[2] is not None or ItemLogHead.of(item).is_there


def _neither(step: Increment, record: Record) -> Conflict:
    told = f"This bundle follows the one with the state {step.base[:16]}: import that first. The store's"
    what = f"{record['partition']} {record['sort']} is neither as that leaves it nor as this does"
    return Conflict(f"{told} {what}; or else import a whole bundle into an empty service")
