"""Turn changes of documents into the writes of one transaction: items, counters, what was changed, blobs of no use.

A document's item decides: every change is conditioned on the version it holds. A deleted one leaves that item behind,
empty, for the table to expire, so that a deletion can be conditioned, and told again, like any other change.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from cairn.documents import layout
from cairn.documents.model import USAGE, Held, Owner, Place, key_at
from cairn.ground.adapters import Adapters
from cairn.ground.codec import rfc3339
from cairn.ground.errors import QuotaExceeded
from cairn.ground.ids import Digest, time_ordered_id
from cairn.ground.settings import Quotas
from cairn.ground.table import (
    ABSENT,
    AllOf,
    AnyOf,
    Condition,
    Delete,
    Equals,
    Key,
    LessThan,
    Missing,
    Put,
    Scalar,
    Update,
    Write,
    key_of,
)

GRACE = timedelta(hours=1)
"""How long a blob outlives its document: longer than any call that may have read its name, or has yet to commit it."""
REMEMBERED = timedelta(days=1)
"""How long what a deletion leaves, and what tells of a change, stays for those that come late."""


@dataclass(frozen=True, slots=True)
class Change:
    """A document before and after; `new` is None if it goes, `content` is what its item holds of its value.

    `prior` is the version that the call named, where it named one.
    """

    place: Place
    old: Held | None
    new: Held | None
    content: dict[str, Scalar] = field(default_factory=dict[str, Scalar])
    prior: int | None = None

    @property
    def left(self) -> Held:
        """Return what is known afterwards; a deletion has a version too, so that no two changes share one."""
        last = 0 if self.old is None else self.old.version
        return self.new or Held(version=last + 1, removed=True, prior=self.prior)

    @property
    def documents(self) -> int:
        """Return how many documents more there are."""
        return (self.new is not None) - (self.old is not None and not self.old.removed)

    @property
    def size(self) -> int:
        """Return how many bytes more are stored."""
        return (self.new.size if self.new else 0) - (self.old.size if self.old and not self.old.removed else 0)

    @property
    def plain(self) -> int:
        """Return how many documents more there are that are not searched by words."""
        before = self.old is not None and not self.old.removed and not self.old.indexed
        return (self.new is not None and not self.new.indexed) - before

    @property
    def is_indexed(self) -> bool:
        """Tell whether searches by words have to learn of it."""
        return any(held is not None and held.indexed for held in (self.old, self.new))


def usage_key(owner: Owner) -> Key:
    """Return where an owner's documents are counted."""
    return Key(owner.pk, layout.USAGE)


def item_write(owner: Owner, change: Change, now: datetime) -> Put:
    """Return the write of a document's item, which holds only if it still is as it was."""
    where, old = key_at(owner, change.place), change.old
    condition: Condition = ABSENT if old is None else Equals("version", old.version)
    item: dict[str, Scalar] = {"pk": where.pk, "sk": where.sk, **change.left.attributes(), **change.content}
    if change.new is None:
        item["expires_at"] = int((now + REMEMBERED).timestamp())
    elif change.new.until is not None:
        item |= {"ipk": layout.due_pk(owner.tenant), "isk": rfc3339(change.new.until)}
    return Put(item, condition)


def counting(owner: Owner, changes: Sequence[Change], quotas: Quotas | None) -> list[Write]:
    """Return the write that counts changes, held to the quotas if some are given.

    QuotaExceeded where they could not fit if there were nothing else.
    """
    documents, size = sum(each.documents for each in changes), sum(each.size for each in changes)
    told, plain = int(any(each.is_indexed for each in changes)), sum(each.plain for each in changes)
    added = {name: number for name, number in zip(USAGE, (documents, size, told, plain), strict=True) if number}
    room = _room(documents, size, quotas) if quotas is not None else None
    return [Update(usage_key(owner), add=added, condition=room)] if added else []


def telling(adapters: Adapters, owner: Owner, changes: Sequence[Change]) -> list[Write]:
    """Return the write that tells which documents changed of those that are searched by words; none where none did."""
    changed = [change.place.sk for change in changes if change.is_indexed]
    if not changed:
        return []
    sk = layout.change_sk(_new_id(adapters))
    until = int((adapters.clock.now() + REMEMBERED).timestamp())
    return [Put({"pk": owner.pk, "sk": sk, "changed": "\n".join(changed), "expires_at": until})]


def dropping(adapters: Adapters, owner: Owner, blobs: Sequence[Digest]) -> list[Put]:
    """Return the write that names blobs which are of no use after a while; none where there are none."""
    if not blobs:
        return []
    due = {"ipk": layout.due_pk(owner.tenant), "isk": rfc3339(adapters.clock.now() + GRACE)}
    return [Put({"pk": owner.pk, "sk": layout.drop_sk(_new_id(adapters)), "blobs": "\n".join(blobs), **due})]


def writes(adapters: Adapters, owner: Owner, changes: Sequence[Change], quotas: Quotas | None) -> list[Write]:
    """Return the writes of a transaction: those of the documents' items first and in order, then the counter's."""
    now = adapters.clock.now()
    gone = [each.old.blob for each in changes if each.old is not None and each.old.blob is not None]
    return [
        *(item_write(owner, change, now) for change in changes),
        *counting(owner, changes, quotas),
        *telling(adapters, owner, changes),
        *dropping(adapters, owner, gone),
    ]


def adopting(drops: Sequence[Put]) -> list[Write]:
    """Return the writes by which a transaction takes over the blobs that were named as of no use."""
    return [Delete(key_of(put)) for put in drops]


def quota_exceeded() -> QuotaExceeded:
    """Return the refusal of what is over the quota."""
    return QuotaExceeded("As many documents or bytes are kept as may be; delete some", {"quota": "documents"})


def _room(documents: int, size: int, quotas: Quotas) -> Condition | None:
    rooms: list[Condition] = []
    limits = (quotas.documents, quotas.document_bytes)
    for name, more, most in zip(("documents", "size"), (documents, size), limits, strict=True):
        if more > most:
            raise quota_exceeded()
        if more > 0:
            rooms.append(AnyOf((Missing(name), LessThan(name, most - more + 1))))
    return AllOf(tuple(rooms)) if rooms else None


def _new_id(adapters: Adapters) -> str:
    return time_ordered_id(adapters.clock.now(), adapters.entropy.token(10))
