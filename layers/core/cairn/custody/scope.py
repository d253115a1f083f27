"""Whose data an export, an import or an erasure is about, and which items are theirs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from cairn.files.owners import user_of
from cairn.ground.ids import Project, SessionId, Tenant, UserId, is_branch, trunk
from cairn.ground.table import Attributes, Key
from cairn.log.layout import WROTE, registry_sk, with_across
from cairn.sessions.head import Head
from cairn.sessions.layout import FIRST_EVENT, LAST_EVENT, PACKED, session_of


@dataclass(frozen=True, slots=True)
class DataScope:
    """Whose data is meant: all of a tenant's, narrowed to a project, to a user, or to both."""

    tenant: Tenant
    project: Project | None = None
    user: UserId | None = None

    @property
    def owner(self) -> str | None:
        """Return the user as the owner of memory logs, None where no user is named."""
        return None if self.user is None else f"u:{self.user}"

    def has_log(self, pk: str) -> bool:
        """Tell whether a partition is a memory log of the user, in the project if one is named."""
        kind, project, owner = _parts_of_trunk(pk)
        return kind == "m" and self.project in {None, project} and owner == self.owner and owner is not None

    def has_files(self, pk: str) -> bool:
        """Tell whether a partition holds the user's own files, in the project if one is named."""
        kind, project, name = parts_of(pk)
        own = kind == "s" and self.project in {None, project} and self.user is not None
        return own and name is not None and user_of(name) == self.user

    def shares(self, pk: str) -> bool:
        """Tell whether a partition is a memory log of a project or a session, to which the user may have added."""
        kind, project, owner = _parts_of_trunk(pk)
        return kind == "m" and self.project in {None, project} and owner is not None and not owner.startswith("u:")

    def has_session(self, head: Head) -> bool:
        """Tell whether a head is that of a session in which the user spoke."""
        kind, project, _ = _parts_of_trunk(head.key.pk)
        return kind == "s" and self.project in {None, project} and self.owner in head.owners

    def sole_sessions(self, heads: Iterable[Head]) -> set[SessionId]:
        """Return the names under which the tenant has sessions in which the user alone spoke, and no others."""
        own, others = set[SessionId](), set[SessionId]()
        for head in heads:
            if head.owners:
                is_own = head.owners == (self.owner,) and self.has_session(head)
                (own if is_own else others).add(session_of(head.key.pk).session_id)
        return own - others

    def may_hold(self, other: DataScope) -> bool:
        """Tell whether what is of this scope may hold something of another one of the same tenant."""
        users, projects = {self.user, other.user}, {self.project, other.project}
        return all(None in named or len(named) == 1 for named in (users, projects))

    def registers(self, item: Attributes) -> bool:
        """Tell whether an item makes the user's log known to a project."""
        where = Key.of(item)
        kind, project, owner = _parts_of_trunk(where.pk)
        own = kind == "m" and owner is None and self.project in {None, project}
        if not own or self.owner is None:
            return False
        return where.sk in {registry_sk(self.owner), *(f"{WROTE}{name}" for name in with_across([self.owner]))}

    def asked(self, item: Attributes) -> bool:
        """Tell whether an item is a receipt of what was asked for the user, in whichever project."""
        kind, *_ = parts_of(Key.of(item).pk)
        return kind == "asked" and self.user is not None and item.get("user_id") == self.user

    def keeps(self, where: Key) -> bool:
        """Tell whether an item is of an item log or a document, in this scope."""
        kind, project, rest = parts_of(where.pk)
        owner = (where.sk if rest is None else rest).partition("/")[0]
        return kind in {"i", "d"} and self.project in {None, project} and self.owner in {None, owner}


def holds_turns(sk: str) -> bool:
    """Tell whether an item of a session holds turns: one, or a shard's."""
    return FIRST_EVENT <= sk <= LAST_EVENT or sk.startswith(PACKED)


def own_turns(sk: str, content: Any, user: UserId | None) -> list[Any]:
    """Return what of a session's item is the user's: a turn's events, all or none; a shard's turns; else nothing."""
    if FIRST_EVENT <= sk <= LAST_EVENT:
        return content if any(event["user_id"] == user for event in content) else []
    if sk.startswith(PACKED):
        return [[seq, events] for seq, events in content if any(event["user_id"] == user for event in events)]
    return []


def _parts_of_trunk(pk: str) -> tuple[str, str | None, str | None]:
    """Return what parts_of() does, with the project that a branch is of: what is said of it holds of its branches."""
    kind, project, rest = parts_of(pk)
    return kind, None if project is None else trunk(Project(project)), rest


def is_of_branch(pk: str) -> bool:
    """Tell whether a partition holds what a branch of a project adds to it."""
    kind, project, _ = parts_of(pk)
    return kind in {"s", "m"} and project is not None and is_branch(project)


def parts_of(pk: str) -> tuple[str, str | None, str | None]:
    """Return a partition's kind, and where it has them its project and what follows."""
    _, kind, *rest = pk.split("#", 3)
    return kind, rest[0] if rest else None, rest[1] if len(rest) > 1 else None
