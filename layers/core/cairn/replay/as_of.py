"""The store as a call found it: the same items without what came later, and without what would be written now.

Entries are only added to a log, behind all others, and those in a segment are in the table too. So a log as it was is
its entries up to one of them, with as many of its segments as end before that one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import takewhile

from cairn.ground.adapters import NoTally
from cairn.ground.codec import rfc3339
from cairn.ground.errors import CorruptData
from cairn.ground.ids import time_ordered_id
from cairn.ground.ports import Table
from cairn.ground.session import Session, on_trunk
from cairn.ground.table import Attributes, Delete, Key, Page, Put, Query, Update, Write
from cairn.log.layout import ENTRIES, MANIFEST, log_of, log_pk, log_sk
from cairn.log.manifest import Manifest
from cairn.sessions.head import COMPACTED_AT, Head, naming
from cairn.sessions.layout import HEAD, session_of

_HIGHEST = b"\xff" * 10


@dataclass(frozen=True, slots=True)
class Moment:
    """When a call was made, and how far it had read what is named in `cuts`; of the rest, all up to that time.

    `held_since` is when its agent had last put a summary in the place of its conversation, if it had.
    """

    at: datetime
    cuts: Mapping[str, str]
    held_since: datetime | None = None

    def of_log(self, pk: str) -> str:
        """Return the sort key up to which a log was read, "" where nothing was."""
        return self.cuts.get(pk, log_sk(time_ordered_id(self.at, _HIGHEST)))


class StoppedClock:
    """A clock that stands still."""

    def __init__(self, at: datetime) -> None:
        """Stand at a moment."""
        self._at = at

    def now(self) -> datetime:
        """Return that moment."""
        return self._at

    def sleep(self, seconds: float) -> None:
        """Wait for nothing."""


class Seen(NoTally):
    """Keeps how far a call has read; counts nothing."""

    def __init__(self) -> None:
        """Start with nothing read."""
        self.positions: dict[str, str] = {}

    def seen(self, name: str, position: str) -> None:
        """Note how far something was read."""
        self.positions[name] = position


class AsOf:
    """A table as it was. Writes are passed over."""

    def __init__(self, table: Table, moment: Moment) -> None:
        """Show what the table still has of that moment."""
        self._table = table
        self._moment = moment

    def get(self, key: Key) -> Attributes | None:
        """Return an item as it was."""
        item = self._table.get(key)
        if item is None or key.sk not in {MANIFEST, HEAD}:
            return item
        return self._manifest(item) if key.sk == MANIFEST else self._head(item)

    def query(self, query: Query) -> Page:
        """Return a page as it was: of a log, entries up to where it was read, and with the first page its manifest."""
        if query.index or not is_log(query.pk):
            return self._table.query(query)
        wants_manifest = query.high >= MANIFEST and query.start is None
        manifest = self.get(Key(query.pk, MANIFEST)) if wants_manifest else None
        high = min(query.high, self._moment.of_log(query.pk))
        page = self._table.query(replace(query, high=high)) if high >= query.low else Page(())
        return Page((*([] if manifest is None else [manifest]), *page.items), page.next)

    def put(self, write: Put) -> None:
        """Do nothing."""

    def update(self, write: Update) -> Attributes:
        """Change nothing, and return what there is."""
        return self._table.get(write.key) or {}

    def delete(self, write: Delete) -> None:
        """Do nothing."""

    def transact(self, writes: Sequence[Write]) -> None:
        """Do nothing."""

    def _manifest(self, item: Attributes) -> Attributes | None:
        where, manifest = Key.of(item), Manifest.of(item)
        cut = self._moment.of_log(where.pk)
        segments = tuple(takewhile(lambda ref: ref.through <= cut, manifest.segments))
        return replace(manifest, segments=segments).to_item(where.pk) if segments else None

    def _head(self, item: Attributes) -> Attributes:
        """Return a session's head with the owners of logs that were begun, and the summary that its agent had then."""
        session = session_of(Key.of(item).pk)
        owners = [each for each in Head.of(item).owners if self._is_begun(session, each)]
        since = self._moment.held_since
        known = {} if since is None else {COMPACTED_AT: rfc3339(since)}
        return {**{name: item[name] for name in item if name != COMPACTED_AT}, **naming(owners), **known}

    def _is_begun(self, session: Session, owner: str) -> bool:
        # On a branch a log begins with that of the project.
        logs = dict.fromkeys(log_pk(session.tenant, each.project, owner) for each in (session, on_trunk(session)))
        return any(self.query(Query(pk, ENTRIES, log_sk("~"), limit=1)).items for pk in logs)


def is_log(pk: str) -> bool:
    """Tell whether a partition is a memory log."""
    try:
        log_of(pk)
    except CorruptData:
        return False
    return True
