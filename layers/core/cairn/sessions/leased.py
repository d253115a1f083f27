"""Hold a session's lease while a step writes to it."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from datetime import timedelta

from cairn.ground.errors import ResourceBusy, TransactionRefused, Unavailable
from cairn.ground.session import Session
from cairn.ground.table import Write
from cairn.sessions.services import SessionServices
from cairn.sessions.sessions import Lease

_RENEWED_AFTER_SECONDS = 5


class Leased:
    """Writes to a session under its lease, and prolongs the lease as time passes."""

    def __init__(self, services: SessionServices, lease: Lease) -> None:
        """Take a lease that was just granted."""
        self._services = services
        self._lease = lease
        self._kept_at = services.adapters.clock.now()
        self.session = lease.session
        self.head, self.held, self.key, self.begun = lease.head, lease.held(), lease.key(), lease.begun()

    def keep(self) -> None:
        """Prolong the lease where some of it has passed; ResourceBusy where it was lost."""
        now = self._services.adapters.clock.now()
        seconds = self._services.settings.memory_for(self.session.tenant).guard_lease_seconds
        # A clock that was turned back says nothing of how long the lease still holds.
        if not timedelta() <= now - self._kept_at < timedelta(seconds=min(_RENEWED_AFTER_SECONDS, seconds / 2)):
            self._services.sessions.renew(self._lease, seconds)
            self._kept_at = now

    def write(self, writes: Sequence[Write]) -> None:
        """Make the writes, all or none; ResourceBusy where the lease was lost."""
        try:
            self._services.adapters.table.transact(writes)
        except TransactionRefused as refused:
            if any(reason is not None and reason.code == "condition" for reason in refused.reasons):
                raise ResourceBusy("the session was taken over by another call", {"resource": "session"}) from refused
            raise Unavailable("the store refused a step; run it again") from refused


@contextmanager
def leased(services: SessionServices, session: Session) -> Generator[Leased]:
    """Hold the session's lease in the block; ResourceBusy where another call keeps it."""
    caller = services.adapters.holder()
    lease = services.sessions.lease(session, caller, services.settings.memory_for(session.tenant))
    try:
        yield Leased(services, lease)
    finally:
        services.sessions.release(lease)
