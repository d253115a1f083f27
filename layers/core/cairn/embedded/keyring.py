"""Wrap data keys with one master key of 32 bytes, for a machine without KMS.

Each tenant has its own wrapping key, HKDF-SHA256 of the master key (RFC 5869), so that none opens another's. A wrapped
key is nonce (12 bytes), ciphertext (32) and tag (16) of AES-256-GCM with the tenant as associated data.
"""

from __future__ import annotations

import base64
import binascii
import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from cairn.embedded.files import create_once, make_directory
from cairn.ground.errors import CorruptData, SettingsError
from cairn.ground.ids import Tenant
from cairn.ground.table import Query
from cairn.vault.data_key import DataKey, WrappedKey
from cairn.vault.layout import key_range, keys_pk

if TYPE_CHECKING:
    from cairn.embedded.table import SqliteTable, TableSnapshot

_KEY_BYTES = 32
# What NIST SP 800-38D recommends for GCM.
_NONCE_BYTES = 12
_HOW_TO_MAKE_ONE = (
    "LUMERA_MEMORY_KEY must be 64 hexadecimal characters or the base64 of 32 bytes; make one with: openssl rand -hex 32"
)

_MISSING_MASTER = (
    "{file}: is missing, and without it nothing in this store can be read. Put your copy of it back, for its owner"
    " alone to read (chmod 600), or set LUMERA_MEMORY_KEY to the key that the store was made with. To begin with an"
    " empty memory instead, use another directory. Nothing was changed"
)
_OTHER_MASTER = (
    "{source}: is another key than this store was made with, and opens nothing in it. Put your copy of the right one"
    " back as {file}, or set LUMERA_MEMORY_KEY to it; unset LUMERA_MEMORY_KEY where the file is right. Nothing was"
    " changed"
)
_ANOTHER_MASTER = "or this store was made with another LUMERA_MEMORY_KEY or master.key; start with that one"


class LocalKeyRing:
    """Makes and unwraps data keys with the master key alone; it stores nothing."""

    def __init__(self, master: bytes) -> None:
        """Take the 32 bytes of the master key; ValueError for another length."""
        if len(master) != _KEY_BYTES:
            raise ValueError("the master key has 32 bytes")
        self._master = master

    def generate(self, tenant: Tenant) -> DataKey:
        """Return a fresh data key."""
        secret, nonce = os.urandom(_KEY_BYTES), os.urandom(_NONCE_BYTES)
        return DataKey(secret, nonce + self._cipher(tenant).encrypt(nonce, secret, tenant.encode()))

    def unwrap(self, tenant: Tenant, wrapped: bytes) -> bytes:
        """Return the 32 secret bytes; CorruptData if they are not this tenant's or were changed."""
        nonce, sealed = wrapped[:_NONCE_BYTES], wrapped[_NONCE_BYTES:]
        try:
            return self._cipher(tenant).decrypt(nonce, sealed, tenant.encode())
        except (InvalidTag, ValueError):
            raise CorruptData("a wrapped key does not open", _ANOTHER_MASTER) from None

    def _cipher(self, tenant: Tenant) -> AESGCM:
        # Says what the key is for, so that a key derived for something else is another one.
        info = b"cairn data key wrap 1 " + tenant.encode()
        return AESGCM(HKDF(SHA256(), _KEY_BYTES, salt=None, info=info).derive(self._master))


def master_key(text: str) -> bytes:
    """Return the 32 bytes of a master key given as text; SettingsError, without the text, if it is none."""
    text = text.strip()
    try:
        key = bytes.fromhex(text) if len(text) == 2 * _KEY_BYTES else base64.b64decode(text, validate=True)
    except (ValueError, binascii.Error):
        raise SettingsError(_HOW_TO_MAKE_ONE) from None
    if len(key) != _KEY_BYTES:
        raise SettingsError(_HOW_TO_MAKE_ONE)
    return key


def master_key_of(table: SqliteTable, key_file: Path, given: str | None) -> bytes:
    """Return the master key that is given, or else the one in the file, which is made for a store without data keys.

    SettingsError, and nothing is written, where the key is missing or opens none of the store's data keys. As a rule
    one of them is read.
    """
    # Looked for before the file, which a process that starts at the same time makes before its first data key.
    is_encrypted = any(True for _ in wrapped_keys(table))
    if is_encrypted and given is None and not key_file.exists():
        raise SettingsError(_MISSING_MASTER.format(file=key_file))
    master = load_or_create_master_key(key_file) if given is None else master_key(given)
    ring = LocalKeyRing(master)
    if is_encrypted and not opens(ring, table):
        source = key_file if given is None else "LUMERA_MEMORY_KEY"
        raise SettingsError(_OTHER_MASTER.format(source=source, file=key_file))
    return master


def wrapped_keys(table: SqliteTable | TableSnapshot, *, whole: bool = False) -> Iterator[tuple[Tenant, WrappedKey]]:
    """Yield the data keys of all owners but those of which one is damaged; with `whole` that is CorruptData."""
    passed_over = (ValueError,) if whole else (CorruptData, ValueError)
    for owner in map(Tenant, table.owners()):
        with suppress(*passed_over):
            found = table.query(Query(keys_pk(owner), *key_range())).items
            yield from [(owner, WrappedKey.of(item)) for item in found]


def opens(ring: LocalKeyRing, table: SqliteTable) -> bool:
    """Tell whether a master key opens any of a store's data keys; as a rule one of them is read."""
    return any(_unwraps(ring, owner, key.wrapped) for owner, key in wrapped_keys(table))


def _unwraps(ring: LocalKeyRing, tenant: Tenant, wrapped: bytes) -> bool:
    try:
        ring.unwrap(tenant, wrapped)
    except CorruptData:
        return False
    return True


def load_or_create_master_key(path: Path) -> bytes:
    """Return the master key in a file that only its owner may read, made on first use.

    Two processes that start at once agree on one key. SettingsError if others may use the file or it holds no key.
    """
    if not path.exists():
        make_directory(path.parent)
        create_once(path, os.urandom(_KEY_BYTES).hex().encode())
    if stat.S_IMODE(path.stat().st_mode) & (stat.S_IRWXG | stat.S_IRWXO):
        raise SettingsError(f"the master key file {path} is open to others: chmod 600 it, or better, make a new key")
    try:
        return master_key(path.read_text("ascii"))
    except (SettingsError, UnicodeDecodeError):
        raise SettingsError(f"the master key file {path} must hold 64 hexadecimal characters") from None
