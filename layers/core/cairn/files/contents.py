"""Read a whole session: its turns, texts and facts from every log they went to."""

from __future__ import annotations

from datetime import datetime

from cairn.facts.facts import Fact
from cairn.files.summaries import Contents
from cairn.ground.damage import sound
from cairn.ground.paging import every
from cairn.ground.session import Session
from cairn.ground.table import Query, prefix_range
from cairn.log.entries import Chunk, TurnStamp
from cairn.log.layout import is_across, named_in
from cairn.log.ledger import Spoken, current
from cairn.sessions.head import Head, sound_head
from cairn.sessions.layout import session_pk
from cairn.sessions.services import SessionServices
from cairn.sessions.summary import StoredSummary


def head_of(services: SessionServices, session: Session) -> Head | None:
    """Return the session's head, None where it has no turns."""
    head = sound_head(services.adapters, session)
    return head if head is not None and head.seq else None


def read(services: SessionServices, session: Session, head: Head) -> Contents:
    """Return what the session holds now."""
    turns: list[TurnStamp] = []
    chunks: list[Chunk] = []
    now = services.adapters.clock.now()
    held, spoken = dict[str, list[Fact]](), dict[str, Spoken]()
    for owner in head.logs:
        name = named_in(owner, session.project, session.session_id)
        services.log.refresh(session.tenant, session.project, owner)
        with services.log.view(session.tenant, session.project, owner) as view:
            turns.extend(view.turns(name))
            chunks.extend(view.chunks(name))
            held[owner] = view.facts(now, name)
            if is_across(owner):
                spoken[owner] = view.ledger.said(name)
    return Contents(
        turns=sorted(turns, key=lambda turn: turn.seq),
        chunks=sorted(chunks, key=lambda chunk: chunk.seq),
        facts=[fact for facts in current(held, spoken).values() for fact in facts],
        compactions=_compactions(services, session),
        archived_through=head.archived_through,
    )


def _compactions(services: SessionServices, session: Session) -> list[datetime]:
    low, high = prefix_range("cmp#")
    items = every(services.adapters.table, Query(session_pk(session), low, high))
    return list(sound(services.adapters, items, lambda item: StoredSummary.of(item).at))
