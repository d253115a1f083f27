"""Decide when a session is due for maintenance, and keep the index entry that says so.

Whoever holds a session's lease decides over its entry: a commit makes sure of one, a run of maintenance moves it to
the next moment at which something falls due, or removes it. So no turn is left without an entry, and a session that
is spoken in has its entry written once between two runs, not at every turn.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from cairn.ground import ids
from cairn.ground.errors import CorruptData, InvalidArgument
from cairn.ground.session import Session
from cairn.ground.settings import MemorySettings
from cairn.ground.table import Attributes, Key
from cairn.sessions.head import Head
from cairn.sessions.layout import HEAD, due_pk, due_shard, due_sk, session_of

A_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class EntryChange:
    """The change that an update of a session's head makes to its index entry; by default none."""

    set: Mapping[str, str] = field(default_factory=dict[str, str])
    remove: tuple[str, ...] = ()


KEPT = EntryChange()


@dataclass(frozen=True, slots=True)
class DueEntry:
    """A head in the index, with the sort key that says when it is due, None if it was not listed."""

    key: Key
    due: str | None

    @classmethod
    def of(cls, item: Attributes) -> DueEntry:
        """Return the entry that an item of the index is, or that a head has, whatever it says when that is due."""
        due = item.get("isk")
        return cls(Key.of(item), due if isinstance(due, str) else None)

    @property
    def is_of_session(self) -> bool:
        """Tell whether it is the entry of a session's head."""
        try:
            named = self.session
            ids.project(named.project)
            return self.key.sk == HEAD and ids.session_id(named.session_id) == named.session_id
        except (CorruptData, InvalidArgument):
            return False

    @property
    def session(self) -> Session:
        """Return the session that is due; CorruptData where the entry names none."""
        return session_of(self.key.pk)


def interval(settings: MemorySettings) -> timedelta:
    """Return the least time between two scheduled runs: that between two refreshes of summaries, but at most a day."""
    return min(timedelta(minutes=settings.summary_refresh_interval_minutes), A_DAY)


def at(session: Session, when: datetime | None) -> EntryChange:
    """Return the change that makes a session due at this moment, or at none."""
    if when is None:
        return EntryChange(remove=("ipk", "isk"))
    return EntryChange({"ipk": due_pk(due_shard(session)), "isk": due_sk(when)})


def no_later_than(session: Session, head: Head, when: datetime) -> EntryChange:
    """Return the change that makes a session due at this moment, none where its head says that or an earlier one.

    On a branch no session ever is: what it adds is kept as it is, until it is merged or dropped.
    """
    return KEPT if is_due(head, when) or ids.is_branch(session.project) else at(session, when)


def is_due(head: Head, now: datetime) -> bool:
    """Tell whether the moment in the head's entry has come."""
    return head.due is not None and head.due <= due_sk(now)
