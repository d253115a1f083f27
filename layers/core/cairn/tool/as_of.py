"""The services of a process as they were for a call of the past."""

from __future__ import annotations

from dataclasses import replace

from cairn.ground.adapters import NoJobs
from cairn.ground.ids import Tenant
from cairn.replay.as_of import AsOf, StoppedClock
from cairn.replay.replay import Past
from cairn.replay.sessions import SessionsAsOf
from cairn.services import Services
from cairn.settings.settings import Settings
from cairn.vault.vault import Vault


def as_of(services: Services, past: Past) -> Services:
    """Return services that read the store as it was, under the settings of then, and write nothing."""
    table, clock = AsOf(services.adapters.table, past.moment), StoppedClock(past.moment.at)
    adapters = replace(services.adapters, table=table, clock=clock, jobs=NoJobs(), tally=past.seen)
    then = replace(services.settings, memory=past.memory, tenants={}, of_store=None)

    def of_store(tenant: Tenant) -> Settings:
        del tenant
        return then

    other = Services(replace(then, of_store=of_store), services.store, adapters)
    other.adapters = adapters
    vault, sessions = Vault(services.adapters, signs_with=past.key), SessionsAsOf(services, adapters, past.moment)
    vars(other).update(vault=vault, sessions=sessions, embedder=services.embedder)
    return other
