"""Guards of a log: what keeps an item from being stored twice, also once it was taken back or deleted.

A guard is written with its item and never changed. Its digest is sealed, so that it tells nothing of the item, and new
data keys can take it over.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from cairn.ground import codec
from cairn.ground.attributes import number
from cairn.ground.errors import CorruptData
from cairn.ground.ids import Tenant
from cairn.ground.table import ABSENT, AnyOf, Attributes, Key, LessThan, Put
from cairn.vault.vault import Vault

_DIGITS = 32


@dataclass(frozen=True, slots=True)
class Guard:
    """A stored guard: the item's position, that of its row, and the digest of its data."""

    position: int
    row: int
    digest: str

    @classmethod
    def of(cls, vault: Vault, tenant: Tenant, item: Attributes) -> Guard:
        """Return the guard that an item holds; CorruptData where it holds none."""
        digest = vault.unseal(tenant, item)
        if not isinstance(digest, str):
            raise CorruptData("a guard of an item has no digest")
        return cls(number(item, "position"), number(item, "row"), digest)

    def put(self, vault: Vault, tenant: Tenant, where: Key, floor: int) -> Put:
        """Return the write of the guard, which holds unless the log has one; one below the floor is of no log."""
        item = {"pk": where.pk, "sk": where.sk, "position": self.position, "row": self.row}
        return Put({**item, **vault.seal(tenant, where, self.digest)}, AnyOf((ABSENT, LessThan("position", floor))))


def digest_of(data: Any) -> str:
    """Return by what two values are told apart."""
    return sha256(codec.canonical(data)).hexdigest()[:_DIGITS]
