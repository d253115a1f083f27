"""Keys of key-value memory: a partition for each namespace, and one that lists them all."""

from __future__ import annotations

from datetime import datetime

from cairn.ground.codec import rfc3339
from cairn.ground.ids import Digest, Namespace, Tenant
from cairn.keyvalue.model import KeyName

USAGE = "e!usage"


def namespaces_pk(tenant: Tenant) -> str:
    """Return the partition that names a tenant's namespaces and counts its keys; in the index, of what falls due."""
    return f"{tenant}#k"


def namespace_sk(namespace: Namespace) -> str:
    """Return the sort key under which a tenant knows one of its namespaces."""
    return f"ns#{namespace}"


def namespace_pk(tenant: Tenant, namespace: Namespace) -> str:
    """Return the partition of one namespace."""
    return f"{tenant}#k#{namespace}"


def namespace_of(pk: str) -> Namespace:
    """Return the namespace whose partition this is."""
    return Namespace(pk.split("#", 2)[2])


def value_sk(key: KeyName) -> str:
    """Return the sort key of a value."""
    return f"v#{key}"


def entry_sk(key: str) -> str:
    """Return the sort key of what is known of a key; all that sorts after it and its `!` belongs to later keys."""
    return f"n#{key}"


def expiry_sk(until: datetime, key: KeyName) -> str:
    """Return the sort key that says when a key expires."""
    return f"e#{rfc3339(until)}#{key}"


def expired_key(sk: str) -> KeyName:
    """Return the key in the sort key that says when it expires."""
    return KeyName(sk.split("#", 2)[2])


def expired_by(now: datetime) -> tuple[str, str]:
    """Return the range of all that has expired; `USAGE` stands right before it."""
    return "e#", f"e#{rfc3339(now)}#\U0010ffff"


def garbage_sk(digest: Digest) -> str:
    """Return the sort key that says a value's blob is of no use from a moment on."""
    return f"g#{digest}"
