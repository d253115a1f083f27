"""Open the store that a command works on: the data directory, or the store in AWS."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

from cairn import wiring
from cairn.access.key_store import Credentials
from cairn.embedded.queue import InProcessJobs
from cairn.embedded.table import SqliteTable
from cairn.ground.errors import NotFound
from cairn.ground.ids import Project, Tenant, UserId
from cairn.ground.session import Subject
from cairn.local.directory import default_directory, prepare
from cairn.local.server.background import work, work_for
from cairn.local.server.sealing import seal_due, sealing
from cairn.services import Services
from cairn.settings.options import ENABLED
from cairn.settings.settings import MASTER_KEY, AwsStore, EmbeddedStore, Settings, read

LOCAL_TENANT = Tenant("local")
"""The tenant of a data directory's first key and of `cairn stdio`."""
SWITCH = "CAIRN_MEMORY_ENABLED"
_SETTINGS_OF_YOUR_OWN = ("CAIRN_SETTINGS", "CAIRN_SETTINGS_FILE", SWITCH)


@dataclass(frozen=True, slots=True)
class LocalStore:
    """An open data directory with its API keys and its table."""

    directory: Path
    settings: Settings
    credentials: Credentials
    table: SqliteTable


def local_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of a local command: memory is on where no settings say otherwise."""
    return dict(environment) if has_settings(environment) else {**environment, SWITCH: "true"}


def local_settings(environment: Mapping[str, str]) -> Settings:
    """Return the settings of a local command, which say so where it is assumed that memory is on."""
    settings = read(local_environment(environment))
    if has_settings(environment):
        return settings
    return replace(settings, sources={**settings.sources, ENABLED: "assumed on one machine"})


def has_settings(environment: Mapping[str, str]) -> bool:
    """Tell whether somebody says which tools are on."""
    return any(environment.get(name) for name in _SETTINGS_OF_YOUR_OWN)


def operator_services(data: Path | None, environment: Mapping[str, str]) -> Services:
    """Return the services of a data directory, made if it is new, or of AWS where the settings name its store."""
    settings = read(environment)
    if data is not None or not isinstance(settings.store, AwsStore):
        settings = replace(settings, store=_embedded(data, environment))
    return Services(settings, wiring.wiring_of(settings, for_operator=True))


def memories(services: Services) -> list[Tenant]:
    """Return the tenants that keys open, and the local one where anything is stored for it, in order."""
    now = services.adapters.clock.now()
    found = {each.tenant for each in services.credentials.list() if each.is_open(now)}
    if services.vault.has_key(LOCAL_TENANT):
        found.add(LOCAL_TENANT)
    return sorted(found)


def tenant_here(services: Services, known: Sequence[Tenant]) -> Tenant | None:
    """Return whose memory is meant where none is named: on one machine the only one, local where there is none.

    None beside several, and in AWS, where the only memory may be another customer's.
    """
    if not isinstance(services.settings.store, EmbeddedStore) or len(known) > 1:
        return None
    return known[0] if known else LOCAL_TENANT


@contextmanager
def recorded(
    services: Services, owner: Tenant, command: str, project: Project | None = None, user: UserId | None = None
) -> Generator[None]:
    """Record in the tenant's audit log that the command in the block begins, and how it ends.

    On one machine what was recorded before is sealed then: where only commands are used, nothing else would do it.
    NotFound for a tenant that has no data key, since it would get one from being recorded.
    """
    if not services.vault.has_key(owner):
        raise NotFound("This tenant has no data key: nothing was ever stored for it, or it was erased")
    try:
        with services.journal.command(owner, command, Subject(project=project, user_id=user)):
            yield
    finally:
        if isinstance(services.settings.store, EmbeddedStore):
            seal_due(services)


@contextmanager
def open_store(data: Path | None, environment: Mapping[str, str]) -> Generator[LocalStore]:
    """Open the store and put its services in place for this process's handlers; SettingsError where that fails.

    Jobs are done in the background as long as it is open.
    """
    store = _embedded(data, environment)
    settings = replace(local_settings(environment), store=store)
    jobs = InProcessJobs(work)
    reached = wiring.wiring_of(settings)
    services = Services(settings, reached, replace(reached.adapters(), jobs=jobs, is_ending=jobs.is_ending))
    wiring.provide(services)
    try:
        with closing(SqliteTable(store.table_file)) as table, closing(jobs):
            yield LocalStore(store.directory, settings, services.credentials, table)
    finally:
        wiring.provide(None)


@contextmanager
def opened(data: Path | None, environment: Mapping[str, str], named: str) -> Generator[Services]:
    """Open a data directory beside whatever this process serves, under the settings of `cairn serve`.

    Its jobs are done in the background, and its audit log is sealed, as long as it is open. SettingsError where it
    cannot be opened; it calls the directory as whoever chose it did.
    """
    store = _embedded(data, environment, named)
    settings = replace(local_settings(environment), store=store)
    reached = wiring.wiring_of(settings)
    adapters = reached.adapters()
    with ExitStack() as closing_down:
        closing_down.callback(cast("SqliteTable", adapters.table).close)
        jobs = closing_down.enter_context(closing(InProcessJobs(lambda job: work_for(found, job))))
        found = Services(settings, reached, replace(adapters, jobs=jobs, is_ending=jobs.is_ending))
        closing_down.enter_context(sealing(found))
        yield found


@contextmanager
def services(data: Path | None, environment: Mapping[str, str]) -> Generator[Services]:
    """Open a data directory, or the store in AWS where the settings name one and no directory is given."""
    settings = local_settings(environment)
    if data is None and isinstance(settings.store, AwsStore):
        yield Services(settings, wiring.wiring_of(settings, for_operator=True))
        return
    with open_store(data, environment):
        yield wiring.services()


def _embedded(data: Path | None, environment: Mapping[str, str], named: str = "--data") -> EmbeddedStore:
    directory = prepare(data or default_directory(environment), named)
    return EmbeddedStore(directory=directory, master_key=environment.get(MASTER_KEY))
