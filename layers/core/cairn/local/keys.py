"""API keys of one machine: shown once, kept as keyed hashes, compared in constant time."""

from __future__ import annotations

import fcntl
import hmac
import json
import os
import secrets
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from cairn.domain.errors import SettingsError
from cairn.domain.ids import Tenant, tenant

LOCAL_TENANT = Tenant("local")
ALL_SCOPES = ("read", "write", "admin")
_HASH_CONTEXT = b"cairn/api-keys/v1"
_NO_HASH = "0" * 64


@dataclass(frozen=True, slots=True)
class Grant:
    """What a key opens: a tenant's memory, within scopes."""

    tenant: Tenant
    scopes: tuple[str, ...]


class ApiKeys:
    """The keys of one data directory, in a JSON file of mode 0600 that holds hashes only.

    A key reads `cairn_<id>_<secret>`. Its hash is HMAC-SHA256 under a key derived from the master key, so that the
    file alone neither opens the memory nor lets a guess be tried.
    """

    def __init__(self, path: Path, master: bytes) -> None:
        """Keep the keys at `path`, hashed under the 32-byte master key."""
        self._path = path
        self._secret = HKDF(algorithm=SHA256(), length=32, salt=None, info=_HASH_CONTEXT).derive(master)

    def is_empty(self) -> bool:
        """Return whether no key has been made yet."""
        return not self._read()

    def add(self, owner: Tenant = LOCAL_TENANT, scopes: tuple[str, ...] = ALL_SCOPES) -> str:
        """Make a key and return it; it is not kept and cannot be shown again."""
        name = secrets.token_hex(6)
        key = f"cairn_{name}_{secrets.token_urlsafe(32)}"
        with self._changing() as entries:
            entries[name] = {"hash": self._hash(key), "tenant": owner, "scopes": " ".join(scopes)}
        return key

    def remove(self, key: str) -> None:
        """Forget a key; an unknown one counts as forgotten."""
        with self._changing() as entries:
            entries.pop(_name(key), None)

    def check(self, presented: str) -> Grant | None:
        """Return what the presented key opens, None if it is unknown; a key made meanwhile is known at once."""
        entry = self._read().get(_name(presented), {})
        matches = hmac.compare_digest(self._hash(presented), entry.get("hash", _NO_HASH))
        return Grant(tenant(entry["tenant"]), tuple(entry["scopes"].split())) if matches else None

    def _hash(self, key: str) -> str:
        return hmac.digest(self._secret, key.encode("utf-8", "surrogatepass"), "sha256").hex()

    def _read(self) -> dict[str, dict[str, str]]:
        try:
            text = self._path.read_text(encoding="utf-8")
        except FileNotFoundError:
            return {}
        try:
            return cast("dict[str, dict[str, str]]", json.loads(text)["keys"])
        except (ValueError, KeyError, TypeError):
            raise SettingsError(f"{self._path} is damaged; remove it and a new key is made at the next start") from None

    @contextmanager
    def _changing(self) -> Generator[dict[str, dict[str, str]]]:
        with _locked(self._path.with_suffix(".lock")):
            entries = self._read()
            yield entries
            _replace(self._path, {"keys": entries})


def _name(key: str) -> str:
    parts = key.split("_", 2)
    return parts[1] if len(parts) == len(("cairn", "id", "secret")) else ""


@contextmanager
def _locked(path: Path) -> Generator[None]:
    descriptor = os.open(path, os.O_CREAT | os.O_RDWR, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _replace(path: Path, document: Mapping[str, object]) -> None:
    draft = path.with_suffix(".new")
    draft.unlink(missing_ok=True)
    descriptor = os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        json.dump(document, file, indent=1)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)
