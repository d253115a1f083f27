"""release: let texts that were held back be recalled and placed, and keep that on record.

A text is known by its digest: once released it is so wherever it was said in the same log, also when it is said again.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import partial
from typing import NamedTuple

from cairn.facts.facts import digest
from cairn.ground.errors import TransactionRefused
from cairn.ground.session import Session
from cairn.ground.table import Write
from cairn.log.entries import Chunk, LogEntry
from cairn.recall.searching import Visibility
from cairn.sessions.services import SessionServices
from cairn.sessions.transacting import transact


class HeldBack(NamedTuple):
    """A text that is held back, its digest, and whose log it is in."""

    id: str
    owner: str
    chunk: Chunk


def held_back(services: SessionServices, session: Session, owner: str | None) -> Iterator[HeldBack]:
    """Yield what is held back in this owner's log, or in all of the session's project, log by log."""
    everything = Visibility(session, "", "project", across=False)
    owners = services.searcher.others(everything, ()) if owner is None else [owner]
    services.searcher.refresh(everything, owners)
    for each in owners:
        with services.log.view(session.tenant, session.project, each) as view:
            yield from [HeldBack(digest(chunk.text), each, chunk) for chunk in view.held_back()]


def release(services: SessionServices, session: Session, owner: str | None, ids: Collection[str]) -> Sequence[HeldBack]:
    """Release the texts of these digests and return them; what is not held back, or no more, changes nothing."""
    found = {(each.owner, each.id): each for each in held_back(services, session, owner) if each.id in ids}
    for each in found.values():
        transact(services, partial(_writes, services, session, each), _try_again)
    return list(found.values())


def _writes(services: SessionServices, session: Session, held: HeldBack) -> list[Write]:
    now = services.adapters.clock.now()
    entry = LogEntry(session_id=held.chunk.session_id, at=now, released=(held.id,))
    append = services.log.append(session.tenant, session.project, held.owner, entry)
    return [append, *services.log.in_order(append)]


def _try_again(_: Sequence[Write], __: TransactionRefused) -> None:
    """Settle nothing: a text may be released twice."""
