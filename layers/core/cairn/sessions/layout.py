"""Keys of a session, and of the index that lists sessions due for maintenance.

`~` sorts after every digit and letter, so the head is the first item of a descending query over events. The index has
partitions without a tenant: in them a head stands under the moment at which its session is due.
"""

from __future__ import annotations

from datetime import datetime
from hashlib import sha256

from cairn.ground.codec import rfc3339
from cairn.ground.errors import CorruptData
from cairn.ground.ids import Project, SessionId, Tenant, TurnId
from cairn.ground.jobs import DUE_SHARDS
from cairn.ground.session import Session

HEAD = "e#~"
MEMORY_COUNT = "e#}"
"""What a session's memories are counted in; it sorts between events and head, so that one query returns it too."""
NEWEST_SUMMARY = "e#|"
"""What the newest compact summary is in as well; it sorts there too, and is read along."""
FIRST_EVENT = "e#0"
LAST_EVENT = "e#9\U0010ffff"
EVENTS = "e#"
PACKED = "arc#"
COMPACTED = "cmp#"
GUARDS = "turn#"
OPERATIONS = "op#"
OPEN_TURNS = f"{OPERATIONS}open#"
"""How sort keys begin of turns that wait for their end, and of what their tools did meanwhile."""
TOLD = f"{OPERATIONS}told"
"""The sort key of what a session's agent was told already."""
_ID_DIGITS = 32
SUMMARIES = "abstracts"


def session_pk(session: Session) -> str:
    """Return the partition of one session."""
    return f"{session.tenant}#s#{session.project}#{session.session_id}"


def session_of(pk: str) -> Session:
    """Return the session whose partition this is; CorruptData where it is none's."""
    match pk.split("#", 3):
        case [tenant, "s", project, session_id]:
            return Session(Tenant(tenant), Project(project), SessionId(session_id))
        case _:
            raise CorruptData("a due entry names no session")


def due_shard(session: Session) -> int:
    """Return which shard of the due index lists the session; it never changes."""
    return sha256(session_pk(session).encode()).digest()[0] % DUE_SHARDS


def due_pk(shard: int) -> str:
    """Return the index partition of one shard of the due sessions; `~` is in no tenant's name."""
    return f"~due#{shard:02d}"


def due_sk(when: datetime) -> str:
    """Return the index sort key of a session that is due at this moment."""
    return rfc3339(when)


def event_sk(seq: int) -> str:
    """Return the sort key of the events of turn number `seq`."""
    return f"{EVENTS}{seq:012d}"


def guard_sk(turn: TurnId) -> str:
    """Return the sort key of a turn's guard."""
    return f"{GUARDS}{turn}"


def operation_sk(operation_id: str) -> str:
    """Return the sort key of what was said in a turn that waits for its answer."""
    return f"{OPERATIONS}{operation_id}"


def open_turn_sk(turn: TurnId, note: str | None = None) -> str:
    """Return the sort key of a turn that waits for its end, or of a note on it; ids may be as long as they like."""
    return f"{OPEN_TURNS}{_short(turn)}" + ("" if note is None else f"#{_short(note)}")


def _short(name: str) -> str:
    return sha256(name.encode()).hexdigest()[:_ID_DIGITS]


def compact_sk(seq: int) -> str:
    """Return the sort key of the compact summary of all turns up to number `seq`."""
    return f"{COMPACTED}{seq:012d}"


def packed_sk(first: int) -> str:
    """Return the sort key of the archived shard whose first turn is number `first`."""
    return f"{PACKED}{first:012d}"


def dropped_sk(drop_id: str) -> str:
    """Return the sort key that names blobs of files that were changed or deleted."""
    return f"drop#{drop_id}"
