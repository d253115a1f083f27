"""The client file: which server this machine's agents remember in, with which key, and as whom.

A hook starts at each event of an agent, so its room imports little: values are named tuples, since dataclasses alone
would take a tenth of its time or more.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple, cast
from urllib.parse import urlsplit

from cairn.ground import ids
from cairn.ground.errors import InvalidArgument, SettingsError
from cairn.local.hook.private_files import config_directory, replace

LOOPBACK: Final = frozenset({"127.0.0.1", "::1", "localhost"})
_VARIABLES: Final = {"url": "CAIRN_URL", "key": "CAIRN_KEY", "project": "CAIRN_PROJECT", "user": "CAIRN_USER"}


class Client(NamedTuple):
    """A server's address and the key it is shown. `project` and `user` are None where none is fixed."""

    url: str
    key: str
    project: str | None = None
    user: str | None = None


def location(environment: Mapping[str, str]) -> Path:
    """Return the file's path: `cairn/client.json` under XDG_CONFIG_HOME, ~/.config unless set to an absolute path."""
    return config_directory(environment) / "client.json"


def read(environment: Mapping[str, str]) -> Client:
    """Return what the file says, and where CAIRN_URL, CAIRN_KEY, CAIRN_PROJECT or CAIRN_USER is set, what that says.

    SettingsError says in one sentence what is missing or wrong; no key is in it.
    """
    path = location(environment)
    given = {name: environment.get(variable) or None for name, variable in _VARIABLES.items()}
    stored = {} if given["url"] and given["key"] and not path.exists() else _stored(path)
    said = {name: (value, _VARIABLES[name]) for name, value in given.items() if value}
    said = {name: (stored[name], f"{path}: {name}") for name in _VARIABLES if stored.get(name) is not None} | said
    for name in ("url", "key"):
        if name not in said:
            raise SettingsError(f"{path}: {name} is missing")
    values = {name: _checked(name, value, where) for name, (value, where) in said.items()}
    return Client(**values)


def write(client: Client, environment: Mapping[str, str]) -> Path:
    """Write the file in one step, readable by its owner alone, and return its path; SettingsError where that fails."""
    path = location(environment)
    for name, value in client._asdict().items():
        if value is not None:
            _checked(name, value, name)
    said = {name: value for name, value in client._asdict().items() if value is not None}
    try:
        replace(path, f"{json.dumps(said, indent=2)}\n".encode())
    except OSError as error:
        raise SettingsError(f"{path}: cannot be written: {error.strerror}") from None
    return path


def _stored(path: Path) -> dict[str, Any]:
    try:
        stored = json.loads(path.read_bytes())
    except FileNotFoundError:
        raise SettingsError(f"{path} is missing: `cairn connect` writes it") from None
    except OSError as error:
        raise SettingsError(f"{path}: cannot be read: {error.strerror}") from None
    except ValueError:
        raise SettingsError(f"{path}: is no JSON") from None
    if not isinstance(stored, dict):
        raise SettingsError(f"{path}: must be a JSON object")
    return cast("dict[str, Any]", stored)


def _checked(name: str, value: object, where: str) -> str:
    """Return a value that may be what it is to be; SettingsError, which says where it stands, otherwise."""
    if not isinstance(value, str):
        raise SettingsError(f"{where} must be a text")
    try:
        return {"url": _url, "key": _key, "project": ids.project, "user": ids.user_id}[name](value)
    except InvalidArgument as error:
        problem = cast("dict[str, str]", error.details["fields"]).popitem()[1]
        raise SettingsError(f"{where} {problem}") from None


def _url(value: str) -> str:
    """Return a server's address without a slash at its end."""
    try:
        parts = urlsplit(value)
        host, _ = parts.hostname, parts.port
    except ValueError:
        host, parts = None, urlsplit("")
    is_plain = value.isascii() and value.isprintable() and not set(value) & set(" ?#@")
    if parts.scheme not in {"http", "https"} or not host or not is_plain:
        raise InvalidArgument("url", "must be an address such as https://memory.example.com")
    if parts.scheme == "http" and host not in LOOPBACK:
        raise InvalidArgument("url", f"would send the key to {host} without encryption: use https://")
    return value.rstrip("/")


def _key(value: str) -> str:
    if not value or not value.isascii() or not value.isprintable() or " " in value:
        raise InvalidArgument("key", "must be an API key: `cairn keys create` makes one")
    return value
