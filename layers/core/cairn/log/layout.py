"""Keys of memory logs: a partition for each owner, and one for each project that lists its logs.

An owner is a user, a session or the project; free text stands last in its key.
"""

from __future__ import annotations

from datetime import datetime

from cairn.ground.codec import rfc3339
from cairn.ground.errors import CorruptData
from cairn.ground.ids import Digest, Project, SessionId, Tenant, UserId, moment_of
from cairn.ground.settings import RecallScope

PROJECT_OWNER = "p:"
"""Who owns the memories that a whole project sees."""
SESSION_OWNER = "s:"
"""How the owner of a session's own memories begins."""
ENTRIES = "m#"
DISCARDED = "gone#"
MANIFEST = "m~segments"
NEWEST = "m~tail"
"""Under which a log says when its newest entry was made; outside the range that its readers read."""


def log_owner(user: UserId | None, session_id: SessionId) -> str:
    """Return who a turn's memories belong to: its user, or its session where no user is named."""
    return f"u:{user}" if user is not None else f"s:{session_id}"


def session_owner(owner: str) -> SessionId:
    """Return the session that this is, as the owner of its memories."""
    return SessionId(owner.removeprefix(SESSION_OWNER))


def memory_owner(scope: RecallScope, user: UserId | None, session_id: SessionId) -> str:
    """Return whose log holds the memories of a scope; without a user a user's are the session's."""
    if scope == "project":
        return PROJECT_OWNER
    return log_owner(user if scope == "user" else None, session_id)


def log_pk(tenant: Tenant, project: Project, owner: str) -> str:
    """Return the partition of one owner's memory log."""
    return f"{tenant}#m#{project}#{owner}"


def log_of(pk: str) -> tuple[Tenant, Project, str]:
    """Return whose log a partition is: tenant, project and owner; CorruptData where it is none's."""
    match pk.split("#", 3):
        case [tenant, "m", project, owner]:
            return Tenant(tenant), Project(project), owner
        case _:
            raise CorruptData("a partition is no memory log's")


def log_sk(entry_id: str) -> str:
    """Return the sort key of a log entry."""
    return f"m#{entry_id}"


def is_entry(sk: str) -> bool:
    """Tell whether a sort key is a log entry's."""
    return sk.startswith(log_sk(""))


def logged_at(sk: str) -> datetime:
    """Return the moment in a log entry's sort key, to the millisecond."""
    return moment_of(sk.removeprefix("m#"))


def memory_sk(memory_id: str) -> str:
    """Return the sort key of what says, beside the log, whether a memory is kept or forgotten."""
    return f"id#{memory_id}"


def log_range() -> tuple[str, str]:
    """Return the range of a log's entries and, after them all, its manifest."""
    return "m#", MANIFEST


def discarded_sk(when: datetime, digest: Digest) -> str:
    """Return the sort key that says a segment's blob is of no use from this moment on, unless its manifest names it."""
    return f"{DISCARDED}{rfc3339(when)}#{digest}"


def discarded_before(when: datetime) -> tuple[str, str]:
    """Return the range of all that was of no use before this moment."""
    return DISCARDED, f"{DISCARDED}{rfc3339(when)}"


def registry_pk(tenant: Tenant, project: Project) -> str:
    """Return the partition that names every memory log of a project."""
    return f"{tenant}#m#{project}"


def registry_sk(owner: str) -> str:
    """Return the sort key under which a project knows one of its logs."""
    return f"log#{owner}"
