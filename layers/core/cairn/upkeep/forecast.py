"""Tell what maintenance of a session would change, from what it reads now; by its run others may have written more."""

from __future__ import annotations

from datetime import timedelta

from cairn.facts.near_duplicates import merged
from cairn.files import contents
from cairn.ground.session import Session
from cairn.sessions.head import Head
from cairn.sessions.services import SessionServices
from cairn.upkeep.findings import aged_turns, events_of, in_packs, lapsed_facts, live_facts, outside_context
from cairn.upkeep.model import MaintenanceReport


def forecast(services: SessionServices, session: Session, head: Head) -> MaintenanceReport:
    """Return what would be summarised, packed, ended and merged of a session that is not erased."""
    settings, now = services.settings.memory_for(session.tenant), services.adapters.clock.now()
    held = contents.read(services, session, head)
    previous, through = services.sessions.summary(session), outside_context(held, settings)
    newest = now - timedelta(hours=settings.compaction_min_age_hours)
    aged = aged_turns(services, session, through, newest, lambda _: None)
    return MaintenanceReport(
        compacted_events=events_of(held, previous.through if previous else 0, through),
        archived_shards=sum(1 for _ in in_packs(aged)),
        expired_facts=sum(len(lapsed_facts(services, session, owner, now)) for owner in head.logs),
        merged_facts=sum(len(merged(live_facts(services, session, owner, now), now)) for owner in head.logs),
    )
