"""Write documents: all changes of a call are one transaction, based on what this process knows of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from functools import partial

from cairn.documents import changes, contents
from cairn.documents.changes import Change
from cairn.documents.collecting import Collector
from cairn.documents.contents import Sealed
from cairn.documents.model import Held, Owner, Wanted, key_at
from cairn.ground import retries
from cairn.ground.adapters import Adapters, Pending
from cairn.ground.bounded import BoundedCache
from cairn.ground.codec import canonical
from cairn.ground.errors import CairnError, Conflict, Refusal, ResourceBusy, TransactionRefused
from cairn.ground.settings import Quotas
from cairn.ground.table import Attributes, Key, Put, conditions_lost
from cairn.vault.vault import Vault

COLLECT_AT = 16
"""How much has to have fallen due before a write collects it, which costs it two round trips more."""
MOST_KNOWN = 4096
"""Of how many documents a process keeps what it last wrote: a guess, which the store confirms or corrects."""


class Writing:
    """Changes documents, several at once."""

    def __init__(self, adapters: Adapters, vault: Vault, quotas: Quotas) -> None:
        """Know of no document yet."""
        self.adapters = adapters
        self.vault = vault
        self.quotas = quotas
        self.known: BoundedCache[Key, Held] = BoundedCache(entries=MOST_KNOWN)
        self.collector = Collector(adapters)

    def write(self, owner: Owner, wanted: Sequence[Wanted]) -> list[int]:
        """Make all changes or none, and return the documents' versions, 0 of those that are gone.

        Conflict, which tells the versions there, where a document has another than it was to have; QuotaExceeded.
        """
        return _Call(self, owner, wanted).run()


class _Call:
    """One call that writes: what it wants, and what is known of that."""

    def __init__(self, writing: Writing, owner: Owner, wanted: Sequence[Wanted]) -> None:
        self._by = writing
        self._adapters = writing.adapters
        self._owner = owner
        self._wanted = dict(zip((key_at(owner, each.place) for each in wanted), wanted, strict=True))
        self._old = {where: writing.known.peek(where) for where in self._wanted}
        self._read = set[Key]()
        self._sealed = dict[Key, Sealed]()
        self._drops: list[Put] = []

    def run(self) -> list[int]:
        """Commit and return the versions; only what was read is refused for good."""
        for attempt in range(retries.ATTEMPTS):
            now = self._adapters.clock.now()
            objecting = [where for where, each in self._wanted.items() if not self._agrees(where, each, now)]
            doubtful = {*objecting, *self._nothing_to_delete(now)} - self._read
            if doubtful:
                self._look_at(doubtful)
                continue
            if objecting:
                return self._told_again(objecting, now)
            changed = self._changes(now)
            refused = self._try(changed) if changed else None
            if refused is None:
                return self._remembered(changed)
            self._learn(refused, attempt)
        raise ResourceBusy("Too many calls are writing these documents; try again", {"resource": "documents"})

    def _agrees(self, where: Key, wanted: Wanted, now: datetime) -> bool:
        """Tell whether a document has the version that it is to have, as far as is known."""
        return wanted.if_version is None or wanted.if_version == self._version(where, now)

    def _version(self, where: Key, now: datetime) -> int:
        held = self._old[where]
        return held.version if held is not None and held.is_there(now) else 0

    def _nothing_to_delete(self, now: datetime) -> list[Key]:
        """Return where nothing is to be deleted, as far as is known."""
        return [where for where, each in self._wanted.items() if each.value is None and not self._version(where, now)]

    def _look_at(self, keys: Iterable[Key]) -> None:
        """Read what is known of documents, all at once."""
        reads = {where: Pending(partial(self._adapters.table.get, where)) for where in keys}
        self._adapters.parallel(list(reads.values()))
        self._old |= {where: None if read.result is None else Held.of(read.result) for where, read in reads.items()}
        self._read.update(reads)

    def _changes(self, now: datetime) -> list[Change]:
        """Return the changes to make; deleting what is not there is none."""
        self._seal()
        nothing = set(self._nothing_to_delete(now))
        return [self._change(where, each, now) for where, each in self._wanted.items() if where not in nothing]

    def _change(self, where: Key, wanted: Wanted, now: datetime) -> Change:
        old, prior = self._old[where], wanted.if_version
        if wanted.value is None:
            return Change(wanted.place, old, None, prior=prior)
        there = old if old is not None and old.is_there(now) else None
        seconds, sealed = wanted.ttl_seconds, self._sealed[where]
        new = Held(
            version=retries.next_version(now, -1 if old is None else old.version),
            size=len(wanted.place.sk.encode()) + len(canonical(wanted.value)),
            created_at=now if there is None else there.created_at,
            updated_at=now,
            until=None if seconds is None else now + timedelta(seconds=seconds),
            blob=sealed.digest,
            prior=prior,
            indexed=wanted.index is not False,
        )
        return Change(wanted.place, old, new, dict(sealed.attributes), prior)

    def _seal(self) -> None:
        """Seal the values, once, and store those that are blobs, which are named as of no use until the commit."""
        if self._sealed:
            return
        vault, tenant = self._by.vault, self._owner.tenant
        for where, wanted in self._wanted.items():
            if wanted.value is not None:
                self._sealed[where] = contents.sealed(vault, tenant, where, wanted)
        blobs = [(each.blob, each.digest) for each in self._sealed.values() if each.blob is not None]
        self._drops = changes.dropping(self._adapters, self._owner, [digest for _, digest in blobs if digest])
        for drop in self._drops:
            self._adapters.table.put(drop)
        puts = [partial(self._adapters.blobs.put, tenant, blob) for blob, _ in blobs]
        if puts:
            self._adapters.parallel(puts)

    def _try(self, changed: Sequence[Change]) -> Mapping[Key, Refusal] | None:
        """Commit and look meanwhile for what has fallen due; return what was refused, None where nothing was."""
        adapters, collector, tenant = self._adapters, self._by.collector, self._owner.tenant
        writes = [*changes.writes(adapters, self._owner, changed, self._by.quotas), *changes.adopting(self._drops)]
        due: list[Attributes] = []

        def look() -> None:
            with suppress(CairnError):  # a later write finds it again
                due.extend(collector.due(tenant))

        try:
            adapters.parallel([lambda: adapters.table.transact(writes), look])
        except TransactionRefused as refused:
            return conditions_lost(writes, refused)
        if len(due) >= COLLECT_AT:
            with suppress(CairnError):
                collector.collect(tenant, due)
        return None

    def _learn(self, refused: Mapping[Key, Refusal], attempt: int) -> None:
        """Take from a refusal what documents are there; wait where others were only faster. QuotaExceeded."""
        raced = {where: why.item for where, why in refused.items() if where in self._wanted}
        self._old |= {where: None if item is None else Held.of(item) for where, item in raced.items()}
        self._read.update(raced)
        if raced:
            return
        if changes.usage_key(self._owner) in refused:
            due = self._by.collector.due(self._owner.tenant)
            if not due or not self._by.collector.collect(self._owner.tenant, due):
                raise changes.quota_exceeded()
            return
        retries.wait(self._adapters, attempt)

    def _told_again(self, objecting: Sequence[Key], now: datetime) -> list[int]:
        """Return the versions there if this very call made them, whose answer was lost; Conflict otherwise."""
        others = [where for where in objecting if not self._is_as_wanted(where, now)]
        named = [where for where, each in self._wanted.items() if each.if_version is not None]
        if not others and all(self._is_as_wanted(where, now) for where in named):
            return [self._version(where, now) for where in self._wanted]
        found = [
            {
                "collection": list(self._wanted[where].place.collection),
                "key": self._wanted[where].place.key,
                "version": self._version(where, now),
            }
            for where in (others or objecting)
        ]
        raise Conflict("Documents have other versions", {"documents": found})

    def _is_as_wanted(self, where: Key, now: datetime) -> bool:
        """Tell whether a document is as this call would have left it, on the same condition."""
        wanted, held = self._wanted[where], self._old[where]
        if held is None or held.prior != wanted.if_version:
            return False
        if wanted.value is None:
            return held.removed
        item = self._adapters.table.get(where) if held.is_there(now) else None
        if item is None or item.get("version") != held.version:
            return False
        content = contents.opened(self._by.vault, self._owner.tenant, item)
        seconds = None if held.until is None or held.updated_at is None else held.until - held.updated_at
        return (
            canonical(content.value) == canonical(wanted.value)
            and content.index == wanted.index
            and seconds == (None if wanted.ttl_seconds is None else timedelta(seconds=wanted.ttl_seconds))
        )

    def _remembered(self, changed: Sequence[Change]) -> list[int]:
        """Remember what is stored now, and return the versions."""
        versions = dict.fromkeys(self._wanted, 0)
        for change in changed:
            where = key_at(self._owner, change.place)
            self._by.known.put(where, change.left)
            versions[where] = 0 if change.new is None else change.new.version
        return list(versions.values())
