"""What a merge came to, told for a while once the branch is gone: whoever lost the answer asks again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from datetime import timedelta

from cairn.branches.model import Merged
from cairn.ground.attributes import number
from cairn.ground.errors import TransactionRefused
from cairn.ground.ids import Project, Tenant
from cairn.ground.table import ABSENT, Equals, Put, Write, conditions_lost
from cairn.log.branches import Branch, merged_key, no_branch
from cairn.sessions.services import SessionServices
from cairn.sessions.transacting import transact

TOLD = timedelta(days=7)
"""For how long it is told."""


def merged_before(
    services: SessionServices, tenant: Tenant, project: Project, branch: Branch | None = None
) -> Merged | None:
    """Return what this branch came to, or else the last one of its name that was merged, None where nothing tells."""
    item = services.adapters.table.get(merged_key(tenant, project))
    if item is None or number(item, "expires_at") <= services.adapters.clock.now().timestamp():
        return None
    if branch is not None and item["branch"] != branch.id:
        return None
    return Merged(**{name: number(item, name) for name in asdict(Merged())})


def settle(services: SessionServices, branch: Branch, done: Merged) -> Merged:
    """Write down what a merge came to before its branch is erased, and return that, or what another call wrote.

    NotFound where the branch is gone, or is being dropped.
    """
    where, expires = merged_key(branch.tenant, branch.project), services.adapters.clock.now() + TOLD
    told = {"branch": branch.id, **asdict(done), "expires_at": int(expires.timestamp())}

    def writes() -> Sequence[Write]:
        earlier = services.adapters.table.get(where)
        as_read = ABSENT if earlier is None else Equals("branch", earlier["branch"])
        return [Put({"pk": where.pk, "sk": where.sk, **told}, as_read), branch.is_merging]

    def other(made: Sequence[Write], refused: TransactionRefused) -> Merged | None:
        if branch.key in conditions_lost(made, refused):
            raise no_branch(branch.project)
        return merged_before(services, branch.tenant, branch.project, branch)

    return transact(services, writes, other) or done
