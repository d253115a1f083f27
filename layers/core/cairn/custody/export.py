"""Export what a scope has from one snapshot: sessions first, then the logs that they went to, then all that is apart.

What follows from other items is left out, and made anew on import: places in indexes, counters of keys, summaries of
logs. What passes or is bound to this store's keys is too: wrapped keys, guards, begun turns, audit log, rates.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Any

from cairn.archive.layout import POINTERS
from cairn.archive.moves import ArchiveMoves
from cairn.custody.document_rules import is_document, listed
from cairn.custody.item_logs import whole_log
from cairn.custody.pieces import Opener, Piece
from cairn.custody.records import Record, record_of
from cairn.custody.scope import DataScope, is_of_branch, own_turns, parts_of
from cairn.custody.whole_sessions import Turns, WholeSessions
from cairn.enrichment.layout import execution_range
from cairn.files.layout import FILES, file_sk
from cairn.ground.adapters import Adapters
from cairn.ground.attributes import number
from cairn.ground.errors import NotFound
from cairn.ground.ids import Project
from cairn.ground.paging import every
from cairn.ground.ports import Snapshot
from cairn.ground.progress import Told, stepped, untold
from cairn.ground.table import Attributes, Key, Query, prefix_range
from cairn.keyvalue.layout import value_sk
from cairn.keyvalue.model import Entry, KeyName
from cairn.log.layout import log_of, log_pk, registry_pk, registry_sk
from cairn.sessions.head import Head
from cairn.sessions.layout import HEAD, PACKED, session_of
from cairn.vault.vault import Vault


class Export:
    """One export, from one snapshot."""

    def __init__(
        self, adapters: Adapters, vault: Vault, snapshot: Snapshot, scope: DataScope, told: Told = untold
    ) -> None:
        """Have read nothing yet; tell how far it is."""
        self._scope = scope
        self._told = told
        self._snapshot = snapshot
        self._now = adapters.clock.now()
        self._opener = Opener(adapters, vault, scope.tenant, snapshot)
        self._sessions = WholeSessions(snapshot, self._opener)
        self._archive = ArchiveMoves(adapters, vault)
        self._partitions: set[str] = set()
        self._heads: dict[str, Head] = {}  # of which only the owners are kept
        self._file_bytes = Counter[Project]()

    def records(self) -> Iterator[Record]:
        """Yield all records; Unavailable where a turn was not met that a head counts."""
        for item in self._snapshot.items(self._scope.tenant):
            self._told("items", 0, 0)
            where = Key.of(item)
            if is_of_branch(where.pk):  # what is tried is part of nothing until it is merged
                continue
            self._partitions.add(where.pk)
            if where.sk == HEAD:
                self._heads[where.pk] = Head(key=where, owners=Head.of(item).owners)
        for piece in self._pieces():
            yield record_of(self._scope.tenant, piece)
        yield from self._archived()

    def _pieces(self) -> Iterator[Piece]:
        for pk in stepped(self._told, "sessions", self._of_kind("s")):
            yield from self._session(pk)
        logs = self._logs()
        for pk in stepped(self._told, "logs", sorted(logs)):
            yield from self._sessions.log(pk)
        self._sessions.check()
        yield from self._registries(logs)
        yield from self._kept()
        if self._scope == DataScope(self._scope.tenant):
            for pk in stepped(self._told, "namespaces", self._of_kind("k")):
                yield from self._opener.opened(filter(self._is_kept, self._range(pk, value_sk(KeyName("")))))
            for pk in self._of_kind("x"):
                low, high = execution_range()
                executions = every(self._snapshot, Query(pk, low, high))
                yield from self._opener.opened(item for item in executions if not self._has_expired(item))

    def _kept(self) -> Iterator[Piece]:
        """Yield item logs, each whole, and documents."""
        wanted = sorted(pk for pk in self._partitions if parts_of(pk)[0] in {"i", "d"})
        for pk in stepped(self._told, "item logs and documents", wanted):
            kind, _, rest = parts_of(pk)
            found = (item for item in self._range(pk, "") if self._scope.keeps(Key.of(item)))
            if kind == "i" and rest is None:
                for head in found:
                    yield from whole_log(self._snapshot, self._opener, head)
            elif kind == "d":
                documents = (item for item in found if is_document(item, self._now))
                yield from map(listed, self._opener.opened(documents))

    def _of_kind(self, wanted: str) -> list[str]:
        """Return the partitions of a kind that may be of the scope, in their order."""
        found: list[str] = []
        for pk in sorted(self._partitions):
            kind, project, rest = parts_of(pk)
            if kind != wanted or self._scope.project not in {None, project}:
                continue
            if project is not None and (kind != "s" or rest is not None):
                found.append(pk)
        return found

    def _range(self, pk: str, prefix: str) -> Iterator[Attributes]:
        return every(self._snapshot, Query(pk, *prefix_range(prefix)))

    def _session(self, pk: str) -> Iterator[Piece]:
        known = self._heads.get(pk)
        is_own = self._scope.has_files(pk) or (known is not None and self._scope.has_session(known))
        if self._scope.user is not None and not is_own:
            return
        head, turns, pieces = self._sessions.session(pk)
        if head is not None:
            self._heads[pk] = Head(key=head.key, owners=head.owners)  # maybe more of them than when it was found
        if self._scope.user is not None and head is not None and head.owners != (self._scope.owner,):
            pieces = self._own(turns, pieces)
        for piece in pieces:
            if piece.key.sk.startswith(file_sk("")):
                self._file_bytes[session_of(pk).project] += number(piece.attributes, "size")
            yield piece

    def _own(self, turns: Turns, pieces: Iterator[Piece]) -> Iterator[Piece]:
        """Yield of a session shared with others the user's own turns, and a head that counts the others as erased."""
        taken = 0
        for piece in pieces:
            if piece.key.sk == HEAD:
                turns.left_out = turns.count - taken
                yield piece.having(owners=str(self._scope.owner), erased=turns.through - taken)
            elif own := own_turns(piece.key.sk, piece.body.get("content"), self._scope.user):
                taken += len(own) if piece.key.sk.startswith(PACKED) else 1
                yield replace(piece, body={"content": own})

    def _logs(self) -> set[str]:
        """Return the logs of the scope, those included that sessions first wrote to meanwhile."""
        scope, found = self._scope, set[str]()
        for pk, head in self._heads.items():
            where = session_of(pk)
            if scope.project in {None, where.project}:
                found.update(log_pk(scope.tenant, where.project, owner) for owner in head.owners)
        found.update(pk for pk in self._of_kind("m") if parts_of(pk)[2] is not None)
        return {pk for pk in found if scope.user is None or scope.has_log(pk)}

    def _registries(self, logs: set[str]) -> Iterator[Piece]:
        """Yield what makes the logs known to their projects, and counts the files of these."""
        for project in sorted({log_of(pk)[1] for pk in logs} | self._file_bytes.keys()):
            pk = registry_pk(self._scope.tenant, project)
            for item in self._range(pk, registry_sk("")):
                if log_pk(self._scope.tenant, project, Key.of(item).sk.removeprefix(registry_sk(""))) in logs:
                    yield Piece(Key.of(item), item)
            if self._scope.user is None and (bytes_ := self._file_bytes[project]):
                yield Piece(Key(pk, FILES), {"bytes": bytes_})

    def _archived(self) -> Iterator[Record]:
        """Yield the records of archived sessions, which are the tenant's, or as a session a user's alone."""
        scope = self._scope
        sole = scope.sole_sessions(self._heads.values())
        for item in self._range(f"{scope.tenant}#a", POINTERS):
            if scope == DataScope(scope.tenant) or item.get("source_session_id") in sole:
                with suppress(NotFound):  # it is being deleted
                    opened: Any = self._archive.take_out(scope.tenant, item)
                    yield {**record_of(scope.tenant, Piece(Key.of(item), item)), "archived": opened}

    def _is_kept(self, item: Attributes) -> bool:
        return Entry.of(item).is_there(self._now)

    def _has_expired(self, item: Attributes) -> bool:
        return number(item, "expires_at", 2**63) <= int(self._now.timestamp())
