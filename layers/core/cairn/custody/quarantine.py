"""The quarantine: damaged items, moved out of the way as they are, with where they came from.

Nothing reads it but `cairn check`. It is no part of a bundle. It is erased with its tenant, and with any user of it, as
nobody can tell whose damaged items are.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from datetime import datetime
from hashlib import sha256

from cairn.ground import codec
from cairn.ground.ids import Digest, Tenant
from cairn.ground.paging import every
from cairn.ground.ports import Table
from cairn.ground.table import DAMAGED, Attributes, Delete, Key, Put, Query, Write

QUARANTINE = "q"
"""The kind of the partition."""
KNOWN = "known#"
"""How the sort key of a finding begins that can only be kept in mind."""
_DIGEST = re.compile(rb"(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])")
_LEVEL = 3


def quarantine_pk(tenant: Tenant) -> str:
    """Return the partition of a tenant's quarantine."""
    return f"{tenant}#{QUARANTINE}"


def moving(tenant: Tenant, item: Attributes, now: datetime) -> list[Write]:
    """Return the writes that move an item into quarantine; the blobs that it names stay where they are."""
    where = Key.of(item)
    place = sha256(f"{where.pk}\0{where.sk}".encode()).hexdigest()[:32]
    kept = {
        "pk": quarantine_pk(tenant),
        "sk": f"{codec.rfc3339(now)}#{place}",
        "from_pk": where.pk,
        "from_sk": where.sk,
        "body": codec.compress(_body(item), _LEVEL),
        "blobs": "\n".join(blobs_named(item)),
    }
    return [Put(kept), Delete(where)]


def empty(table: Table, tenant: Tenant) -> None:
    """Delete all that was moved; what is known of the audit log stays."""
    for item in every(table, Query(quarantine_pk(tenant), "0", KNOWN)):
        table.delete(Delete(Key.of(item)))


def blobs_named(item: Attributes) -> Iterator[Digest]:
    """Yield every digest that an item names anywhere, in its sort key too."""
    for name, value in item.items():
        raw = value.encode() if isinstance(value, str) else value
        if name != "pk" and isinstance(raw, bytes):
            yield from (Digest(found.decode()) for found in _DIGEST.findall(raw))


def _body(item: Attributes) -> bytes:
    raw = item.get(DAMAGED)
    if isinstance(raw, bytes):
        return raw
    return codec.canonical(
        {
            name: {"b": base64.b64encode(value).decode()} if isinstance(value, bytes) else value
            for name, value in item.items()
        }
    )
