"""Cursors: the last key of a page, sealed for its tenant, namespace and prefix, so that it opens nothing else."""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode

from cairn.ground.errors import CorruptData, InvalidArgument
from cairn.ground.ids import Tenant
from cairn.ground.table import Key
from cairn.keyvalue.model import KeyName
from cairn.vault.vault import Vault

MAX_CHARACTERS = 1024


def seal(vault: Vault, tenant: Tenant, pk: str, prefix: str, last: KeyName) -> str:
    """Return the cursor of what follows the last key, fit for a URL."""
    return urlsafe_b64encode(vault.seal_blob(tenant, _where(pk, prefix), last.encode())).decode().rstrip("=")


def unseal(vault: Vault, tenant: Tenant, pk: str, prefix: str, cursor: str) -> KeyName:
    """Return the last key of the page before; InvalidArgument for what is no cursor of this listing."""
    try:
        token = urlsafe_b64decode(cursor.encode("ascii") + b"=" * (-len(cursor) % 4))
        return KeyName(vault.unseal_blob(tenant, _where(pk, prefix), token).decode())
    except (ValueError, CorruptData):
        raise InvalidArgument("cursor", "is no cursor of this namespace and prefix; begin again without one") from None


def _where(pk: str, prefix: str) -> Key:
    return Key(pk, f"cursor#{prefix}")
