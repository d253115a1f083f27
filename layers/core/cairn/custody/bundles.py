"""Bundles: all that a tenant, a project or a user has, as readable records that another service can import.

Contents leave the vault here and are sealed again on import, under the keys of whoever imports.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal, TypeAlias

from cairn.archive.moves import ArchiveMoves
from cairn.custody.admission import admit, as_imported
from cairn.custody.bundle_check import BundleCheck
from cairn.custody.document_rules import put_document
from cairn.custody.export import Export
from cairn.custody.pieces import Opener, Piece
from cairn.custody.records import Record, record_of
from cairn.custody.rules import Rule
from cairn.custody.scope import DataScope, parts_of
from cairn.custody.states import State
from cairn.ground.adapters import Adapters
from cairn.ground.errors import ConditionFailed, Conflict, TransactionRefused, Unavailable
from cairn.ground.ids import Project, Tenant
from cairn.ground.ports import Inventory
from cairn.ground.progress import Told, untold
from cairn.ground.table import ABSENT, Attributes, Key, Put, Scalar, Write, tenant_of
from cairn.keyvalue import changes
from cairn.keyvalue.layout import namespace_of, value_sk
from cairn.keyvalue.model import Entry, KeyName, Place
from cairn.log.layout import is_entry
from cairn.log.newest import moving_on
from cairn.log.registry import listed
from cairn.log.segments import Segments
from cairn.sessions.layout import HEAD
from cairn.vault.vault import Vault

__all__ = ["Bundles", "DataScope", "Record"]
Found: TypeAlias = Literal["new", "there", "another"]
"""What a store has in a record's place: nothing, the same, or something else."""


