"""The head of a log: its counters, its state, and what a change of it is conditioned on."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from cairn.ground import attributes, codec
from cairn.ground.ids import Digest
from cairn.ground.retries import next_version
from cairn.ground.table import ABSENT, AllOf, Attributes, Condition, Equals, Key, Scalar, Update
from cairn.vault.vault import blob_of, sealed_content

KEPT = timedelta(days=1)
"""How long the head of a deleted log stays, so that no later log of its name begins with a revision that it had."""
ANY_ROW = -1
"""What `newest` is where a row in the middle was changed."""
_SEALED = ("kid", "data", "blob")


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """A log's head; one with revision 0 is not stored.

    `next` is the position of the next item, and what lies below `floor` was deleted with the whole log. `newest` is the
    revision at which the newest row was written, 0 where there is none. `gone` says that the log was deleted, `swept`
    whether all below the floor is gone.
    """

    revision: int = 0
    count: int = 0
    size: int = 0
    next: int = 0
    floor: int = 0
    newest: int = 0
    taken: int = 0
    created_at: str = ""
    updated_at: str = ""
    gone: bool = False
    swept: bool = True
    state: Attributes = field(default_factory=dict[str, Scalar])

    @classmethod
    def of(cls, item: Attributes | None) -> Head:
        """Return the head that an item holds, that of no log where there is none; CorruptData where it holds none."""
        if item is None:
            return cls()
        names = ("revision", "count", "size", "next", "floor", "newest", "taken")
        numbers = {name: attributes.number(item, name) for name in names}
        return cls(
            **numbers,
            created_at=codec.rfc3339(attributes.moment(item, "created_at")),
            updated_at=codec.rfc3339(attributes.moment(item, "updated_at")),
            gone="gone" in item,
            swept="unswept" not in item,
            state=sealed_content(item),
        )

    @property
    def is_there(self) -> bool:
        """Tell whether there is such a log."""
        return self.revision > 0 and not self.gone

    @property
    def told(self) -> int:
        """Return the revision that callers see: 0 where there is no log."""
        return self.revision if self.is_there else 0

    @property
    def state_blob(self) -> Digest | None:
        """Return the blob of the state, None where it has none."""
        return blob_of(self.state)

    def later(self, now: datetime) -> int:
        """Return the revision of a change that is made now.

        It tells the time, so that a log never has one again that an earlier log of its name had.
        """
        return next_version(now, self.revision)

    def appended(self, now: datetime, items: int, size: int, state: Attributes | None) -> Head:
        """Return the head after an append; one without a log before it begins one."""
        revision, moment = self.later(now), codec.rfc3339(now)
        began = self if self.is_there else replace(self, taken=0, created_at=moment, gone=False, state={})
        return replace(
            began,
            revision=revision,
            count=self.count + items,
            size=self.size + size,
            next=self.next + items,
            newest=revision if items else self.newest,
            updated_at=moment,
            state=began.state if state is None else state,
        )

    def emptied(self, now: datetime) -> Head:
        """Return the head once the log is deleted: whatever was made under an earlier `next` lies below the floor."""
        return Head(
            revision=self.later(now),
            next=self.next + 1,
            floor=self.next + 1,
            created_at=self.created_at,
            updated_at=codec.rfc3339(now),
            gone=True,
            swept=False,
        )

    def to_item(self, where: Key) -> dict[str, Scalar]:
        """Return the item that is stored."""
        return {"pk": where.pk, "sk": where.sk, **self.attributes()}

    def attributes(self) -> dict[str, Scalar]:
        """Return what an item keeps of it."""
        kept: dict[str, Scalar] = {
            "revision": self.revision,
            "count": self.count,
            "size": self.size,
            "next": self.next,
            "floor": self.floor,
            "newest": self.newest,
            "taken": self.taken,
            "created_at": self.created_at,
            "updated_at": self.updated_at,
        }
        marks = {"gone": self.gone, "unswept": not self.swept}
        return {**kept, **{name: 1 for name, is_so in marks.items() if is_so}, **self.state}


def changed(where: Key, before: Head, after: Head) -> Update:
    """Return the write that leaves `after` where `before` is: its state is written only where that changed."""
    now, was = after.attributes(), before.attributes()
    has_state = after.state != before.state
    kept = {name: value for name, value in now.items() if name not in _SEALED or has_state}
    gone = [name for name in (*was, "expires_at") if name not in now]
    return Update(where, set=kept, remove=tuple(gone), condition=_as_read(before, has_state=has_state))


def _as_read(head: Head, *, has_state: bool) -> Condition:
    """Return that the head is as it was read, and so is its state where that is replaced: new data keys move it."""
    if head.revision == 0:
        return ABSENT
    parts: list[Condition] = [Equals("revision", head.revision)]
    if has_state and head.state_blob is not None:
        parts.append(Equals("blob", head.state_blob))
    return AllOf(tuple(parts)) if len(parts) > 1 else parts[0]
