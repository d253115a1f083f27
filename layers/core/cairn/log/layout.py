"""Keys of memory logs: a partition for each owner, one for each project that lists its logs, one that lists projects.

An owner is a user, a session or the project; free text stands last in its key. A user has one more log, of no project:
what holds of them across projects. Its entries name sessions with their projects. On a branch of a project each log has
a partition of its own, that across projects too, for what the branch adds to it.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from cairn.ground.codec import rfc3339
from cairn.ground.errors import CorruptData
from cairn.ground.ids import Digest, Project, SessionId, Tenant, UserId, is_branch, moment_of, time_ordered_id, trunk
from cairn.ground.settings import MemoryScope

PROJECT_OWNER = "p:"
"""Who owns the memories that a whole project sees."""
SESSION_OWNER = "s:"
"""How the owner of a session's own memories begins."""
USER_OWNER = "u:"
"""How a user begins as an owner."""
ACROSS = "~"
"""What stands for the project of a log that is of none, and before such a log's owner; `~` is in no project's name."""
ENTRIES = "m#"
DISCARDED = "gone#"
MANIFEST = "m~segments"
BRANCHES = "branch#"
"""How sort keys begin under which a project knows its branches."""
WROTE = "wrote#"
"""How sort keys begin under which a branch knows the owners of the logs that it added to."""
SPOKE = "session#"
"""How they begin for the sessions that went on there."""
KEPT_COUNT = "kept"
"""Under which a log counts the memories that it was given in no session."""
NEWEST = "m~tail"
"""Under which a log says when its newest entry was made; outside the range that its readers read."""


def log_owner(user: UserId | None, session_id: SessionId) -> str:
    """Return who a turn's memories belong to: its user, or its session where no user is named."""
    return f"{USER_OWNER}{user}" if user is not None else f"{SESSION_OWNER}{session_id}"


def user_of(owner: str) -> UserId | None:
    """Return the user that this is, as the owner of memories, None where it is a session or the project."""
    return UserId(owner.removeprefix(USER_OWNER)) if owner.startswith(USER_OWNER) else None


def session_owner(owner: str) -> SessionId:
    """Return the session that this is, as the owner of its memories."""
    return SessionId(owner.removeprefix(SESSION_OWNER))


def across(owner: str) -> list[str]:
    """Return the owner of a user's log across projects; none where the owner is no user."""
    return [f"{ACROSS}{owner}"] if owner.startswith(USER_OWNER) else []


def with_across(owners: Sequence[str]) -> list[str]:
    """Return owners, and those of users' logs across projects."""
    return [*owners, *(each for owner in owners for each in across(owner))]


def is_across(owner: str) -> bool:
    """Tell whether an owner's log is of no project."""
    return owner.startswith(ACROSS)


def named_in(owner: str, project: Project, session_id: SessionId) -> SessionId:
    """Return a session as entries of this owner's log name it; `/` is in no session's name.

    A branch's entries name it as its project's do, since they follow these.
    """
    return SessionId(f"{trunk(project)}/{session_id}") if is_across(owner) else session_id


def session_named(project: Project, name: SessionId) -> tuple[Project, SessionId]:
    """Return the project and the session that an entry of a log of this project names."""
    if not is_across(project):
        return project, name
    of, _, session_id = name.rpartition("/")
    return Project(project.removeprefix(ACROSS) or of), SessionId(session_id)


def all_named_in(project: Project) -> SessionId:
    """Return what stands for all sessions of a project, in logs across projects."""
    return SessionId(f"{trunk(project)}/")


def is_within(part: SessionId | None, name: SessionId) -> bool:
    """Tell whether a session is the one that is meant, or one of the project whose sessions all are, or any is."""
    if part is not None and part.endswith("/"):
        return name.rpartition("/")[0] == part[:-1]
    return part in {None, name}


def memory_owner(scope: MemoryScope, user: UserId | None, session_id: SessionId) -> str:
    """Return whose log holds the memories of a scope; without a user a user's are the session's."""
    if scope == "project":
        return PROJECT_OWNER
    owner = log_owner(None if scope == "session" else user, session_id)
    return (across(owner) or [owner])[0] if scope == "user_everywhere" else owner


def log_pk(tenant: Tenant, project: Project, owner: str) -> str:
    """Return the partition of one owner's memory log."""
    if is_across(owner):
        return f"{tenant}#m#{ACROSS}{project if is_branch(project) else ''}#{owner.removeprefix(ACROSS)}"
    return f"{tenant}#m#{project}#{owner}"


def log_of(pk: str) -> tuple[Tenant, Project, str]:
    """Return whose log a partition is: tenant, project and owner; CorruptData where it is none's."""
    match pk.split("#", 3):
        case [tenant, "m", project, owner]:
            return Tenant(tenant), Project(project), owner
        case _:
            raise CorruptData("a partition is no memory log's")


def own_log_of(pk: str) -> tuple[Tenant, Project, str]:
    """Return the tenant, the project and the owner under which calls ask for a log; no project for one across them."""
    tenant, project, owner = log_of(pk)
    if is_across(project):
        return tenant, Project(project.removeprefix(ACROSS)), f"{ACROSS}{owner}"
    return tenant, project, owner


def through_sk(moment: datetime) -> str:
    """Return the sort key that entries follow which are made later than this moment, to the millisecond."""
    return log_sk(time_ordered_id(moment, b"\xff" * 10))


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


def branch_sk(name: str) -> str:
    """Return the sort key under which a project knows a branch of itself, or those whose names begin so."""
    return f"{BRANCHES}{name}"


def merged_sk(name: str) -> str:
    """Return the sort key under which a project knows what came of a branch that was merged."""
    return f"merged#{name}"


def registry_pk(tenant: Tenant, project: Project) -> str:
    """Return the partition that names every memory log of a project."""
    return f"{tenant}#m#{project}"


def registry_sk(owner: str) -> str:
    """Return the sort key under which a project knows one of its logs."""
    return f"log#{owner}"


def projects_pk(tenant: Tenant) -> str:
    """Return the partition that names every project of a tenant."""
    return f"{tenant}#projects"


def project_sk(project: str) -> str:
    """Return the sort key under which a tenant knows a project, or those whose names begin so."""
    return f"project#{project}"
