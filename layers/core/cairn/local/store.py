"""Open the store that a command works on: the data directory, or the store in AWS."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from cairn import wiring
from cairn.access.key_store import Credentials
from cairn.embedded.queue import InProcessJobs
from cairn.embedded.table import SqliteTable
from cairn.ground.errors import NotFound
from cairn.ground.ids import Project, Tenant, UserId
from cairn.ground.session import Subject
from cairn.local.directory import default_directory, prepare
from cairn.local.server.background import work
from cairn.services import Services
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
    if any(name in environment for name in _SETTINGS_OF_YOUR_OWN):
        return dict(environment)
    return {**environment, SWITCH: "true"}


def operator_services(data: Path | None, environment: Mapping[str, str]) -> Services:
    """Return the services of a data directory, made if it is new, or of AWS where the settings name its store."""
    settings = read(environment)
    if data is not None or not isinstance(settings.store, AwsStore):
        settings = replace(settings, store=_embedded(data, environment))
    return Services(settings, wiring.wiring_of(settings, for_operator=True))


def recorded(
    services: Services, owner: Tenant, command: str, project: Project | None = None, user: UserId | None = None
) -> AbstractContextManager[None]:
    """Record in the tenant's audit log that the command in the block begins, and how it ends.

    NotFound for a tenant that has no data key, since it would get one from being recorded.
    """
    if not services.vault.has_key(owner):
        raise NotFound("This tenant has no data key: nothing was ever stored for it, or it was erased")
    return services.journal.command(owner, command, Subject(project=project, user_id=user))


@contextmanager
def open_store(data: Path | None, environment: Mapping[str, str]) -> Generator[LocalStore]:
    """Open the store and put its services in place for this process's handlers; SettingsError where that fails.

    Jobs are done in the background as long as it is open.
    """
    store = _embedded(data, environment)
    settings = replace(read(local_environment(environment)), store=store)
    jobs = InProcessJobs(work)
    reached = wiring.wiring_of(settings)
    services = Services(settings, reached, replace(reached.adapters(), jobs=jobs))
    wiring.provide(services)
    try:
        with closing(SqliteTable(store.table_file)) as table, closing(jobs):
            yield LocalStore(store.directory, settings, services.credentials, table)
    finally:
        wiring.provide(None)


@contextmanager
def services(data: Path | None, environment: Mapping[str, str]) -> Generator[Services]:
    """Open a data directory, or the store in AWS where the settings name one and no directory is given."""
    settings = read(local_environment(environment))
    if data is None and isinstance(settings.store, AwsStore):
        yield Services(settings, wiring.wiring_of(settings, for_operator=True))
        return
    with open_store(data, environment):
        yield wiring.services()


def _embedded(data: Path | None, environment: Mapping[str, str]) -> EmbeddedStore:
    directory = prepare(data or default_directory(environment))
    return EmbeddedStore(directory=directory, master_key=environment.get(MASTER_KEY))
