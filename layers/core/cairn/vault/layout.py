"""Keys of a tenant's wrapped data keys."""

from __future__ import annotations

from cairn.ground.ids import Tenant
from cairn.ground.table import prefix_range


def keys_pk(tenant: Tenant) -> str:
    """Return the partition of a tenant's wrapped data keys."""
    return f"{tenant}#keys"


def key_sk(number: int) -> str:
    """Return the sort key of a tenant's data key."""
    return f"data#{number:06d}"


def key_range() -> tuple[str, str]:
    """Return the range of a tenant's data keys, the newest last."""
    return prefix_range("data#")
