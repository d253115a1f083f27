"""List the memory logs of a project."""

from __future__ import annotations

from cairn.ground.bounded import BoundedCache
from cairn.ground.session import Session
from cairn.ground.table import Put, Write
from cairn.log.layout import log_pk, registry_pk, registry_sk

# A string each, some megabytes. Forgetting them costs one more write per log, so that all go at once.
_MOST = 10_000


class Registry:
    """Registers a log with its project the first time that this process writes to it."""

    def __init__(self) -> None:
        """Know of no log."""
        self._known: BoundedCache[str, bool] = BoundedCache(entries=_MOST)

    def writes(self, session: Session, owner: str) -> list[Write]:
        """Return the write that makes the log known, none where this process has made it so."""
        if self._known.peek(log_pk(session.tenant, session.project, owner)):
            return []
        pk = registry_pk(session.tenant, session.project)
        return [Put({"pk": pk, "sk": registry_sk(owner)})]

    def note(self, session: Session, owner: str) -> None:
        """Note that the write was made."""
        self._known.put(log_pk(session.tenant, session.project, owner), True)
