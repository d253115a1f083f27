"""Make, list and drop branches: a project, or one session of it, goes on in a second way from some moment on.

Nothing is copied. A branch is a record with its project, and partitions of its own for what it adds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from itertools import islice
from typing import Literal

from cairn.ground.adapters import Pending
from cairn.ground.attributes import text
from cairn.ground.codec import rfc3339
from cairn.ground.errors import ConditionFailed, Conflict, InvalidArgument, NotFound, TransactionRefused
from cairn.ground.ids import Digest, Project, SessionId, Tenant, branch_project, trunk
from cairn.ground.paging import every
from cairn.ground.session import Session
from cairn.ground.table import (
    ABSENT,
    AllOf,
    AnyOf,
    Attributes,
    Check,
    Delete,
    Equals,
    Key,
    Missing,
    Put,
    Query,
    Update,
    Write,
    conditions_lost,
    prefix_range,
)
from cairn.log.branches import CLOSED_AT, CLOSING, Branch, branch_key, closing, merged_key, no_branch
from cairn.log.layout import (
    PROJECT_OWNER,
    SESSION_OWNER,
    SPOKE,
    WROTE,
    branch_sk,
    log_owner,
    log_pk,
    registry_pk,
    registry_sk,
    session_owner,
    with_across,
)
from cairn.log.newest import EPOCH, TICK
from cairn.sessions.head import stored_head
from cairn.sessions.layout import session_pk
from cairn.sessions.services import SessionServices
from cairn.sessions.transacting import transact
from cairn.vault.vault import blob_of

_ALL = "\x01", "\U0010ffff"
_AT_ONCE = 9
"""How many items are deleted at once: a transaction holds 4 MB, and an item may have 400 KB."""


def create(
    services: SessionServices,
    tenant: Tenant,
    project: Project,
    session_id: SessionId | None = None,
    at: datetime | None = None,
) -> Branch:
    """Make a branch of its project, or of one session of it, as it was at a moment, by default now; once.

    What was answered before is on it; a turn that is being stored may be or not. NotFound where there is nothing of the
    project or the session, Conflict where another branch has the name.
    """
    now = services.adapters.clock.now()
    if at is not None and at > now:
        raise InvalidArgument("at", "must not be in the future")
    owners = _owners(services, tenant, trunk(project), session_id)
    branch = Branch(
        tenant=tenant,
        project=project,
        id=services.adapters.entropy.token(12).hex(),
        at=_to_the_millisecond(at or max(now, _newest(services, tenant, trunk(project), owners))),
        made_at=_to_the_millisecond(now),
        session_id=session_id,
    )
    writes = [Put(branch.to_item(), ABSENT), Delete(merged_key(tenant, project))]

    def there(_: Sequence[Write], refused: TransactionRefused) -> Branch | None:
        return services.log.branches.read(tenant, project) if conditions_lost(writes, refused) else None

    found = transact(services, lambda: writes, there) or branch
    if found.session_id != session_id or (at is not None and found.at != branch.at):
        raise Conflict("another branch of this project has the name", {"project": branch.project})
    return found


def branches(services: SessionServices, tenant: Tenant, of: Project) -> list[Branch]:
    """Return a project's branches, by their names."""
    found = every(services.adapters.table, Query(registry_pk(tenant, of), *prefix_range(branch_sk(""))))
    names = ((item, Key.of(item).sk.removeprefix(branch_sk(""))) for item in found)
    return [Branch.of(tenant, branch_project(of, name), item) for item, name in names]


def drop(services: SessionServices, tenant: Tenant, project: Project) -> None:
    """Erase what is only on a branch; NotFound where there is none. Stopped anywhere, it may be called again."""
    erase(services, close(services, tenant, project, "drop"))


def close(services: SessionServices, tenant: Tenant, project: Project, verb: Literal["merge", "drop"]) -> Branch:
    """Let nothing be added to a branch any more, and return it; what was being added is refused.

    Conflict where it is being dropped and is to be merged. One that is being merged may be dropped: what was not merged
    yet is erased.
    """
    where, now = branch_key(tenant, project), services.adapters.clock.now()
    item = services.adapters.table.get(where)
    if item is None:
        raise no_branch(project)
    branch = Branch.of(tenant, project, item)
    since = text(item, CLOSED_AT, rfc3339(now))
    may = AnyOf((Missing(CLOSING), Equals(CLOSING, "merge"), Equals(CLOSING, verb)))
    condition = AllOf((Equals("branch", branch.id), may))
    try:
        item = services.adapters.table.update(Update(where, set={CLOSING: verb, CLOSED_AT: since}, condition=condition))
    except ConditionFailed as failed:
        if failed.item is None:
            raise no_branch(project) from None
        raise closing(replace(branch, closing="drop")) from None
    return Branch.of(tenant, project, item)


