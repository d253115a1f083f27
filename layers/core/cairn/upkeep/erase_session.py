"""Erase a session: its files, its turns and everything derived from them; the head, by which it is found, goes last.

It goes in steps under the session's lease; stopped after any of them, it can be run again and finds what is left.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from itertools import islice
from typing import Any

from cairn.calls.layout import asked_pk
from cairn.files.own_files import OwnFiles
from cairn.ground.adapters import Holders
from cairn.ground.attributes import number
from cairn.ground.errors import ResourceBusy
from cairn.ground.paging import every
from cairn.ground.session import Session
from cairn.ground.settings import Limits
from cairn.ground.table import AllOf, Attributes, Delete, Equals, Key, Query, Update, Write, prefix_range
from cairn.log.closing import close
from cairn.log.layout import ENTRIES, log_owner, log_pk, registry_pk, registry_sk
from cairn.log.segments import Segments
from cairn.sessions.dropped_blobs import discard, dropping
from cairn.sessions.guards import Guard
from cairn.sessions.head import REMOVALS
from cairn.sessions.layout import (
    COMPACTED,
    GUARDS,
    HEAD,
    MEMORY_COUNT,
    NEWEST_SUMMARY,
    OPERATIONS,
    SUMMARIES,
    TOLD,
    session_pk,
)
from cairn.sessions.leased import Leased
from cairn.sessions.services import SessionServices
from cairn.vault.vault import blob_of

_AT_ONCE = 90
"""How many items go in one transaction of at most 100 writes."""
_ENTRIES_AT_ONCE = 30
"""How many entries of a log do, each with a blob, beside the log's segments, at most seven a level."""
_FILES = ("file", "part#", "drop#")
"""How sort keys of files begin, of what counts them, and of what names blobs that are to go."""
DERIVED = (COMPACTED, NEWEST_SUMMARY, SUMMARIES)
"""How sort keys begin of what tells of turns in other words."""


