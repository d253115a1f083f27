"""Take back the newest items of a log, once for each operation, in one transaction under the revision that was read.

The record that it was done stays with the log; what was taken stays for a day, for a retry whose answer was lost.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial

from cairn.ground import retries
from cairn.ground.adapters import Adapters, Pending
from cairn.ground.attributes import number
from cairn.ground.codec import rfc3339
from cairn.ground.damage import sound_or_none
from cairn.ground.errors import CairnError, Conflict, ResourceBusy, TransactionRefused
from cairn.ground.table import ABSENT, AnyOf, Attributes, Key, LessThan, Put, Write
from cairn.items import layout
from cairn.items.dropped import blobs_of, discard, dropping, due
from cairn.items.head import Head, changed
from cairn.items.heads import Heads
from cairn.items.model import MOST_BYTES, Item, Log, OperationId, TakenBack, total_size
from cairn.items.read import Found, Reading, Window
from cairn.items.rows import Row, Rows, content_of, items_of, without
from cairn.vault.vault import Vault

CONTENTS_KEPT = timedelta(days=1)
"""How long what was taken back can be told again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Seen:
    """What is stored before a take-back; `done` and `contents` are what an earlier one of this operation left."""

    head: Head
    found: Found
    done: Attributes | None
    contents: Attributes | None
    due: Sequence[Attributes]


@dataclass(frozen=True, slots=True)
class _Taken:
    """The newest items, the oldest first, the rows that hold them with what is left of each, and the newest row left.

    `newest` is the revision of the newest other row that stays, 0 where there is none.
    """

    items: tuple[Item, ...] = ()
    rows: Sequence[tuple[Row, Sequence[Item]]] = ()
    newest: int = 0


