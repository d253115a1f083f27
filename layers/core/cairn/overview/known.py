"""Tell what is known of a user: the facts believed now and the memories kept for them, here and in every project."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from heapq import merge
from itertools import islice
from operator import attrgetter

from cairn.ground.ids import Project, SessionId, UserId
from cairn.log.layout import ACROSS, USER_OWNER, across, is_across, session_named
from cairn.log.ledger import is_spoken_of
from cairn.overview.model import BelievedFact, KeptMemory, Known, Place
from cairn.sessions.services import SessionServices


def known(services: SessionServices, where: Place, user: UserId, limit: int) -> Known:
    """Return at most `limit` facts and as many memories, from the user's own logs, in one round as a rule."""
    owner = f"{USER_OWNER}{user}"
    reaches = services.settings.memory_for(where.tenant).across_projects
    owners = [*(across(owner) if reaches else ()), owner]
    services.adapters.parallel([partial(services.log.refresh, where.tenant, where.project, each) for each in owners])
    logs = list[_OfLog]()
    for each in owners:
        # That across projects comes first: what the project holds from before ends where it speaks of that since.
        logs.append(_of_log(services, where, each, limit, logs[-1].owner if logs else None))
    facts = merge(*(log.facts for log in logs), key=attrgetter("fact.recorded_at"), reverse=True)
    memories = merge(*(log.memories for log in logs), key=attrgetter("memory.recorded_at"), reverse=True)
    more = sum(max(0, sum(counts) - limit) for counts in zip(*(log.counts for log in logs), strict=True))
    return Known(tuple(islice(facts, limit)), tuple(islice(memories, limit)), more)


@dataclass(frozen=True, slots=True)
class _OfLog:
    """The newest of what a log says, newest first, and how many facts and memories it says in all."""

    owner: str
    facts: Sequence[BelievedFact]
    memories: Sequence[KeptMemory]
    counts: tuple[int, int]


def _of_log(services: SessionServices, where: Place, owner: str, limit: int, since: str | None) -> _OfLog:
    """Return what a log says, but for what the log of another owner speaks of since."""
    everywhere, now = is_across(owner), services.adapters.clock.now()
    with services.log.view(where.tenant, where.project, owner) as view:
        believed = view.ledger.believed_of(now)
        kept = [
            KeptMemory(each, shown(where, owner, each.session_id), everywhere)
            for each in islice(view.memories(), limit)
        ]
        count = view.memory_count()
    if since is not None:
        with services.log.view(where.tenant, where.project, since) as view:
            spoken = view.ledger.said_of(believed)
        believed = {about: held for about, held in believed.items() if not is_spoken_of(held[1], about, spoken)}
    newest = islice(reversed(believed.values()), limit)
    facts = [BelievedFact(fact, shown(where, owner, session), everywhere) for session, fact in newest]
    return _OfLog(owner, facts, kept, (len(believed), count))


def shown(where: Place, owner: str, name: SessionId) -> SessionId:
    """Return the session as this project names it; of those of other projects it tells nothing."""
    project, session = session_named(Project(ACROSS) if is_across(owner) else where.project, name)
    return session if project == where.project else SessionId("")
