"""Append to a log: one transaction under the revision that this process knows.

Where it knows none or an old one, the refusal brings what is stored, and a second transaction settles it. An item whose
guard is there is not stored again: if it says the same it counts as replayed, and otherwise it is a conflict.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial

from cairn.ground import retries
from cairn.ground.adapters import Adapters, Pending
from cairn.ground.errors import CairnError, Conflict, QuotaExceeded, Refusal, ResourceBusy, TransactionRefused
from cairn.ground.ids import Digest
from cairn.ground.settings import Limits
from cairn.ground.table import Attributes, Key, Put, Write, conditions_lost
from cairn.items import layout
from cairn.items.dropped import blobs_of, discard, dropping, due
from cairn.items.guards import Guard, digest_of
from cairn.items.head import Head, changed
from cairn.items.heads import Heads
from cairn.items.model import UNCHANGED, Append, Appended, Item, Log, NewItem, size_of
from cairn.items.rows import Rows
from cairn.items.sweep import Sweep
from cairn.vault.vault import MAX_INLINE_BYTES, Vault


@dataclass(frozen=True, slots=True)
class _Known:
    """What is known of a log: its head and those guards of an append that are there; `sure` if a call has read it."""

    head: Head
    guards: Mapping[str, Guard] = field(default_factory=dict[str, Guard])
    sure: bool = False

    def there(self, sk: str) -> Guard | None:
        """Return a guard, unless it is of a log that was deleted."""
        guard = self.guards.get(sk)
        return None if guard is None or guard.position < self.head.floor else guard


class _Wanted:
    """An append with the digests by which its items are known again."""

    def __init__(self, append: Append) -> None:
        """Find what each guard has to say; Conflict where an id stands for two items."""
        self.append = append
        self.digests: dict[str, str] = {}
        self.items: dict[str, NewItem] = {}
        for item in append.items:
            sk, digest = layout.guard_sk(item.id), digest_of(item.data)
            if self.digests.setdefault(sk, digest) != digest:
                raise _conflict([item.id])
            self.items[sk] = item
        if not append.items and append.operation_id is not None and append.state is not UNCHANGED:
            self.digests[layout.operation_sk(append.operation_id)] = digest_of(append.state)

    def new(self, known: _Known) -> list[str]:
        """Return the guards that are not there."""
        return [sk for sk in self.digests if known.there(sk) is None]

    def size(self, guards: Sequence[str]) -> int:
        """Return what the items of these guards count."""
        return sum(size_of(self.items[sk].id, self.items[sk].data) for sk in guards if sk in self.items)

    def objection(self, known: _Known, limits: Limits) -> CairnError | None:
        """Return why this may not be appended to what is known, None where it may."""
        found = {sk: guard for sk in self.digests if (guard := known.there(sk)) is not None}
        if differing := [sk for sk, guard in found.items() if guard.digest != self.digests[sk]]:
            return _conflict([self.items[sk].id for sk in differing if sk in self.items])
        new = self.new(known)
        if found and not new:
            return None
        expected, head = self.append.expected_revision, known.head
        if expected is not None and expected != head.told:
            return Conflict("The log has another revision", {"revision": head.told})
        full = {
            "log_items": (head.count + len(self.items.keys() & set(new)), limits.log_items),
            "log_bytes": (head.size + self.size(new), limits.log_bytes),
        }
        return next((_full(name, most) for name, (wanted, most) in full.items() if wanted > most), None)

    def is_done(self, known: _Known) -> bool:
        """Tell whether there is nothing to write: all of it was appended before, or it says nothing."""
        return not self.new(known) and (bool(self.digests) or self.append.state is UNCHANGED)

    def answer(self, known: _Known, head: Head, positions: Mapping[str, int]) -> Appended:
        """Return what the caller is told, where these guards were written now."""
        all_positions = {sk: guard.position for sk in self.items if (guard := known.there(sk)) is not None}
        places = all_positions | dict(positions)
        told = tuple(places[layout.guard_sk(item.id)] for item in self.append.items)
        return Appended(head.told, head.count, told, len(told) - len(self.items.keys() & positions.keys()))


@dataclass(frozen=True, slots=True)
class _Attempt:
    """One transaction: the head that it leaves, where it puts the items, its writes, and the blobs made for it."""

    head: Head
    positions: Mapping[str, int]
    writes: Sequence[Write]
    blobs: Sequence[Digest]


class Appending:
    """Appends to logs."""

    def __init__(self, adapters: Adapters, vault: Vault, heads: Heads, limits: Limits) -> None:
        """Hold logs to these limits."""
        self._adapters = adapters
        self._vault = vault
        self._heads = heads
        self._limits = limits
        self._rows = Rows(adapters, vault)
        self._sweep = Sweep(adapters, heads)

    def append(self, log: Log, append: Append) -> Appended:
        """Append all or nothing and return the log afterwards; Conflict, QuotaExceeded, ResourceBusy."""
        wanted = _Wanted(append)
        known = _Known(self._heads.guess(log))
        if known.head.revision == 0 and wanted.size(list(wanted.items)) > MAX_INLINE_BYTES:
            known = self._read(log, wanted)  # what is large is sealed once, for its place
        for attempt in range(retries.ATTEMPTS):
            objection = wanted.objection(known, self._limits)
            if (objection is not None or wanted.is_done(known)) and not known.sure:
                known = self._read(log, wanted)
                continue
            if objection is not None:
                raise objection
            if wanted.is_done(known):
                return wanted.answer(known, known.head, {})
            tried = self._attempt(log, wanted, known)
            refused = self._transact(log, tried)
            if refused is None:
                return wanted.answer(known, self._done(log, known.head, tried), tried.positions)
            known = self._learned(log, known, refused)
            self._heads.wait(attempt)
        raise ResourceBusy("Too many calls are changing this log; try again", {"resource": "log"})

    def _read(self, log: Log, wanted: _Wanted) -> _Known:
        head = Pending(partial(self._heads.read, log))
        guards = {sk: Pending(partial(self._adapters.table.get, Key(log.pk, sk))) for sk in wanted.digests}
        self._adapters.parallel([head, *guards.values()])
        found = {sk: item for sk, each in guards.items() if (item := each.result) is not None}
        return _Known(head.result, self._guards(log, found), sure=True)

    def _attempt(self, log: Log, wanted: _Wanted, known: _Known) -> _Attempt:
        now, before = self._adapters.clock.now(), known.head
        new = [sk for sk in wanted.items if known.there(sk) is None]
        positions = {sk: before.next + number for number, sk in enumerate(new)}
        items = [Item(positions[sk], wanted.items[sk].id, now, wanted.items[sk].data) for sk in new]
        state = (
            None if wanted.append.state is UNCHANGED else self._vault.seal(log.tenant, log.head, wanted.append.state)
        )
        after = before.appended(now, len(items), wanted.size(new), state)
        rows = [self._rows.sealed(log, before.next, items, after.revision)] if items else []
        marks = {sk: positions.get(sk, before.next) for sk in wanted.new(known)}
        guards = [
            Guard(position, before.next, wanted.digests[sk]).put(self._vault, log.tenant, Key(log.pk, sk), before.floor)
            for sk, position in marks.items()
        ]
        writes: list[Write] = [changed(log.head, before, after), *map(Put, rows), *guards]
        if state is not None and before.state_blob is not None:
            writes += dropping(self._adapters, log, before, [before.state_blob], now)
        return _Attempt(after, positions, writes, blobs_of((*rows, state or {})))

    def _transact(self, log: Log, tried: _Attempt) -> Mapping[Key, Refusal] | None:
        """Return what failed where the transaction was refused; what was made for it is deleted then."""
        try:
            self._adapters.table.transact(tried.writes)
        except TransactionRefused as refused:
            for blob in tried.blobs:
                self._adapters.blobs.delete(log.tenant, blob)
            return conditions_lost(tried.writes, refused)
        return None

    def _learned(self, log: Log, known: _Known, refused: Mapping[Key, Refusal]) -> _Known:
        """Return what a refusal says of the log; one for other reasons than its conditions says nothing."""
        if not refused:
            return known
        head = known.head
        if (raced := refused.get(log.head)) is not None:
            head = self._heads.remember(log, Head.of(raced.item))
        items = {key.sk: why.item for key, why in refused.items() if key.pk == log.pk and why.item is not None}
        guards = {sk: item for sk, item in items.items() if sk[0] in "go"}
        return _Known(head, self._guards(log, guards), sure=True)

    def _guards(self, log: Log, items: Mapping[str, Attributes]) -> Mapping[str, Guard]:
        return {sk: Guard.of(self._vault, log.tenant, item) for sk, item in items.items()}

    def _done(self, log: Log, before: Head, tried: _Attempt) -> Head:
        """Remember the head and tidy up; what fails of that is done by a later call."""
        with suppress(CairnError):
            if before.state_blob is not None and before.state_blob != tried.head.state_blob:
                discard(self._adapters, log.tenant, due(self._adapters, log))
            if not before.swept:
                self._sweep.some(log, tried.head)
        return self._heads.remember(log, tried.head)


def _conflict(ids: Sequence[str]) -> Conflict:
    if not ids:
        return Conflict("This operation_id stands for another state of this log", {"field": "operation_id"})
    return Conflict("An id stands for another item of this log", {"ids": list(ids)})


def _full(name: str, most: int) -> QuotaExceeded:
    message = (
        "The log holds as many items as it may" if name == "log_items" else "The log holds as many bytes as it may"
    )
    return QuotaExceeded(f"{message}; delete some", {"limit": name, "most": most})
