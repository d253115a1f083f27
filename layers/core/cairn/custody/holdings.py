"""Count what an export would take and an erasure remove, before anybody starts either."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import asdict, dataclass
from hashlib import sha256

from cairn.archive.layout import POINTERS
from cairn.archive.model import Entry as ArchiveEntry
from cairn.custody.document_rules import is_document
from cairn.custody.quarantine import blobs_named
from cairn.custody.scope import DataScope, holds_turns, own_turns, parts_of
from cairn.files.layout import file_sk
from cairn.ground.codec import canonical
from cairn.ground.errors import CorruptData, NotFound
from cairn.ground.ids import Digest, SessionId
from cairn.ground.ports import Inventory, Snapshot
from cairn.ground.table import Attributes, Key, item_bytes
from cairn.items.head import Head as ItemLogHead
from cairn.keyvalue.layout import value_sk
from cairn.keyvalue.model import Entry, KeyName
from cairn.log.layout import is_entry, log_owner, log_pk, memory_sk
from cairn.sessions.head import Head
from cairn.sessions.layout import HEAD, PACKED, session_of
from cairn.sessions.services import SessionServices

_DIGITS = 16


@dataclass(slots=True)
class Holdings:
    """What there is: sessions, of a user those that are theirs alone, and with others those that others share.

    `turns`, `facts` (ended ones too), `memories` (forgotten ones too) and `files` are theirs in either. `archived` are
    sessions in the archive, `values` keys of key-value memory, `items` those of item logs. `log_items` are items of
    their memory logs, `blobs` the large texts and indexes that their items name, and `bytes` the size of all these
    items and blobs.
    """

    sessions: int = 0
    shared_sessions: int = 0
    turns: int = 0
    facts: int = 0
    memories: int = 0
    archived: int = 0
    files: int = 0
    values: int = 0
    items: int = 0
    documents: int = 0
    log_items: int = 0
    blobs: int = 0
    bytes: int = 0

    def digest(self, scope: DataScope) -> str:
        """Return what stands for the scope and what people have there; work in the background does not change it."""
        counted = {name: count for name, count in asdict(self).items() if name not in {"log_items", "blobs", "bytes"}}
        whose = [scope.tenant, scope.project, scope.user]
        return sha256(canonical([whose, counted])).hexdigest()[:_DIGITS]


def count(services: SessionServices, inventory: Inventory, scope: DataScope) -> Holdings:
    """Return what there is, at one moment where the store can hold one; CorruptData where an item is damaged."""
    with inventory.snapshot() as snapshot:
        return Count(services, snapshot, scope).run()


class Count:
    """One count, which walks the store: of a user first for the heads of sessions, then for all else."""

    def __init__(self, services: SessionServices, snapshot: Snapshot, scope: DataScope) -> None:
        """Have counted nothing yet."""
        self._services = services
        self._snapshot = snapshot
        self._scope = scope
        self._found = Holdings()
        self._blobs = set[Digest]()
        self._alone = set[str]()
        self._shared = set[str]()
        self._logs = set[str]()
        self._archived = set[SessionId]()

    def run(self) -> Holdings:
        """Return what there is; CorruptData where an item is damaged."""
        if self._scope.user is not None:
            self._meet_heads()
        for item in self._snapshot.items(self._scope.tenant):
            where = Key.of(item)
            if self._counts(where, item):
                self._found.bytes += item_bytes(item)
                self._blobs.update(blobs_named(item))
        for digest in self._blobs:
            with suppress(NotFound, CorruptData):  # a SHA-256 that names no blob
                self._found.bytes += len(self._services.adapters.blobs.get(self._scope.tenant, digest))
                self._found.blobs += 1
        return self._found

    def _meet_heads(self) -> None:
        """Learn which sessions are the user's alone, and which they share."""
        heads = [Head.of(item) for item in self._snapshot.items(self._scope.tenant) if item["sk"] == HEAD]
        for head in filter(self._scope.has_session, heads):
            if head.owners == (self._scope.owner,):
                session = session_of(head.key.pk)
                self._alone.add(head.key.pk)
                self._logs.add(log_pk(session.tenant, session.project, log_owner(None, session.session_id)))
            else:
                self._shared.add(head.key.pk)
        self._found.shared_sessions = len(self._shared)
        self._archived = self._scope.sole_sessions(heads)

    def _counts(self, where: Key, item: Attributes) -> bool:
        """Count an item, and tell whether it is the scope's."""
        match parts_of(where.pk)[0]:
            case "s":
                return self._count_session(where, item)
            case "m":
                return self._count_log(where, item)
            case "k":
                return self._count_value(where, item)
            case "a":
                return self._count_archived(where, item)
            case "i" | "d":
                return self._count_kept(where, item)
            case _:
                return False

    def _count_session(self, where: Key, item: Attributes) -> bool:
        if where.pk in self._alone or self._is_any(where.pk) or self._scope.has_files(where.pk):
            self._found.files += where.sk.startswith(file_sk(""))
            if where.sk == HEAD:
                head = Head.of(item)
                self._found.sessions += 1
                self._found.turns += head.seq - head.erased
            return True
        if where.pk not in self._shared or not holds_turns(where.sk):
            return False
        own = own_turns(where.sk, self._services.vault.unseal(self._scope.tenant, item), self._scope.user)
        self._found.turns += len(own) if where.sk.startswith(PACKED) else bool(own)
        return bool(own)

    def _count_log(self, where: Key, item: Attributes) -> bool:
        if self._is_of_scope(where.pk):
            self._found.log_items += 1
            self._found.memories += where.sk.startswith(memory_sk(""))
            if is_entry(where.sk):
                self._found.facts += len(self._services.vault.unseal(self._scope.tenant, item)["added"])
            return True
        if self._scope.user is not None and self._scope.shares(where.pk) and is_entry(where.sk):
            kept = self._services.vault.unseal(self._scope.tenant, item).get("remembered", ())
            own = sum(memory["user"] == self._scope.user for memory in kept)
            self._found.memories += own
            return own > 0
        is_listed = self._scope.registers(item)
        self._found.log_items += is_listed
        return is_listed

    def _is_of_scope(self, pk: str) -> bool:
        """Tell whether a partition is a log of the scope, or of a session that is the user's alone."""
        if parts_of(pk)[2] is None:
            return False
        return self._is_any(pk) or self._scope.has_log(pk) or pk in self._logs

    def _is_any(self, pk: str) -> bool:
        """Tell whether a partition is of the scope whoever it is about."""
        return self._scope.user is None and self._scope.project in {None, parts_of(pk)[1]}

    def _count_value(self, where: Key, item: Attributes) -> bool:
        is_value = where.sk.startswith(value_sk(KeyName("")))
        if self._scope != DataScope(self._scope.tenant) or not is_value:
            return False
        is_there = Entry.of(item).is_there(self._services.adapters.clock.now())
        self._found.values += is_there
        return is_there

    def _count_kept(self, where: Key, item: Attributes) -> bool:
        if not self._scope.keeps(where):
            return False
        kind, _, rest = parts_of(where.pk)
        if kind == "d":
            self._found.documents += is_document(item, self._services.adapters.clock.now())
        elif rest is None:
            self._found.items += ItemLogHead.of(item).count
        return True

    def _count_archived(self, where: Key, item: Attributes) -> bool:
        if not where.sk.startswith(POINTERS):
            return False
        entry, scope = ArchiveEntry.of(item), self._scope
        of_user = scope.user is not None and scope.project is None and entry.user == scope.user
        is_own = scope == DataScope(scope.tenant) or entry.session_id in self._archived or of_user
        self._found.archived += is_own
        return is_own
