"""Number the records of each writer, so that one that is gone leaves a gap.

A process writes the records of calls that run at once as several writers, each of which writes one record after the
other: where a process dies, no number is left out but perhaps a writer's last, and nothing says that this one ever was.
Beside its first record a writer stores its count. A store in which that costs nothing counts every record with it.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass

from cairn.calls import layout
from cairn.ground.attributes import number
from cairn.ground.bounded import BoundedCache
from cairn.ground.errors import CairnError, InternalError, Unavailable
from cairn.ground.ids import Tenant
from cairn.ground.table import Attributes, Key, Scalar

_MOST_DAYS = 4096


@dataclass(slots=True)
class Writer:
    """Who writes records of one tenant's day, one after the other, and how many are stored so far."""

    id: str
    stored: int = 0
    is_lost: bool = False
    """It is not known whether its last record is stored, so that it writes no other."""


@dataclass(frozen=True, slots=True)
class WriterCount:
    """How many records a writer of a day has stored at least; `expires_at` is in epoch seconds."""

    day: str
    writer: str
    count: int
    expires_at: int

    @classmethod
    def of(cls, item: Attributes) -> WriterCount:
        """Return what an item says of a writer; CorruptData where it says nothing."""
        day, writer = layout.day_and_writer(Key.of(item).sk)
        return cls(day, writer, number(item, "count"), number(item, "expires_at"))

    def to_item(self, tenant: Tenant) -> dict[str, Scalar]:
        """Return the item that is stored among the tenant's, without its tag."""
        where = {"pk": layout.audit_pk(tenant), "sk": layout.writer_sk(self.day, self.writer)}
        return {**where, "count": self.count, "expires_at": self.expires_at}


class Writers:
    """The writers of this process, each lent to one call at a time."""

    def __init__(self, new_id: Callable[[], str]) -> None:
        """Start with none; `new_id` names new ones."""
        self._new_id = new_id
        self._free: BoundedCache[tuple[Tenant, str], list[Writer]] = BoundedCache(entries=_MOST_DAYS)

    @contextmanager
    def lent(self, tenant: Tenant, day: str) -> Generator[Writer]:
        """Lend a writer until its record is stored; where that failed, nobody gets it again."""
        free = self._free.get_or_put((tenant, day), list)
        with self._free.lock:
            writer = free.pop() if free else Writer(self._new_id())
        try:
            yield writer
        except CairnError as error:
            writer.is_lost |= isinstance(error, (Unavailable, InternalError))
            raise
        except BaseException:
            writer.is_lost = True
            raise
        finally:
            if not writer.is_lost:
                free.append(writer)


def count_tag(tag: str) -> str:
    """Return the tag that a count is stored with.

    It has another form than a record's, for which a data key is kept: the record that a count was written with needs
    the same key for as long.
    """
    return tag.replace(".", ":")
