"""A tenant's data key: in the clear for a process, and as it is stored, wrapped by the key ring under its number."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from cairn.ground import attributes, codec
from cairn.ground.errors import CorruptData
from cairn.ground.ids import Tenant
from cairn.ground.table import Attributes, Scalar
from cairn.vault.layout import key_sk, keys_pk


@dataclass(frozen=True, slots=True)
class DataKey:
    """A 32-byte data key: in the clear for this process, wrapped for the store."""

    secret: bytes = field(repr=False)
    wrapped: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class WrappedKey:
    """A wrapped data key, and when it was made, None if that was not noted yet."""

    number: int
    wrapped: bytes = field(repr=False)
    created_at: datetime | None

    @classmethod
    def of(cls, item: Attributes) -> WrappedKey:
        """Return the key that an item holds; CorruptData where it holds none."""
        wrapped = item.get("wrapped")
        if not isinstance(wrapped, bytes):
            raise CorruptData("a stored data key is malformed")
        return cls(
            attributes.number(item, "number"),
            wrapped,
            attributes.moment(item, "created_at") if "created_at" in item else None,
        )

    def to_item(self, tenant: Tenant) -> dict[str, Scalar]:
        """Return the item that is stored."""
        made = {} if self.created_at is None else {"created_at": codec.rfc3339(self.created_at)}
        return {
            "pk": keys_pk(tenant),
            "sk": key_sk(self.number),
            "number": self.number,
            "wrapped": self.wrapped,
            **made,
        }
