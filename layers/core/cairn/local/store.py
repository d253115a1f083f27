"""The embedded store of one machine, as the local commands open it."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from cairn.embedded.keyring import load_or_create_master_key, master_key
from cairn.embedded.table import SqliteTable
from cairn.local.directory import default_directory, prepare
from cairn.local.keys import ApiKeys
from cairn.runtime import wiring
from cairn.runtime.settings import MASTER_KEY, EmbeddedStore, Settings, read

SWITCH = "CAIRN_MEMORY_ENABLED"
_SETTINGS_OF_YOUR_OWN = ("CAIRN_SETTINGS", "CAIRN_SETTINGS_FILE", SWITCH)


@dataclass(frozen=True, slots=True)
class LocalStore:
    """A data directory, what may open it, and the table that wants sweeping."""

    directory: Path
    settings: Settings
    keys: ApiKeys
    table: SqliteTable


def local_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of a local command: memory is on where no settings say otherwise."""
    if any(name in environment for name in _SETTINGS_OF_YOUR_OWN):
        return dict(environment)
    return {**environment, SWITCH: "true"}


def api_keys(data: Path | None, environment: Mapping[str, str]) -> ApiKeys:
    """Return the API keys of a data directory, made if it is new."""
    return _keys(_embedded(data, environment))


@contextmanager
def opened(data: Path | None, environment: Mapping[str, str]) -> Generator[LocalStore]:
    """Open the store and put its services in place for this process's handlers; SettingsError where that fails."""
    store = _embedded(data, environment)
    settings = replace(read(local_environment(environment)), store=store)
    wiring.provide(wiring.build(settings, wiring.adapters(settings)))
    try:
        with closing(SqliteTable(store.table_file)) as table:
            yield LocalStore(store.directory, settings, _keys(store), table)
    finally:
        wiring.provide(None)


def _embedded(data: Path | None, environment: Mapping[str, str]) -> EmbeddedStore:
    directory = prepare(data or default_directory(environment))
    return EmbeddedStore(directory=directory, master_key=environment.get(MASTER_KEY))


def _keys(store: EmbeddedStore) -> ApiKeys:
    given = store.master_key
    master = load_or_create_master_key(store.key_file) if given is None else master_key(given)
    return ApiKeys(store.directory / "keys.json", master)