class EraseSession:
    """Erases sessions; each step deletes some more, and yields how many blobs that were."""

    def __init__(self, services: SessionServices) -> None:
        """Hold no state of its own."""
        self._services = services
        self._adapters = services.adapters
        self._segments = Segments(services.adapters, services.vault)
        self._files = OwnFiles(services, Limits())

    def is_in_use(self, session: Session) -> bool:
        """Tell whether a turn of the session is being committed, or was begun and may still be."""
        now, holders = self._adapters.clock.now(), self._adapters.holders()
        begun = self._items(session, lambda sk: sk.startswith((GUARDS, OPERATIONS)))
        return any(_is_claim(item, now, holders) or _is_begun(item, now) for item in begun)

    def empty(self, held: Leased) -> Iterator[int]:
        """Delete all that the session's partition holds, and what was asked of memory in it."""
        self._delete_receipts(held)
        yield from self._delete_files(held)
        yield from self._delete(held, self._items(held.session, lambda _: True))
        held.write([Delete(held.key, held.held)])

    def forget(self, held: Leased, until: datetime) -> Iterator[int]:
        """Delete the session, and what was said in it from memory; what was learnt and kept in it stays.

        So does the claim of a turn that is being committed: it will be the first of a new session.
        """
        now = self._adapters.clock.now()
        self._delete_receipts(held)
        yield from self._delete_files(held)
        # First, so that nothing tells of a turn that is gone.
        yield from self._delete(held, self._items(held.session, lambda sk: sk.startswith((*DERIVED, OPERATIONS))))
        for owner in held.head.owners:
            yield from self._forget_texts(held, owner)
            self._services.indexer.run(held.session.tenant, held.session.project, owner, until)
        owner = log_owner(None, held.session.session_id)
        place = held.session.tenant, held.session.project
        close(self._adapters, log_pk(*place, owner), Key(registry_pk(*place), registry_sk(owner)))
        rest = self._items(held.session, lambda sk: sk != MEMORY_COUNT)
        yield from self._delete(held, (item for item in rest if not _is_claim(item, now, self._adapters.holders())))
        held.write([Delete(held.key, held.held)])

    def _items(self, session: Session, wanted: Callable[[str], bool]) -> Iterator[Attributes]:
        for item in every(self._adapters.table, Query(session_pk(session), "\x01", "\U0010ffff")):
            sk = Key.of(item).sk
            if sk != HEAD and not sk.startswith(_FILES) and wanted(sk):
                yield item

    def _delete_receipts(self, held: Leased) -> None:
        for item in every(self._adapters.table, Query(asked_pk(held.session.tenant, held.session), "0", "\U0010ffff")):
            held.keep()
            self._adapters.table.delete(Delete(Key.of(item)))

    def _delete_files(self, held: Leased) -> Iterator[int]:
        for path in self._files.paths(held.session):
            held.keep()
            self._files.delete(held.session, path, None)
            yield 0
        yield discard(self._adapters, held.session)
        if not self._files.forget(held.session):
            raise ResourceBusy("a file of the session is being written by another call", {"resource": "file"})

    def _delete(self, held: Leased, items: Iterable[Attributes]) -> Iterator[int]:
        for some in _batched(items, _AT_ONCE):
            held.keep()
            blobs = [item["blob"] for item in some if "blob" in item]
            deletes = [Delete(Key.of(item)) for item in some]
            told = Update(held.key, add={REMOVALS: 1}, condition=held.held)
            held.write([told, *deletes, *dropping(self._adapters, held.session, blobs)])
            yield discard(self._adapters, held.session) if blobs else 0

    def _forget_texts(self, held: Leased, owner: str) -> Iterator[int]:
        """Take the session's turns out of a log; the facts that they changed stay in it."""
        session = held.session
        pk = log_pk(session.tenant, session.project, owner)
        for some in _batched(self._entries(held, pk), _ENTRIES_AT_ONCE):
            held.keep()
            writes: list[Write] = [self._without_turn(session, item, record) for item, record in some]
            writes.append(Update(held.key, add={"erased": len(some)}, condition=held.held))
            self._segments.rewrite(pk, writes, [blob for item, _ in some if (blob := blob_of(item)) is not None])
            yield 0
        self._segments.drop_discarded(session.tenant, pk)

    def _entries(self, held: Leased, pk: str) -> Iterator[tuple[Attributes, dict[str, Any]]]:
        """Yield the entries of a log that hold turns of the session."""
        for item in every(self._adapters.table, Query(pk, *prefix_range(ENTRIES))):
            held.keep()
            record = self._services.vault.unseal(held.session.tenant, item)
            if record["session"] == held.session.session_id and record["turn"]:
                yield item, record

    def _without_turn(self, session: Session, item: Attributes, record: Mapping[str, Any]) -> Write:
        where = Key.of(item)
        unchanged = AllOf(tuple(Equals(name, item[name]) for name in ("data", "blob") if name in item))
        rest = {**record, "turn": None}
        if not any(rest[name] for name in rest if name not in {"session", "at"}):
            return Delete(where, unchanged)
        sealed = self._services.vault.seal(session.tenant, where, rest)
        gone = tuple(name for name in ("data", "blob") if name in item and name not in sealed)
        return Update(where, set=sealed, remove=gone, condition=unchanged)


def _batched(items: Iterable[Any], size: int) -> Iterator[list[Any]]:
    found = iter(items)
    while some := list(islice(found, size)):
        yield some


def _is_claim(item: Attributes, now: datetime, holders: Holders) -> bool:
    """Tell whether an item is the claim of a turn that is being committed."""
    return Key.of(item).sk.startswith(GUARDS) and Guard.of(item).is_held(now, holders)


def _is_begun(item: Attributes, now: datetime) -> bool:
    """Tell whether an item is a turn that was begun, has not ended and may still be committed."""
    sk = Key.of(item).sk
    is_waiting = sk.startswith(OPERATIONS) and sk != TOLD and "ended" not in item
    return is_waiting and number(item, "expires_at") > int(now.timestamp())
