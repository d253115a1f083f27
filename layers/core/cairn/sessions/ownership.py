"""Whose a session is: the user's whose turn or call began it, as the first of its head's owners says.

One that was begun without a user is the project's. That never changes while the session is there, so that a process
asks the head once a minute.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta

from cairn.ground.adapters import Adapters
from cairn.ground.bounded import BoundedCache
from cairn.ground.codec import epoch_ms
from cairn.ground.errors import PermissionDenied, ResourceBusy, TransactionRefused
from cairn.ground.ids import UserId, is_branch
from cairn.ground.session import Session
from cairn.ground.table import AllOf, AnyOf, Key, LessThan, Missing, Update, Write
from cairn.log.branches import Branches, spoke
from cairn.log.layout import log_owner, log_pk, user_of
from cairn.log.registry import registered
from cairn.sessions.head import naming, stored_head
from cairn.sessions.layout import HEAD, session_pk

LIFETIME = timedelta(minutes=1)
"""How long an owner counts that was read: a session that is erased, and begun by another user, has a new one."""
_MOST_SESSIONS = 4096


@dataclass(frozen=True, slots=True)
class _Owner:
    user: UserId | None
    read_at: datetime

    def admits(self, users: Collection[UserId]) -> bool:
        return self.user is None or self.user in users


class Ownership:
    """Tells sessions of the users of a bound caller from those of others."""

    def __init__(self, adapters: Adapters) -> None:
        """Know of no session."""
        self._adapters = adapters
        self._branches = Branches(adapters)
        self._known: BoundedCache[Session, _Owner] = BoundedCache(entries=_MOST_SESSIONS)

    def check(self, session: Session, users: Collection[UserId]) -> bool:
        """Tell whether the session has begun; PermissionDenied where it is of a user who is none of these."""
        now = self._adapters.clock.now()
        known = self._known.peek(session)
        if known is not None and known.admits(users) and now < known.read_at + LIFETIME:
            return True
        head = stored_head(self._adapters.table, session)
        if head is None or not (head.owners or head.seq):
            return False
        owner = _Owner(user_of(head.owners[0]) if head.owners else None, now)
        if not owner.admits(users):
            raise PermissionDenied("This session is another user's", reason="session")
        self._known.put(session, owner)
        return True

    def begin(self, session: Session, user: UserId) -> None:
        """Make a new session the user's before anything is written to it; ResourceBusy while a first turn is stored.

        NotFound on a branch that is gone. What it writes is what the user's first turn would: the head's owners, and
        the log's registration.
        """
        owner, now = log_owner(user, session.session_id), self._adapters.clock.now()
        idle = AnyOf((Missing("lease_until"), LessThan("lease_until", epoch_ms(now))))
        # A writer whose time was up must not name other owners afterwards: it fails by the fence.
        own = Update(
            Key(session_pk(session), HEAD),
            set=naming([owner]),
            add={"fence": 1},
            condition=AllOf((Missing("owners"), Missing("seq"), idle)),
        )
        known = registered(session.tenant, session.project, owner)
        branch: list[Write] = []
        if is_branch(session.project):
            branch = [*self._branches.adding(log_pk(session.tenant, session.project, owner)), spoke(session)]
        try:
            self._adapters.table.transact([own, known, *branch])
        except TransactionRefused as refused:
            if branch:
                self._branches.read(session.tenant, session.project)
            if not self.check(session, {user}):
                message = "the session is being begun by another call"
                raise ResourceBusy(message, {"resource": "session"}) from refused
