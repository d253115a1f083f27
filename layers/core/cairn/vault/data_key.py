"""A tenant's data key: in the clear for a process, and as it is stored, wrapped by the key ring under its number."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from cairn.ground import attributes, codec
from cairn.ground.errors import CorruptData, NewerStore
from cairn.ground.ids import Tenant
from cairn.ground.table import FORMAT, Attributes, Scalar
from cairn.vault.layout import key_sk, keys_pk


@dataclass(frozen=True, slots=True)
class DataKey:
    """A 32-byte data key: in the clear for this process, wrapped for the store."""

    secret: bytes = field(repr=False)
    wrapped: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class WrappedKey:
    """A wrapped data key, and when it was made, None if that was not noted yet.

    `format` is that of the program that made it, and so the newest of what may be sealed under it.
    """

    number: int
    wrapped: bytes = field(repr=False)
    created_at: datetime | None
    format: int = 1

    @classmethod
    def of(cls, item: Attributes) -> WrappedKey:
        """Return the key that an item holds; CorruptData where it holds none, NewerStore for a format unknown here."""
        wrapped = item.get("wrapped")
        if not isinstance(wrapped, bytes):
            raise CorruptData("a stored data key is malformed")
        found = attributes.number(item, "format", 1)
        if found > FORMAT:
            raise NewerStore(found, FORMAT)
        return cls(
            attributes.number(item, "number"),
            wrapped,
            attributes.moment(item, "created_at") if "created_at" in item else None,
            found,
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
            **({} if self.format == 1 else {"format": self.format}),
        }
