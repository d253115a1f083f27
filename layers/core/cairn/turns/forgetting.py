"""The writes that end memories in a turn's transaction, as forget ends one.

They are entries of their own: a turn that is taken back leaves forgotten what it forgot.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from cairn.ground.session import Session
from cairn.ground.table import Equals, Key, Update, Write
from cairn.log.entries import LogEntry
from cairn.log.layout import log_pk, memory_sk, named_in
from cairn.log.log import MemoryLog
from cairn.log.memories import FORGOTTEN, KEPT, Ending, Memory
from cairn.sessions.layout import MEMORY_COUNT, session_pk


def ending_writes(log: MemoryLog, session: Session, ended: Iterable[tuple[str, Memory]], now: datetime) -> list[Write]:
    """Return what ends memories, each given with the owner of its log: an entry a log, and the memories' own items."""
    writes: list[Write] = []
    by_owner: dict[str, list[Memory]] = {}
    for owner, memory in ended:
        by_owner.setdefault(owner, []).append(memory)
    for owner, memories in by_owner.items():
        name = named_in(owner, session.project, session.session_id)
        endings = tuple(Ending(id=memory.id, at=now, session_id=name) for memory in memories)
        entry = LogEntry(session_id=name, at=now, forgotten=endings)
        append = log.append(session.tenant, session.project, owner, entry)
        over = {"state": FORGOTTEN, "ended": str(append.item["sk"])}
        pk = log_pk(session.tenant, session.project, owner)
        items = (Key(pk, memory_sk(memory.id)) for memory in memories)
        writes += [append, *(Update(item, set=over, condition=Equals("state", KEPT)) for item in items)]
    counted = sum(memory.scope == "session" for each in by_owner.values() for memory in each)
    if counted:
        writes.append(Update(Key(session_pk(session), MEMORY_COUNT), add={"forgotten": counted}))
    return writes
