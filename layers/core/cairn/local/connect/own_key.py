"""The API key of this machine's agents, in this machine's store."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from cairn.access.api_keys import ALL_PROJECTS, Credential, Grant, IssuedKey, covers, parse, project_pattern
from cairn.ground.errors import SettingsError
from cairn.ground.ids import Project, Tenant
from cairn.local.directory import default_directory
from cairn.local.own_names import login_name


def make(data: Path | None, project: str | None) -> IssuedKey:
    """Make a key for who is logged in, to one project or to all; SettingsError where several memories are there."""
    from cairn.local.store import LOCAL_TENANT, memories  # noqa: PLC0415 - a command pays for its own imports only

    services = _services(data)
    known = memories(services)
    owner = _owner(known, LOCAL_TENANT)
    grant = Grant((project_pattern(project) if project else ALL_PROJECTS,), users=(login_name(),))
    return services.credentials.create(owner, grant)


def opened(data: Path | None, key: str, project: Project | None) -> Credential | None:
    """Return the record of a key that this machine's store knows and that opens the project, None otherwise."""
    if not (data or default_directory(os.environ)).expanduser().is_dir():
        return None
    credential = _services(data).credentials.check(key)
    if credential is None or (project and not any(covers(each, project) for each in credential.grant.projects)):
        return None
    return credential


def revoke(data: Path | None, key_id: str) -> bool:
    """Revoke a key and tell whether this machine's store knew it."""
    if not (data or default_directory(os.environ)).expanduser().is_dir():
        return False
    credentials = _services(data).credentials
    if not any(each.id == key_id for each in credentials.list()):
        return False
    credentials.revoke(key_id)
    return True


def id_of(key: str) -> str | None:
    """Return the id in a key's text, None where it is none of Cairn's."""
    found = parse(key)
    return None if found is None else found.id


def _owner(known: list[Tenant], usual: Tenant) -> Tenant:
    if not known or usual in known:
        return usual
    if len(known) > 1:
        raise SettingsError(
            f"several memories are in this store, {', '.join(known)}: make a key with cairn keys create --tenant, and "
            "give the address of the server as --url"
        )
    return known[0]


def _services(data: Path | None) -> Any:
    from cairn.local.store import operator_services  # noqa: PLC0415 - a command pays for its own imports only
    from cairn.settings.settings import AwsStore  # noqa: PLC0415

    services = operator_services(data, os.environ)
    if isinstance(services.settings.store, AwsStore):
        raise SettingsError("the settings name a store in AWS: give the address of its deployment as --url")
    return services
