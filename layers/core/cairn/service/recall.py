"""Recall: facts and earlier texts that matter to a query, from every log the caller's scope opens."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from cairn.domain import layout
from cairn.domain.facts import Fact
from cairn.domain.ids import SessionId
from cairn.domain.log_entries import Chunk
from cairn.domain.memories import Memory, Wanted
from cairn.domain.settings import RecallScope
from cairn.domain.table import Attributes, Query
from cairn.domain.turns import Session
from cairn.service.memory_log import MemoryLog
from cairn.service.paging import every
from cairn.service.world import World


@dataclass(frozen=True, slots=True)
class Sight:
    """What one call may see: its owner's log, and others; all sessions in them or only its own."""

    session: Session
    owner: str
    scope: RecallScope

    def session_of(self, owner: str) -> SessionId | None:
        """Return the one session whose part of this owner's log is in sight, None where all of it is.

        Another user's log is open only as far as that user spoke in this session, except to a whole project.
        """
        whole = self.scope == "project" or (self.scope == "user" and owner == self.owner)
        return None if whole else self.session.session_id


class Recall:
    """Ranks what a sight shows."""

    def __init__(self, world: World, log: MemoryLog) -> None:
        """Hold no state of its own."""
        self._world = world
        self._log = log

    def others(self, sight: Sight, head: Attributes | None) -> list[str]:
        """Return the owners of further logs that the sight opens: a session's other users, or all of a project."""
        owners = self._registered(sight.session) if sight.scope == "project" else owners_of(head)
        return [owner for owner in owners if owner != sight.owner]

    def refresh(self, sight: Sight, owners: Sequence[str]) -> None:
        """Bring the views of these owners up to date, all at once."""
        tenant, project = sight.session.tenant, sight.session.project

        def refreshing(owner: str) -> object:
            return self._log.refresh(tenant, project, owner)

        self._world.parallel([lambda owner=owner: refreshing(owner) for owner in owners])

    def believed(self, sight: Sight, owners: Sequence[str]) -> list[Fact]:
        """Return every live fact in sight."""
        now = self._world.clock.now()
        found: list[Fact] = []
        for owner in owners:
            with self._log.view(sight.session.tenant, sight.session.project, owner) as view:
                found.extend(view.facts(now, sight.session_of(owner)))
        return found

    def memories(
        self, session: Session, owners: Sequence[str], query: Sequence[str], wanted: Wanted, limit: int
    ) -> list[Memory]:
        """Return up to `limit` wanted memories of each of these logs: those that match best, or the newest."""
        found: list[Memory] = []
        for owner in owners:
            with self._log.view(session.tenant, session.project, owner) as view:
                found.extend(view.remembered(query, wanted, limit))
        return found

    def chunks(
        self, sight: Sight, owners: Sequence[str], terms: Sequence[str], limit: int, shown: Collection[str]
    ) -> tuple[Chunk, ...]:
        """Return the earlier texts that match best, without this session's events that are shown anyway."""
        found: list[tuple[Chunk, float]] = []
        hidden = {(sight.session.session_id, event_id) for event_id in shown}
        for owner in owners:
            with self._log.view(sight.session.tenant, sight.session.project, owner) as view:
                found.extend(view.search(terms, sight.session_of(owner), limit, hidden))
        found.sort(key=lambda hit: -hit[1])
        return tuple(chunk for chunk, _ in found[:limit])

    def texts(self, session: Session, owners: Sequence[str]) -> list[Chunk]:
        """Return the session's texts from these owners' logs in the order they were said."""
        found: list[Chunk] = []
        for owner in owners:
            with self._log.view(session.tenant, session.project, owner) as view:
                found.extend(view.chunks(session.session_id))
        return sorted(found, key=lambda chunk: chunk.seq)

    def turns(self, session: Session, owners: Sequence[str]) -> int:
        """Return how many turns of the session these owners' logs hold, as last read."""
        count = 0
        for owner in owners:
            with self._log.view(session.tenant, session.project, owner) as view:
                count += view.turn_count(session.session_id)
        return count

    def _registered(self, session: Session) -> list[str]:
        prefix = layout.registry_sk("")
        low, high = layout.prefix_range(prefix)
        query = Query(layout.registry_pk(session.tenant, session.project), low, high)
        return [str(item["sk"]).removeprefix(prefix) for item in every(self._world.table, query)]


def owners_of(head: Attributes | None) -> list[str]:
    """Return whose logs a session's turns went to, as its head lists them."""
    listed = head.get("owners") if head else None
    return str(listed).split("\n") if listed else []