class TakingBack:
    """Takes items back."""

    def __init__(self, adapters: Adapters, vault: Vault, heads: Heads, reading: Reading) -> None:
        """Hold no state of its own."""
        self._adapters = adapters
        self._vault = vault
        self._heads = heads
        self._reading = reading
        self._rows = Rows(adapters, vault)

    def take_back(self, log: Log, operation_id: OperationId, count: int, expected: int | None) -> TakenBack:
        """Take back up to so many of the newest items, fewer where they are large; Conflict, ResourceBusy."""
        for attempt in range(retries.ATTEMPTS):
            seen = self._see(log, operation_id, count)
            head = seen.head
            if seen.done is not None:
                return TakenBack(self._told(log, seen.contents), head.told, repeated=True)
            if expected is not None and expected != head.told:
                raise Conflict("The log has another revision", {"revision": head.told})
            taken = self._newest(log, seen, count)
            if not taken.items:
                return TakenBack((), head.told)
            after = self._try(log, operation_id, seen, taken)
            if after is not None:
                self._tidy(log, seen, taken)
                return TakenBack(taken.items, after.revision)
            self._heads.wait(attempt)
        raise ResourceBusy("Too many calls are changing this log; try again", {"resource": "log"})

    def _see(self, log: Log, operation_id: OperationId, count: int) -> _Seen:
        window, get = Window(count), self._adapters.table.get
        head = Pending(partial(self._heads.read, log))
        found = Pending(partial(self._reading.find, log, window))
        done = Pending(partial(get, Key(log.pk, layout.taken_sk(operation_id))))
        contents = Pending(partial(get, Key(log.pk, layout.contents_sk(operation_id))))
        dropped = Pending(partial(due, self._adapters, log))
        prepared = Pending(partial(self._vault.prepare, log.tenant))
        self._adapters.parallel([head, found, done, contents, dropped, prepared])
        rows = found.result
        if not rows.is_as_told(self._adapters, head.result, window):
            rows = self._reading.find(log, window)
        record = done.result
        is_earlier = record is not None and number(record, "position") < head.result.floor
        return _Seen(
            head=head.result,
            found=rows,
            done=None if is_earlier else record,
            contents=contents.result,
            due=dropped.result,
        )

    def _told(self, log: Log, contents: Attributes | None) -> tuple[Item, ...]:
        """Return what was taken back, nothing once its time is up."""
        until = int(self._adapters.clock.now().timestamp())
        if contents is None or number(contents, "expires_at") <= until:
            return ()
        read = partial(self._vault.unseal, log.tenant)
        return tuple(sound_or_none(self._adapters, contents, lambda each: items_of(read(each))) or ())

    def _newest(self, log: Log, seen: _Seen, count: int) -> _Taken:
        head, taken, rows, stay = seen.head, list[Item](), list[tuple[Row, Sequence[Item]]](), list[Row]()
        if not head.is_there or head.count == 0:
            return _Taken()
        stored = (row for row in seen.found.rows(self._adapters) if head.floor <= row.last and row.first < head.next)
        for row, items in self._rows.opened(log, stored, at_once=1):
            room = count - len(taken)
            is_full = room == 0 or bool(taken and total_size(taken) + row.size > MOST_BYTES)
            if items and not is_full:
                taken += items[::-1][:room]
                rows.append((row, items[: max(0, len(items) - room)]))
            elif not rows or not rows[-1][1]:  # damaged, or too much; and no part of a newer one stays
                stay.append(row)
            if is_full:
                break
        return _Taken(tuple(taken[::-1]), rows, stay[0].revision if stay else 0)

    def _try(self, log: Log, operation_id: OperationId, seen: _Seen, taken: _Taken) -> Head | None:
        """Commit and return the head then, None where another call changed the log."""
        now, head = self._adapters.clock.now(), seen.head
        after = _after(head, taken, now)
        record = {"position": head.next, "at": rfc3339(now), "count": len(taken.items)}
        contents = self._contents(log, operation_id, taken, now + CONTENTS_KEPT)
        rows = [without(log, self._rows, row, left, after.revision) for row, left in taken.rows]
        dropped = [row.blob for row, _ in taken.rows if row.blob is not None]
        free = AnyOf((ABSENT, LessThan("position", head.floor)))
        writes: list[Write] = [
            changed(log.head, head, after),
            Put({"pk": log.pk, "sk": layout.taken_sk(operation_id), **record}, free),
            Put({**contents, "position": head.next}),
            *rows,
            *dropping(self._adapters, log, head, dropped, now),
            *dropping(self._adapters, log, head, blobs_of([contents]), now + CONTENTS_KEPT),
        ]
        try:
            self._adapters.table.transact(writes)
        except TransactionRefused:
            for blob in blobs_of([contents, *(write.item for write in rows if isinstance(write, Put))]):
                self._adapters.blobs.delete(log.tenant, blob)
            return None
        return self._heads.remember(log, after)

    def _contents(self, log: Log, operation_id: OperationId, taken: _Taken, until: datetime) -> Attributes:
        where = Key(log.pk, layout.contents_sk(operation_id))
        sealed = self._vault.seal(log.tenant, where, content_of(taken.items))
        return {"pk": where.pk, "sk": where.sk, "expires_at": int(until.timestamp()), **sealed}

    def _tidy(self, log: Log, seen: _Seen, taken: _Taken) -> None:
        """Delete blobs of no use any more; what fails of that is done by a later call."""
        if seen.due or any(row.blob for row, _ in taken.rows):
            with suppress(CairnError):
                discard(self._adapters, log.tenant, due(self._adapters, log))


def _after(head: Head, taken: _Taken, now: datetime) -> Head:
    revision = head.later(now)
    has_rest = any(left for _, left in taken.rows)
    return replace(
        head,
        revision=revision,
        count=head.count - len(taken.items),
        size=head.size - total_size(taken.items),
        newest=taken.newest or (revision if has_rest else 0),
        taken=head.taken + len(taken.items),
        updated_at=rfc3339(now),
    )
