"""What a merge came to, told for a while once the branch is gone: whoever lost the answer asks again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, fields
from datetime import timedelta

from cairn.branches.model import Merged
from cairn.ground.attributes import number
from cairn.ground.errors import TransactionRefused
from cairn.ground.ids import Project, Tenant
from cairn.ground.table import Put, Write, conditions_lost
from cairn.log.branches import Branch, merged_key, no_branch
from cairn.sessions.services import SessionServices
from cairn.sessions.transacting import transact

TOLD = timedelta(days=7)
"""For how long it is told."""


def merged_before(services: SessionServices, tenant: Tenant, project: Project) -> Merged | None:
    """Return what the last branch of this name that was merged came to, None where nothing tells.

    Making a branch removes it, so that a branch which is there is told its own alone.
    """
    item = services.adapters.table.get(merged_key(tenant, project))
    if item is None or number(item, "expires_at") <= services.adapters.clock.now().timestamp():
        return None
    return Merged(**{each.name: number(item, each.name) for each in fields(Merged)})


def settle(services: SessionServices, branch: Branch, done: Merged) -> None:
    """Write down what a merge came to, before its branch is erased; NotFound where that is gone, or being dropped."""
    where, expires = merged_key(branch.tenant, branch.project), services.adapters.clock.now() + TOLD
    told = {**asdict(done), "expires_at": int(expires.timestamp())}
    writes = [Put({"pk": where.pk, "sk": where.sk, **told}), branch.is_merging]

    def lost(made: Sequence[Write], refused: TransactionRefused) -> None:
        if branch.key in conditions_lost(made, refused):
            raise no_branch(branch.project)

    transact(services, lambda: writes, lost)