def erase(services: SessionServices, branch: Branch) -> None:
    """Delete all that a closed branch added, with its blobs, and at last its record.

    Where another call has erased it, and the name may be another branch's by now, nothing more is deleted.
    """
    for pk in [
        *(log_pk(branch.tenant, branch.project, owner) for owner in owners_of(services, branch)),
        *(session_pk(session) for session in sessions_of(services, branch)),
        registry_pk(branch.tenant, branch.project),
    ]:
        items = every(services.adapters.table, Query(pk, *_ALL))
        while some := list(islice(items, _AT_ONCE)):
            if not _deleted(services, branch, some):
                return
    with suppress(ConditionFailed):
        services.adapters.table.delete(Delete(branch.key, Equals("branch", branch.id)))


def _deleted(services: SessionServices, branch: Branch, items: Sequence[Attributes]) -> bool:
    """Delete items that were read; False, and nothing is deleted, where they may be those of another branch."""
    if not is_there(services, branch):
        return False
    for item in items:
        blob = blob_of(item) or (Digest(text(item, "digest")) if "digest" in item else None)
        if blob is not None:
            services.adapters.blobs.delete(branch.tenant, blob)
    same = Check(branch.key, Equals("branch", branch.id))
    writes = [same, *(Delete(Key.of(item)) for item in items)]
    return not transact(services, lambda: writes, lambda _, refused: bool(conditions_lost(writes, refused)) or None)


def is_there(services: SessionServices, branch: Branch) -> bool:
    """Tell whether a branch is there still, and not another one of its name."""
    item = services.adapters.table.get(branch.key)
    return item is not None and item.get("branch") == branch.id


def owners_of(services: SessionServices, branch: Branch) -> list[str]:
    """Return the owners of the logs that a branch added to."""
    return list(_listed(services, branch, WROTE))


def sessions_of(services: SessionServices, branch: Branch) -> list[Session]:
    """Return the sessions that have anything of their own on a branch."""
    of_logs = (session_owner(owner) for owner in owners_of(services, branch) if owner.startswith(SESSION_OWNER))
    names = dict.fromkeys([*map(SessionId, _listed(services, branch, SPOKE)), *of_logs])
    return [Session(branch.tenant, branch.project, name) for name in names]


def _listed(services: SessionServices, branch: Branch, prefix: str) -> Iterator[str]:
    query = Query(registry_pk(branch.tenant, branch.project), *prefix_range(prefix))
    return (Key.of(item).sk.removeprefix(prefix) for item in every(services.adapters.table, query))


def _newest(services: SessionServices, tenant: Tenant, of: Project, owners: Sequence[str]) -> datetime:
    """Return when the newest entry of these logs was made: clocks differ, and what was answered is to be known."""
    asked = [Pending(partial(services.log.newest, tenant, of, owner)) for owner in with_across(owners)]
    services.adapters.parallel(asked)
    return max((EPOCH + each.result.made * TICK for each in asked if each.result is not None), default=EPOCH)


def _owners(services: SessionServices, tenant: Tenant, of: Project, session_id: SessionId | None) -> list[str]:
    """Return the owners of the logs that a branch begins with; NotFound where there are none."""
    if session_id is not None:
        head = stored_head(services.adapters.table, Session(tenant, of, session_id))
        if head is None or not head.seq:
            raise NotFound("The project has no such session", {"session_id": session_id})
        return list(dict.fromkeys([*head.owners, log_owner(None, session_id), PROJECT_OWNER]))
    known = every(services.adapters.table, Query(registry_pk(tenant, of), *prefix_range(registry_sk(""))))
    owners = [Key.of(item).sk.removeprefix(registry_sk("")) for item in known]
    if not owners:
        raise NotFound("Nothing is remembered in this project", {"project": of})
    return owners


def _to_the_millisecond(moment: datetime) -> datetime:
    return moment - timedelta(microseconds=moment.microsecond % (TICK // timedelta(microseconds=1)))
