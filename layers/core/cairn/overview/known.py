"""Tell what is known of a user: the facts believed now and the memories kept for them, here and in every project."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from heapq import merge
from operator import attrgetter

from cairn.ground.ids import Project, SessionId, UserId
from cairn.log.layout import ACROSS, USER_OWNER, across, is_across, session_named
from cairn.log.ledger import Spoken, unspoken
from cairn.overview.model import BelievedFact, KeptMemory, Known, Place
from cairn.sessions.services import SessionServices


def known(services: SessionServices, where: Place, user: UserId, limit: int) -> Known:
    """Return at most `limit` facts and as many memories, from the user's own logs, in one round as a rule."""
    owner = f"{USER_OWNER}{user}"
    reaches = services.settings.memory_for(where.tenant).across_projects
    owners = [*(across(owner) if reaches else ()), owner]
    services.adapters.parallel([partial(services.log.refresh, where.tenant, where.project, each) for each in owners])
    facts, memories = list[list[BelievedFact]](), list[list[KeptMemory]]()
    spoken: Spoken = {}
    for each in owners:
        found, kept, said = _of_log(services, where, each)
        # That across projects comes first: what the project holds from before ends where it speaks of that since.
        facts.append(_still_believed(found, spoken))
        memories.append(kept)
        spoken = said
    newest = list(merge(*facts, key=attrgetter("fact.recorded_at"), reverse=True))
    kept_newest = list(merge(*memories, key=attrgetter("memory.recorded_at"), reverse=True))
    more = max(0, len(newest) - limit) + max(0, len(kept_newest) - limit)
    return Known(tuple(newest[:limit]), tuple(kept_newest[:limit]), more)


def _of_log(services: SessionServices, where: Place, owner: str) -> tuple[list[BelievedFact], list[KeptMemory], Spoken]:
    """Return what a log says, newest first, and what it speaks of."""
    everywhere, now = is_across(owner), services.adapters.clock.now()
    with services.log.view(where.tenant, where.project, owner) as view:
        believed = reversed(view.ledger.believed(now))
        facts = [BelievedFact(fact, _shown(where, owner, session), everywhere) for session, fact in believed]
        kept = [KeptMemory(each, _shown(where, owner, each.session_id), everywhere) for each in view.memories()]
        return facts, kept, view.ledger.said(None)


def _still_believed(found: Iterable[BelievedFact], spoken: Spoken) -> list[BelievedFact]:
    found = list(found)
    left = {fact.id for fact in unspoken((each.fact for each in found), spoken)}
    return [each for each in found if each.fact.id in left]


def _shown(where: Place, owner: str, name: SessionId) -> SessionId:
    """Return the session as this project names it; of those of other projects it tells nothing."""
    project, session = session_named(Project(ACROSS) if is_across(owner) else where.project, name)
    return session if project == where.project else SessionId("")
