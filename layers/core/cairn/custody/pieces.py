"""Items of a snapshot with their contents opened."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from cairn.ground.adapters import Adapters
from cairn.ground.errors import CorruptData, NotFound, Unavailable
from cairn.ground.ids import Tenant
from cairn.ground.ports import Reads
from cairn.ground.table import Attributes, Key, Scalar
from cairn.vault.vault import Vault, blob_of

ATTEMPTS = 4
"""How often what changes while it is read is read again."""


@dataclass(frozen=True, slots=True)
class Piece:
    """An item as it was read; `body` has its `content` or its `bytes`, and nothing where it has neither."""

    key: Key
    attributes: Attributes
    body: Mapping[str, Any] = field(default_factory=dict[str, Any])

    def having(self, **attributes: Scalar) -> Piece:
        """Return the piece with further attributes, or others."""
        return replace(self, attributes={**self.attributes, **attributes})


class Opener:
    """Opens the items of a snapshot, whose blobs may be replaced or deleted while it lasts."""

    def __init__(self, adapters: Adapters, vault: Vault, tenant: Tenant, reads: Reads) -> None:
        """Open the tenant's items, which these reads return."""
        self._adapters = adapters
        self._vault = vault
        self._tenant = tenant
        self._reads = reads

    def opened(self, items: Iterable[Attributes]) -> Iterator[Piece]:
        """Yield the items opened, without those that are gone by then."""
        for item in items:
            if (piece := self.open(item)) is not None:
                yield piece

    def open(self, item: Attributes) -> Piece | None:
        """Return the item as it is once it can be opened, None where it is gone; CorruptData where it is damaged.

        Unavailable where it changes all the time, or changed in a snapshot that cannot tell how.
        """
        where = Key.of(item)
        for _ in range(ATTEMPTS):
            try:
                return Piece(where, item, self._body(item))
            except NotFound:
                again = self._reads.get(where)
                if again is None:
                    return None
                if blob_of(again) == blob_of(item):
                    raise self._lost(item) from None
                item = again
            except CorruptData as damaged:
                raise CorruptData(f"{where.pk} {where.sk} cannot be opened: {damaged.message}") from damaged
        raise Unavailable(f"{where.pk} {where.sk} changes all the time")

    def _body(self, item: Attributes) -> Mapping[str, Any]:
        if "kid" in item:
            return {"content": self._vault.unseal(self._tenant, item)}
        if (blob := blob_of(item)) is None:
            return {}
        sealed = self._adapters.blobs.get(self._tenant, blob)
        return {"bytes": base64.b64encode(self._vault.unseal_blob(self._tenant, Key.of(item), sealed)).decode()}

    def _lost(self, item: Attributes) -> CorruptData | Unavailable:
        """Return what it means that an item's blob is not there."""
        where = Key.of(item)
        now = self._adapters.table.get(where)
        if now is not None and blob_of(now) == blob_of(item):
            return CorruptData(f"the blob of {where.pk} {where.sk} is lost")
        return Unavailable(f"{where.pk} {where.sk} was changed while it was read")
