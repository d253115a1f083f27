"""The archive's index: an entry for each pointer, and a copy of it under every key that it is looked up by.

Copies are in the order of time, so that each look-up is one range read: by time, by tag, by session. A transaction
writes or removes an entry with all its copies.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import partial
from itertools import islice

from cairn.archive.layout import archive_pk, archived_by_session, archived_by_tag, archived_by_time, pointer_sk
from cairn.archive.model import Entry, is_tag
from cairn.ground.adapters import Adapters, Pending
from cairn.ground.damage import sound
from cairn.ground.errors import ResourceBusy, TransactionRefused, Unavailable
from cairn.ground.ids import Digest, SessionId, Tenant, UserId
from cairn.ground.paging import every
from cairn.ground.table import ABSENT, Attributes, Condition, Delete, Equals, Key, Put, Query, prefix_range

NEWEST_SEARCHED = 1000
"""Among how many of the newest sessions a part of a name is found; a whole tag or session id is found further back."""
ATTEMPTS = 4


class ArchiveIndex:
    """Finds archived sessions of a tenant by time, tag or session."""

    def __init__(self, adapters: Adapters) -> None:
        """Hold no state of its own."""
        self._adapters = adapters

    def get(self, tenant: Tenant, digest: Digest) -> Entry | None:
        """Return the entry of a pointer, None where this tenant has none."""
        item = self._adapters.table.get(Key(archive_pk(tenant), pointer_sk(digest)))
        return None if item is None else Entry.of(item)

    def add(self, tenant: Tenant, entry: Entry) -> bool:
        """Write the entry; one that is there gets the tags it lacks, and keeps its time. Tell whether that wrote any.

        InvalidArgument where these are too many, Unavailable where nothing was written or nobody knows.
        """
        held: Entry | None = None
        for _ in range(ATTEMPTS):
            wanted = entry if held is None else held.tagged(entry.tags)
            if wanted == held:
                return False
            first, *places = items_of(tenant, wanted)
            try:
                self._adapters.table.transact([Put(first, _unchanged(held)), *map(Put, places)])
            except TransactionRefused as refused:
                held = _held(refused)
            else:
                return True
        raise ResourceBusy("The archive's entry is being changed by other calls", {"resource": "pointer"})

    def remove(self, tenant: Tenant, entry: Entry) -> bool:
        """Remove the entry with its places, unless it got further tags meanwhile; tell whether it did."""
        first, *places = (Key.of(item) for item in items_of(tenant, entry))
        try:
            self._adapters.table.transact([Delete(first, _unchanged(entry)), *map(Delete, places)])
        except TransactionRefused as refused:
            _held(refused)
            return False
        return True

    def of_session(self, tenant: Tenant, session_id: SessionId) -> list[Entry]:
        """Return the entries of all sessions of this name, the oldest first."""
        low, high = prefix_range(archived_by_session(session_id))
        found = every(self._adapters.table, Query(archive_pk(tenant), low, high))
        return [entry for entry in sound(self._adapters, found, Entry.of) if entry.session_id == session_id]

    def of_user(self, tenant: Tenant, user: UserId) -> list[Entry]:
        """Return the entries of what was archived for a user, the oldest first."""
        found = every(self._adapters.table, Query(archive_pk(tenant), *prefix_range(archived_by_time())))
        return [entry for entry in map(Entry.of, found) if entry.user == user]

    def search(
        self, tenant: Tenant, text: str, tags: Sequence[str], limit: int, users: Collection[UserId] = ()
    ) -> tuple[Entry, ...]:
        """Return the newest entries that match, of these users if any are named, newest first.

        See Entry.matches and NEWEST_SEARCHED.
        """
        searched = NEWEST_SEARCHED if text or tags or users else limit
        reads = [Pending(partial(self._newest, tenant, place, searched)) for place in _places_of(text, tags)]
        self._adapters.parallel(reads)
        entries = {entry.digest: entry for read in reads for entry in read.result}
        found = [entry for entry in entries.values() if entry.is_of(users) and entry.matches(text, tags)]
        return tuple(sorted(found, key=lambda entry: entry.id, reverse=True)[:limit])

    def _newest(self, tenant: Tenant, place: str, limit: int) -> list[Entry]:
        low, high = prefix_range(place)
        newest = every(self._adapters.table, Query(archive_pk(tenant), low, high, descending=True, limit=limit))
        return list(sound(self._adapters, islice(newest, limit), Entry.of))


def _places_of(text: str, tags: Sequence[str]) -> Iterator[str]:
    """Yield the ranges to search: the newest sessions, and those that have the name as a whole."""
    yield archived_by_time()
    whole = max(tags, key=len) if tags else text
    if is_tag(whole):
        yield archived_by_tag(whole)
    if text:
        yield archived_by_session(text)


def items_of(tenant: Tenant, entry: Entry) -> Iterator[Attributes]:
    """Yield an entry's item and its copies, as they are stored."""
    places: Iterable[str] = (
        pointer_sk(entry.digest),
        archived_by_time(entry.id),
        archived_by_session(entry.session_id, entry.id),
        *(archived_by_tag(tag, entry.id) for tag in entry.tags),
    )
    for place in places:
        yield {"pk": archive_pk(tenant), "sk": place, **entry.attributes()}


def _unchanged(held: Entry | None) -> Condition:
    return ABSENT if held is None else Equals("tags", held.attributes()["tags"])


def _held(refused: TransactionRefused) -> Entry | None:
    """Return the entry that was there instead of the one expected; Unavailable where that was not the reason."""
    reason = refused.reasons[0]
    if reason is None or reason.code != "condition":
        raise Unavailable("the store refused to change the archive's index") from refused
    return Entry.of(reason.item) if reason.item else None
