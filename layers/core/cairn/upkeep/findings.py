"""Find what maintenance is to do in a session: what is read of it and of its logs, and nothing is changed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from cairn.facts.facts import Fact, State
from cairn.files.summaries import Contents
from cairn.ground.codec import canonical, moment
from cairn.ground.paging import every
from cairn.ground.session import Session
from cairn.ground.settings import MemorySettings
from cairn.ground.table import Query
from cairn.log.layout import named_in
from cairn.sessions.layout import FIRST_EVENT, event_sk, session_pk
from cairn.sessions.services import SessionServices
from cairn.sessions.stored_turn import StoredTurn
from cairn.vault.vault import blob_of

MAX_PACK_TURNS = 90
"""A shard is archived in one transaction of at most 100 writes."""
MAX_PACK_BYTES = 4_000_000
"""How much JSON a shard holds, unless one turn alone holds more: it is packed and unpacked as a whole."""


@dataclass(frozen=True, slots=True)
class RawTurn:
    """The stored events of one turn, as a shard holds them."""

    seq: int
    at: str
    records: list[dict[str, Any]]
    blob: str | None = None

    @property
    def day(self) -> str:
        """Return the UTC day of the turn, YYYY-MM-DD."""
        return self.at[:10]


def outside_context(held: Contents, settings: MemorySettings) -> int:
    """Return the number of the newest turn that stands wholly before the recent context, 0 where none does."""
    items = 0
    for turn in reversed(held.turns):
        if items >= settings.recent_context_items:
            return turn.seq
        items += turn.events
    return 0


def events_of(held: Contents, done: int, through: int) -> int:
    """Return how many events the turns behind one number have, up to another."""
    return sum(turn.events for turn in held.turns if done < turn.seq <= through)


def aged_turns(
    services: SessionServices, session: Session, through: int, newest: datetime, later: Callable[[datetime], None]
) -> Iterator[RawTurn]:
    """Yield the raw turns up to a number that are as old as this moment; tell when the first of the others was."""
    if through == 0:
        return
    for item in every(services.adapters.table, Query(session_pk(session), FIRST_EVENT, event_sk(through))):
        turn = StoredTurn.of(item)
        if (at := moment(turn.at)) > newest:
            later(at)
            return
        records = [event.to_record() for event in services.sessions.events(session, item)]
        yield RawTurn(turn.seq, turn.at, records, blob_of(item))


def in_packs(turns: Iterable[RawTurn]) -> Iterable[list[RawTurn]]:
    """Group turns by UTC day, at most MAX_PACK_TURNS turns and MAX_PACK_BYTES together."""
    pack: list[RawTurn] = []
    held = 0
    for turn in turns:
        size = len(canonical(turn.records))
        full = len(pack) == MAX_PACK_TURNS or held + size > MAX_PACK_BYTES
        if pack and (full or turn.day != pack[0].day):
            yield pack
            pack, held = [], 0
        pack.append(turn)
        held += size
    if pack:
        yield pack


def lapsed_facts(services: SessionServices, session: Session, owner: str, now: datetime) -> tuple[Fact, ...]:
    """Return the session's facts in a log whose time is over, as they end with that."""
    with services.log.view(session.tenant, session.project, owner) as view:
        lapsed = view.ledger.lapsed(now, named_in(owner, session.project, session.session_id))
    return tuple(replace(fact, state=State.EXPIRED, valid_to=fact.expires_at) for fact in lapsed)


def live_facts(services: SessionServices, session: Session, owner: str, now: datetime) -> list[Fact]:
    """Return the facts in a log that the session believes."""
    with services.log.view(session.tenant, session.project, owner) as view:
        return view.facts(now, named_in(owner, session.project, session.session_id))