class Bundles:
    """Exports data from a store and imports it into one."""

    def __init__(self, adapters: Adapters, inventory: Inventory, vault: Vault) -> None:
        """Hold no state of its own."""
        self._adapters = adapters
        self._inventory = inventory
        self._vault = vault
        self._archive = ArchiveMoves(adapters, vault)
        self._segments = Segments(adapters, vault)

    def export(self, scope: DataScope, told: Told = untold) -> Iterator[Record]:
        """Yield a record of each item, and tell how far that is; of a session shared with others, a user's own turns.

        What is yielded is of one moment where the store can hold one; else each session with its entries in logs is,
        and each other item. Unavailable, and none of it is to be kept, where too much changed meanwhile or a turn is
        missing; CorruptData where something is damaged.
        """
        with self._inventory.snapshot() as snapshot:
            yield from Export(self._adapters, self._vault, snapshot, scope, told).records()

    def check(self, scope: DataScope, records: Iterable[Record], state: State | None = None) -> Mapping[str, int]:
        """Check that all records may be imported into the scope; return of sessions how many turns they lack.

        InvalidArgument names the number of the first that may not, or with a state what the bundle lacks; Conflict
        where the store has another such session.
        """
        check = BundleCheck(scope)
        for line, record in enumerate(records, 1):
            check.meet(record, f"line {line}")
        lacking = check.lacking(self._adapters.table)
        if state is not None:
            check.check_whole(state, None)
        return lacking

    def store(self, scope: DataScope, records: Iterable[Record], lacking: Mapping[str, int]) -> Iterator[bool]:
        """Store records that check() has passed, yielding for each whether it was new; it may be done again.

        A head counts the turns that its session lacks as erased. Conflict where the store holds something else in a
        record's place.
        """
        for record in records:
            piece, rule = _admitted(scope, record, lacking)
            yield not rule.is_made_anew and self._store(scope.tenant, piece, record)

    def compare(
        self, scope: DataScope, records: Iterable[Record], lacking: Mapping[str, int]
    ) -> Iterator[tuple[Record, Found]]:
        """Yield records that check() has passed, as they would be stored, and whether the store has each."""
        for record in records:
            piece, rule = _admitted(scope, record, lacking)
            if not rule.is_made_anew:
                yield record_of(scope.tenant, piece), self._found(scope.tenant, piece)

    def _found(self, tenant: Tenant, piece: Piece) -> Found:
        if "archived" in piece.body:
            return "there" if self._archive.has(tenant, piece.body["archived"]) else "new"
        held = self._adapters.table.get(piece.key)
        if held is None:
            return "new"
        if parts_of(piece.key.pk)[0] == "d":
            held = {name: value for name, value in held.items() if name != "isk"}
        return "there" if self._record(tenant, held) == record_of(tenant, piece) else "another"

    def take_in(self, tenant: Tenant, records: Iterable[Record]) -> Iterator[bool]:
        """Check all records, then store them, as those of the tenant; they are gone through twice."""
        yield from self.store(DataScope(tenant), records, self.check(DataScope(tenant), records))

    def _store(self, tenant: Tenant, piece: Piece, record: Record) -> bool:
        if "archived" in record:
            return self._archive.put_away(tenant, piece.attributes, record["archived"])
        item = self._item(tenant, piece)
        held = self._put_as_its_kind(tenant, piece, item)
        if held is not None and self._record(tenant, held) != self._record(tenant, item):
            message = f"The store holds something else at {record['partition']} {record['sort']}"
            raise Conflict(f"{message}; import into an empty service")
        return held is None

    def _put_as_its_kind(self, tenant: Tenant, piece: Piece, item: Attributes) -> Attributes | None:
        match parts_of(piece.key.pk)[0]:
            case "k":
                return self._put_value(tenant, piece, item)
            case "d":
                return put_document(self._adapters, item)
            case _:
                return self._put(item)

    def _put(self, item: Attributes) -> Attributes | None:
        """Store an item, or return the one that is there; a log that its project knows makes the tenant know that."""
        where = Key.of(item)
        if parts_of(where.pk)[0] == "m" and is_entry(where.sk):
            return self._put_entry(item)
        self._list_project(where)
        try:
            self._adapters.table.put(Put(item, ABSENT))
        except ConditionFailed as held:
            return held.item or {}
        return None

    def _put_entry(self, item: Attributes) -> Attributes | None:
        """Store a log's entry, or return the one that is there, with what says when the log's newest was made.

        Where the log has newer entries, segments and processes may hold it up to those without this one: they are told
        to read it anew.
        """
        where = Key.of(item)
        refused = self._refused(item, [moving_on(where.pk, [where.sk])])
        if refused is not None and not _is_held(refused, 0) and _is_held(refused, 1):
            refused = self._refused(item, self._segments.changing(where.pk, where.sk))
        if refused is None:
            return None
        if not _is_held(refused, 0):
            raise Unavailable("the store refused an entry of a log; run the import again") from refused
        return (refused.reasons[0] and refused.reasons[0].item) or {}

    def _refused(self, item: Attributes, others: Sequence[Write]) -> TransactionRefused | None:
        """Store an item that is not there yet, and make other writes with it; return why that was refused."""
        try:
            self._adapters.table.transact([Put(item, ABSENT), *others])
        except TransactionRefused as refused:
            return refused
        return None

    def _list_project(self, where: Key) -> None:
        kind, project, owner = parts_of(where.pk)
        if kind == "m" and project and owner is None:
            self._adapters.table.put(listed(tenant_of(where.pk), Project(project)))

    def _put_value(self, tenant: Tenant, piece: Piece, item: Mapping[str, Scalar]) -> Attributes | None:
        """Store a value with what lists, counts and expires it, or return the one that is there."""
        key = KeyName(piece.key.sk.removeprefix(value_sk(KeyName(""))))
        entry = Entry.of({name: item[name] for name in item if name != "blob" or "bytes" in piece.body})
        content = {name: value for name, value in item.items() if name not in {"pk", "sk"}}
        change = changes.Change(Place(tenant, namespace_of(piece.key.pk), key), None, entry, content)
        try:
            writes = [*changes.writes(change, self._adapters.clock.now()), *changes.counting([change], None)]
            self._adapters.table.transact(writes)
        except TransactionRefused as refused:
            reason = refused.reasons[0]
            if reason is None or reason.code != "condition":
                raise Unavailable("the store refused a value; run the import again") from refused
            return reason.item or {}
        return None

    def _item(self, tenant: Tenant, piece: Piece) -> dict[str, Scalar]:
        content: dict[str, Scalar] = {}
        if "content" in piece.body:
            content = self._vault.seal(tenant, piece.key, piece.body["content"])
        elif "bytes" in piece.body:
            sealed = self._vault.seal_blob(tenant, piece.key, base64.b64decode(piece.body["bytes"]))
            content = {"blob": self._adapters.blobs.put(tenant, sealed)}
        return {**piece.attributes, "pk": piece.key.pk, "sk": piece.key.sk, **content}

    def _record(self, tenant: Tenant, item: Attributes) -> Record | None:
        piece = Opener(self._adapters, self._vault, tenant, self._adapters.table).open(item) if item else None
        # What was imported is compared as that, with what was said here as well.
        return None if piece is None else record_of(tenant, as_imported(piece))


def _admitted(scope: DataScope, record: Record, lacking: Mapping[str, int]) -> tuple[Piece, Rule]:
    piece, rule = admit(scope, record)
    if piece.key.sk == HEAD and piece.key.pk in lacking:
        piece = piece.having(erased=lacking[piece.key.pk])
    return piece, rule


def _is_held(refused: TransactionRefused, place: int) -> bool:
    """Tell whether the write at this place was refused because of what the store holds."""
    reason = refused.reasons[place]
    return reason is not None and reason.code == "condition"
