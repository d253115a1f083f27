"""Read a session's items by the page, in the order they were said, from its beginning on or back from its end."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from cairn.ground.attributes import number
from cairn.ground.damage import sound
from cairn.ground.paging import every
from cairn.ground.session import Session
from cairn.ground.table import Attributes, Key, Query, prefix_range
from cairn.overview.model import Page, StoredItem
from cairn.sessions.layout import FIRST_EVENT, LAST_EVENT, PACKED, event_sk, packed_sk, session_pk
from cairn.sessions.recent_turns import Turn, turns_of
from cairn.sessions.services import SessionServices

_TURNS_AT_ONCE = 16
_SHARDS_AT_ONCE = 2


def items(services: SessionServices, session: Session, after: int, limit: int) -> Page[StoredItem]:
    """Return the items of the turns that follow number `after`, whole turns until there are `limit` items."""
    return _page(StoredTurns(services, session).onwards(after), limit)


def newest_items(services: SessionServices, session: Session, before: int | None, limit: int) -> Page[StoredItem]:
    """Return the items of the turns before a number, or of the newest; the next page holds what was said before."""
    page = _page(StoredTurns(services, session).back(before), limit)
    return Page(tuple(sorted(page.listed, key=lambda each: each.turn)), page.next)


def _page(turns: Iterable[Turn], limit: int) -> Page[StoredItem]:
    listed: list[StoredItem] = []
    for seq, events in turns:
        if len(listed) >= limit:
            return Page(tuple(listed), str(listed[-1].turn))
        listed.extend(
            StoredItem(id=each.id, turn=seq, turn_id=each.turn_id, at=each.ts, user_id=each.user_id, item=each.item)
            for each in events
        )
    return Page(tuple(listed))


class StoredTurns:
    """The turns of a session, archived ones and raw ones; damaged ones are passed over and counted."""

    def __init__(self, services: SessionServices, session: Session) -> None:
        """Have read nothing yet."""
        self._services = services
        self._session = session
        self._pk = session_pk(session)

    def onwards(self, after: int) -> Iterator[Turn]:
        """Yield the turns that follow this number."""
        # The shard in which the next turn would be begins with it or before it.
        low, high = prefix_range(PACKED)
        table = self._services.adapters.table
        begun = table.query(Query(self._pk, low, packed_sk(after + 1), descending=True, limit=1)).items
        first = Key.of(begun[0]).sk if begun else packed_sk(after + 1)
        for shard in every(table, Query(self._pk, first, high, limit=_SHARDS_AT_ONCE)):
            yield from (turn for turn in self._archived(shard) if turn[0] > after)
        yield from self._raw(Query(self._pk, event_sk(after + 1), LAST_EVENT, limit=_TURNS_AT_ONCE))

    def back(self, before: int | None) -> Iterator[Turn]:
        """Yield the turns before this number, the newest first."""
        low, high = prefix_range(PACKED)
        newest = LAST_EVENT if before is None else event_sk(before - 1)
        yield from self._raw(Query(self._pk, FIRST_EVENT, newest, descending=True, limit=_TURNS_AT_ONCE))
        last = high if before is None else packed_sk(before - 1)
        query = Query(self._pk, low, last, descending=True, limit=_SHARDS_AT_ONCE)
        for shard in every(self._services.adapters.table, query):
            yield from (turn for turn in reversed(self._archived(shard)) if before is None or turn[0] < before)

    def _raw(self, query: Query) -> Iterator[Turn]:
        stored = every(self._services.adapters.table, query)
        fetched = self._services.vault.fetched(self._session.tenant, stored, _TURNS_AT_ONCE)
        yield from sound(self._services.adapters, fetched, self._turn)

    def _turn(self, item: Attributes) -> Turn:
        return number(item, "seq"), self._services.sessions.events(self._session, item)

    def _archived(self, shard: Attributes) -> list[Turn]:
        found = sound(
            self._services.adapters, [shard], lambda item: turns_of(self._services.vault, self._session, item)
        )
        return [turn for turns in found for turn in turns]
