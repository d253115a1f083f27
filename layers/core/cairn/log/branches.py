"""The record of a branch: since when a project goes on in two ways, kept with the project.

A branch is called as its project is, with `@` and its own name. Its logs hold what it adds; what was there before is
read from the project's, up to the branch's moment (see log.log).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from cairn.ground.adapters import Adapters
from cairn.ground.attributes import moment, text
from cairn.ground.bounded import BoundedCache
from cairn.ground.codec import rfc3339
from cairn.ground.errors import Conflict, InvalidArgument, NotFound
from cairn.ground.ids import Project, SessionId, Tenant, branch_of, branch_project, trunk
from cairn.ground.session import Session
from cairn.ground.table import AllOf, Attributes, Check, Equals, Key, Missing, Put, Scalar, Write
from cairn.log.layout import SPOKE, WROTE, branch_sk, merged_sk, own_log_of, registry_pk, through_sk
from cairn.log.newest import TICK

CLOSING = "closing"
"""What a branch's record says from the moment on at which merging or dropping it begins: nothing is added any more."""
CLOSED_AT = "closed_at"
"""When that began."""
_MOST = 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class Branch:
    """A branch of a project at a moment, or of one session of it; `id` tells it from an earlier one of its name."""

    tenant: Tenant
    project: Project
    id: str
    at: datetime
    made_at: datetime
    session_id: SessionId | None = None
    closing: str = ""
    """How it is being closed, "" while it is open."""
    closed_at: datetime | None = None

    @classmethod
    def of(cls, tenant: Tenant, project: Project, item: Attributes) -> Branch:
        """Return the branch that an item is the record of; CorruptData where it is none's."""
        session = text(item, "session_id", "")
        return cls(
            tenant=tenant,
            project=project,
            id=text(item, "branch"),
            at=moment(item, "at"),
            made_at=moment(item, "made_at"),
            session_id=SessionId(session) if session else None,
            closing=text(item, CLOSING, ""),
            closed_at=moment(item, CLOSED_AT) if CLOSED_AT in item else None,
        )

    @property
    def key(self) -> Key:
        """Return where its record is."""
        return branch_key(self.tenant, self.project)

    @property
    def through(self) -> str:
        """Return the sort key that entries of the project's logs follow which the branch does not know."""
        return through_sk(self.at)

    def knows(self, when: datetime) -> bool:
        """Tell whether what was made in the project at this moment is on the branch; logs tell milliseconds apart."""
        return when < self.at + TICK

    @property
    def is_open(self) -> AllOf:
        """Return the condition that it is there and may be added to."""
        return AllOf((Equals("branch", self.id), Missing(CLOSING)))

    @property
    def is_merging(self) -> Check:
        """Return the check that it is there and being merged."""
        return Check(self.key, AllOf((Equals("branch", self.id), Equals(CLOSING, "merge"))))

    def to_item(self) -> dict[str, Scalar]:
        """Return the item that is stored."""
        session = {} if self.session_id is None else {"session_id": self.session_id}
        moments = {"at": rfc3339(self.at), "made_at": rfc3339(self.made_at)}
        return {"pk": self.key.pk, "sk": self.key.sk, "branch": self.id, **moments, **session}


def branch_key(tenant: Tenant, project: Project) -> Key:
    """Return where the record of the branch is that a project's name says."""
    return Key(registry_pk(tenant, trunk(project)), branch_sk(branch_of(project)))


def merged_key(tenant: Tenant, project: Project) -> Key:
    """Return where it is told what came of a branch that was merged, until another has its name."""
    return Key(registry_pk(tenant, trunk(project)), merged_sk(branch_of(project)))


class Branches:
    """Reads the records of branches, and keeps them, which never change but to say that a branch is closed."""

    def __init__(self, adapters: Adapters) -> None:
        """Know of no branch."""
        self._adapters = adapters
        self._known: BoundedCache[Key, Branch] = BoundedCache(entries=_MOST)

    def read(self, tenant: Tenant, project: Project) -> Branch:
        """Return the branch as it is; NotFound where there is none, Conflict where it is being closed."""
        where = branch_key(tenant, project)
        item = self._adapters.table.get(where)
        if item is None:
            self._known.evict(where)
            raise no_branch(project)
        branch = Branch.of(tenant, project, item)
        if branch.closing:
            self._known.evict(where)
            raise closing(branch)
        self._known.put(where, branch)
        return branch

    def read_again(self, where: Key) -> None:
        """Read a branch by whose record a write was refused; the errors of read()."""
        tenant, _, of = where.pk.split("#", 2)
        self.read(Tenant(tenant), branch_project(Project(of), where.sk.removeprefix(branch_sk(""))))

    def known(self, session: Session) -> Branch:
        """Return a session's branch as it was last read; InvalidArgument where the session is not on it."""
        where = branch_key(session.tenant, session.project)
        branch = self._known.peek(where) or self.read(session.tenant, session.project)
        if session.session_id and branch.session_id not in {None, session.session_id}:
            raise InvalidArgument("session_id", f"is not on this branch, which is of the session {branch.session_id}")
        return branch

    def adding(self, pk: str) -> list[Write]:
        """Return the writes to be made with an append to a branch's log: it is open, and knows whose log that is."""
        tenant, project, owner = own_log_of(pk)
        branch = self.known(Session(tenant, project, SessionId("")))
        known = Put({"pk": registry_pk(tenant, project), "sk": f"{WROTE}{owner}"})
        return [Check(branch.key, branch.is_open), known]


def spoke(session: Session) -> Put:
    """Return the write that lets a branch know of a session that goes on there."""
    return Put({"pk": registry_pk(session.tenant, session.project), "sk": f"{SPOKE}{session.session_id}"})


def no_branch(project: Project) -> NotFound:
    """Return the error that there is no branch of this name."""
    return NotFound("There is no such branch", {"project": project})


def closing(branch: Branch) -> Conflict:
    """Return the error that a branch is being merged or dropped."""
    return Conflict(f"this branch is being closed; {branch.closing} it again", {"project": branch.project})
