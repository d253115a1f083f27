"""Delete blobs that a session no longer uses: an item of the session names them until they are gone.

The item is written together with the change that removes the last reference to them, so that no blob is left behind.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from cairn.ground.adapters import Adapters
from cairn.ground.ids import Digest, time_ordered_id
from cairn.ground.paging import every
from cairn.ground.session import Session
from cairn.ground.table import Delete, Key, Put, Query, Write, prefix_range
from cairn.sessions.layout import dropped_sk, session_pk


def dropping(adapters: Adapters, session: Session, blobs: Sequence[object]) -> list[Write]:
    """Return the write that names blobs until discard() has deleted them; nothing where there are none."""
    if not blobs:
        return []
    drop = dropped_sk(time_ordered_id(adapters.clock.now(), adapters.entropy.token(10)))
    return [Put({"pk": session_pk(session), "sk": drop, "blobs": "\n".join(map(str, blobs))})]


def discard(adapters: Adapters, session: Session, before: datetime | None = None) -> int:
    """Delete the blobs of the session that were dropped, before a moment or at any; return how many that were."""
    low, high = prefix_range(dropped_sk(""))
    if before is not None:
        high = dropped_sk(time_ordered_id(before, bytes(10)))
    deleted = 0
    for item in every(adapters.table, Query(session_pk(session), low, high)):
        for digest in str(item["blobs"]).split("\n"):
            adapters.blobs.delete(session.tenant, Digest(digest))
            deleted += 1
        adapters.table.delete(Delete(Key.of(item)))
    return deleted
