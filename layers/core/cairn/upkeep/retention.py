"""Erase sessions that were left alone for too long."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from cairn.calls.journal import Journal
from cairn.ground.errors import CorruptData
from cairn.ground.session import Session, Subject
from cairn.sessions.head import Head
from cairn.sessions.leased import Leased
from cairn.sessions.services import SessionServices
from cairn.sessions.sessions import Lease
from cairn.upkeep.model import MaintenanceReport

if TYPE_CHECKING:
    from cairn.upkeep.erase_session import EraseSession

COMMAND = "session retention"
"""What the audit log calls the erasure of a session that was left alone."""


class Retention:
    """Erases sessions whose last turn is longer ago than session_retention_days and the grace time of erasures."""

    def __init__(self, services: SessionServices, journal: Journal) -> None:
        """Work with these parts, and put on record what is erased."""
        self._services = services
        self._journal = journal

    def ends(self, session: Session, head: Head) -> datetime | None:
        """Return until when the session is kept unless somebody speaks in it, None where it is for ever."""
        settings = self._services.settings.memory_for(session.tenant)
        days = settings.session_retention_days
        return head.at + timedelta(days=days + settings.erasure_grace_days) if days else None

    def is_over(self, session: Session, ends: datetime) -> bool:
        """Tell whether that time is over and no turn is under way."""
        return ends <= self._services.adapters.clock.now() and not self._erasure().is_in_use(session)

    def erase(self, lease: Lease, until: datetime) -> MaintenanceReport:
        """Erase the session, on record; what there is no time for is left to the next run."""
        if not self._services.vault.has_key(lease.session.tenant):
            raise CorruptData("the data keys of a session are gone")
        subject = Subject(project=lease.session.project, session_id=lease.session.session_id)
        with self._journal.command(lease.session.tenant, COMMAND, subject):
            for _ in self._erasure().forget(Leased(self._services, lease), until):
                if self._services.adapters.clock.now() >= until:
                    return MaintenanceReport(erased=True, finished=False)
        return MaintenanceReport(erased=True)

    def _erasure(self) -> EraseSession:
        from cairn.upkeep.erase_session import EraseSession  # noqa: PLC0415 - needed where a session's time is over

        return EraseSession(self._services)
