"""Which server this machine's agents shall remember in, and with which key."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from cairn.ground.errors import SettingsError
from cairn.ground.ids import Project
from cairn.local.connect import own_key
from cairn.local.connect.record import Record
from cairn.local.hook import client_file
from cairn.local.hook.client_file import Client

PORT: Final = 8787
HERE: Final = "http://127.0.0.1:{port}"
PLACEHOLDER: Final = "KEY"
"""Stands for a key that is not there yet."""
_ENDPOINTS: Final = ("/mcp/agent", "/mcp/hooks", "/mcp")


@dataclass(frozen=True, slots=True)
class Wanted:
    """What was asked for; None stands for what is known already, or for the usual."""

    url: str | None = None
    key: str | None = None
    port: int | None = None
    project: Project | None = None
    data: Path | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """A client, and what is still to be done for its key, for which PLACEHOLDER stands until then."""

    client: Client
    makes_key: bool = False
    asks_key: bool = False


def stored(environment: Mapping[str, str]) -> Client | None:
    """Return what the client file says whatever the environment does, None where it is not there."""
    if not client_file.location(environment).exists():
        return None
    return client_file.read({name: value for name, value in environment.items() if not name.startswith("CAIRN_")})


def plan(wanted: Wanted, known: Client | None, record: Record) -> Plan:
    """Return the client for what is wanted: what is known where that will do, so that all agents share one key.

    A key is made for this machine's server alone; that of another comes from whoever runs it.
    """
    url = _address(wanted, known)
    project = wanted.project or (Project(known.project) if known and known.project else None)
    user = known.user if known else None
    if wanted.key:
        return Plan(Client(url, wanted.key, project, user))
    if known and _is_for(known, url, wanted, record) and _still_opens(known, wanted.data, project, record):
        return Plan(known._replace(url=url, project=project))
    if wanted.url is None:
        return Plan(Client(url, PLACEHOLDER, project), makes_key=True)
    return Plan(Client(url, PLACEHOLDER, project, user), asks_key=True)


def _address(wanted: Wanted, known: Client | None) -> str:
    if wanted.url:
        return _base(wanted.url)
    if wanted.port:
        return HERE.format(port=wanted.port)
    return known.url if known else HERE.format(port=PORT)


def _is_for(known: Client, url: str, wanted: Wanted, record: Record) -> bool:
    """Tell whether a known key is for the server at an address: one made here is for this machine's, on any port."""
    is_own = own_key.id_of(known.key) in record.keys and wanted.url is None
    return known.url == url or is_own


def _still_opens(known: Client, data: Path | None, project: Project | None, record: Record) -> bool:
    """Tell whether a known key will do; of one that was not made here, only its server can tell."""
    if own_key.id_of(known.key) not in record.keys:
        return True
    return own_key.opened(data, known.key, project) is not None


def _base(url: str) -> str:
    """Return a server's address, also of one that was copied with the path of its MCP endpoint."""
    address = url.rstrip("/")
    address = next((address.removesuffix(end) for end in _ENDPOINTS if address.endswith(end)), address)
    if urlsplit(address).scheme not in {"http", "https"}:
        raise SettingsError("--url: must be an address such as https://memory.example.com")
    return address
