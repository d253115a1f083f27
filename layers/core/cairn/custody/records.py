"""Records of a bundle: items without what is bound to the store that they are from."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any, TypeAlias

from cairn.archive.moves import OF_THIS_STORE as OF_THIS_ARCHIVE
from cairn.custody.pieces import Piece
from cairn.ground.ids import Tenant
from cairn.ground.table import Scalar
from cairn.log.entry_vectors import VECTORS
from cairn.sessions.head import BEGUN, DROPPED, REMOVALS

Record: TypeAlias = Mapping[str, Any]
"""One item: `partition` without its tenant, `sort`, `attributes`, and where it had any its `content` or its `bytes`.

An archived session is one record, of its entry and, as `archived`, what its pointer leads to.
"""

OF_THIS_STORE = frozenset(
    {"kid", "data", "blob", "pk", "sk", "ipk", "lease_owner", "lease_until", BEGUN, REMOVALS, DROPPED, VECTORS}
)
"""The attributes that stay behind, beside those of archived sessions' entries."""


def record_of(tenant: Tenant, piece: Piece) -> Record:
    """Return the record of an item."""
    behind = OF_THIS_STORE | OF_THIS_ARCHIVE
    attributes = {name: _plain(value) for name, value in piece.attributes.items() if name not in behind}
    partition = piece.key.pk.removeprefix(f"{tenant}#")
    return {"partition": partition, "sort": piece.key.sk, "attributes": attributes, **piece.body}


def _plain(value: Scalar) -> object:
    return {"base64": base64.b64encode(value).decode()} if isinstance(value, bytes) else value
