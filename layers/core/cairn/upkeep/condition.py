"""Tell a tenant how well the service is: stores, and how its own audit log and data key stand."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from cairn.calls.unsealed import Unsealed, unsealed
from cairn.ground.adapters import Adapters, Pending
from cairn.ground.errors import CorruptData, Unavailable
from cairn.ground.ids import Tenant
from cairn.ground.ports import CountedJobs
from cairn.upkeep.health import Health, Status, status_of
from cairn.vault.data_key import WrappedKey
from cairn.vault.vault import Vault

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnCondition:
    """What is a tenant's own: what waits to be sealed and its newest data key, None where the store does not say.

    `jobs` of it wait in this process, None where none are done in it.
    """

    unsealed: Unsealed | None
    key: WrappedKey | None
    jobs: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """How well the service is, which stores answer, what is wrong, and what is the tenant's own."""

    status: Status
    stores: Mapping[str, bool]
    reasons: Sequence[str]
    own: OwnCondition | None


def condition(adapters: Adapters, health: Health, vault: Vault, tenant: Tenant | None) -> Condition:
    """Return how well the service is, probing the stores while the tenant's own is read; without a tenant no such."""
    own = Pending(lambda: None if tenant is None else _own(adapters, vault, tenant))
    stores = Pending(health.stores)
    adapters.parallel([own, stores])
    reasons = health.reasons()
    return Condition(
        status=status_of(stores.result, reasons),
        stores=stores.result,
        reasons=reasons,
        own=own.result,
    )


def _own(adapters: Adapters, vault: Vault, tenant: Tenant) -> OwnCondition:
    log = Pending(partial(_unless_damaged, adapters, partial(unsealed, adapters, tenant)))
    key = Pending(partial(_unless_damaged, adapters, partial(vault.newest, tenant)))
    adapters.parallel([log, key])
    jobs = adapters.jobs.waiting(tenant) if isinstance(adapters.jobs, CountedJobs) else None
    return OwnCondition(unsealed=log.result, key=key.result, jobs=jobs)


def _unless_damaged(adapters: Adapters, read: Callable[[], T]) -> T | None:
    """Return what is read, None where the store does not answer or that is damaged, which is told by other fields."""
    try:
        return read()
    except Unavailable:
        return None
    except CorruptData:
        adapters.tally.damaged()
        return None
