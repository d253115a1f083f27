"""Where everything is: every partition begins with its owner, a tenant, and free text stands last in its key.

A tenant and a project hold no `#`, so the parts of a key cannot run into each other, whatever a session, turn or
user is called. `~` sorts after every digit and letter, so a head is the first item of a descending query. API keys
have an owner of their own, since a key is looked up before its tenant is known. The index has partitions of no tenant:
in them a head stands under the moment at which its session is due for maintenance.
"""

from __future__ import annotations

from datetime import datetime
from hashlib import sha256

from cairn.ground.codec import rfc3339
from cairn.ground.errors import CorruptData
from cairn.ground.ids import Digest, Project, SessionId, Tenant, TurnId, UserId, moment_of
from cairn.ground.session import Session
from cairn.ground.settings import RecallScope

CREDENTIALS = Tenant("~credentials")
"""Who owns every API key's record and the key they are hashed under; `~` is in no tenant's name."""
POLICIES = Tenant("~policies")
"""Who owns the deployment's policy document and the key it is sealed under."""
POLICY = "document"
HEAD = "e#~"
MEMORY_COUNT = "e#}"
"""What a session's memories are counted in; it sorts between events and head, so that one query returns it too."""
NEWEST_SUMMARY = "e#|"
"""What the newest compact summary is in as well; it sorts there too, and is read along."""
FIRST_EVENT = "e#0"
LAST_EVENT = "e#9\U0010ffff"
PROJECT_OWNER = "p:"
"""Who owns the memories that a whole project sees."""
SESSION_OWNER = "s:"
"""How the owner of a session's own memories begins."""
ENTRIES = "m#"
EVENTS = "e#"
SHARDS = "arc#"
COMPACTED = "cmp#"
GUARDS = "turn#"
OPERATIONS = "op#"
DISCARDED = "gone#"
POINTERS = "ptr#"
SUMMARIES = "abstracts"
MANIFEST = "m~segments"
NEWEST = "m~tail"
"""Under which a log says when its newest entry was made; outside the range that its readers read."""
DUE_SHARDS = 16
"""How many partitions of the index share the due sessions, so that many writers and runs do not meet in one."""


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


def tenant_of(pk: str) -> Tenant:
    """Return whose partition this is."""
    return Tenant(pk.split("#", 1)[0])


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


def compact_sk(seq: int) -> str:
    """Return the sort key of the compact summary of all turns up to number `seq`."""
    return f"{COMPACTED}{seq:012d}"


def archive_sk(first: int) -> str:
    """Return the sort key of the archived shard whose first turn is number `first`."""
    return f"{SHARDS}{first:012d}"


FILES = "files"
"""The sort key, of a session and of a project, of what is counted of their files."""


def file_sk(path: str) -> str:
    """Return the sort key of a session's own file; a path holds no `#`."""
    return f"file#{path}"


def file_of(sk: str) -> str:
    """Return the path in the sort key of a file."""
    return sk.removeprefix("file#")


def file_part_sk(path: str, part_id: str) -> str:
    """Return the sort key of a part of a file's content."""
    return f"part#{path}#{part_id}"


def dropped_sk(drop_id: str) -> str:
    """Return the sort key that names blobs of files that were changed or deleted."""
    return f"drop#{drop_id}"


def prefix_range(prefix: str) -> tuple[str, str]:
    """Return the inclusive range of all sort keys that begin with the prefix."""
    return prefix, prefix + "\U0010ffff"


def owner(user: UserId | None, session_id: SessionId) -> str:
    """Return who a turn's memories belong to: its user, or its session where no user is named."""
    return f"u:{user}" if user is not None else f"s:{session_id}"


def session_owner(owner: str) -> SessionId:
    """Return the session that this is, as the owner of its memories."""
    return SessionId(owner.removeprefix(SESSION_OWNER))


def memory_owner(scope: RecallScope, user: UserId | None, session_id: SessionId) -> str:
    """Return whose log holds the memories of a scope; without a user a user's are the session's."""
    if scope == "project":
        return PROJECT_OWNER
    return owner(user if scope == "user" else None, session_id)


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


def keys_pk(tenant: Tenant) -> str:
    """Return the partition of a tenant's wrapped data keys."""
    return f"{tenant}#keys"


def key_sk(number: int) -> str:
    """Return the sort key of a tenant's data key."""
    return f"data#{number:06d}"


def key_range() -> tuple[str, str]:
    """Return the range of a tenant's data keys, the newest last."""
    return prefix_range("data#")


def credentials_pk() -> str:
    """Return the partition of every API key's record."""
    return f"{CREDENTIALS}#api"


def credential_sk(key_id: str) -> str:
    """Return the sort key of an API key's record."""
    return f"key#{key_id}"


def archive_pk(tenant: Tenant) -> str:
    """Return the partition of a tenant's archive: an entry for each pointer, and its places in the archive's index."""
    return f"{tenant}#a"


def pointer_sk(digest: Digest) -> str:
    """Return the sort key of the archive's entry for a pointer."""
    return f"{POINTERS}{digest}"


def archived_by_time(entry_id: str = "") -> str:
    """Return the sort key under which an entry stands by time; without the entry, how all of them begin."""
    return f"at#{entry_id}"


def archived_by_tag(tag: str, entry_id: str = "") -> str:
    """Return the sort key under which an entry stands by tag and time; without the entry, how all of the tag begin."""
    return f"tag#{tag}#{entry_id}"


def archived_by_session(session_id: str, entry_id: str = "") -> str:
    """Return the sort key under which an entry stands by session and time; without the entry, how all of it begin.

    A session's name may hold `#`, so that a range may hold entries of sessions whose names go on there.
    """
    return f"ses#{session_id}#{entry_id}"


def policies_pk() -> str:
    """Return the partition of the deployment's policy document."""
    return f"{POLICIES}#p"
