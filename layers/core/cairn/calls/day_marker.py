"""Mark the days on which a tenant has records of calls, and those whose records may not all be sealed."""

from __future__ import annotations

from dataclasses import dataclass

from cairn.calls import layout
from cairn.ground.attributes import number
from cairn.ground.ids import Tenant
from cairn.ground.table import Attributes, Key, Scalar


@dataclass(frozen=True, slots=True)
class DayMarker:
    """A day, yyyy-mm-dd in UTC, in the index while it is unsealed; `expires_at` is in epoch seconds."""

    day: str
    expires_at: int
    is_unsealed: bool = True

    @classmethod
    def of(cls, item: Attributes) -> DayMarker:
        """Return what an item says of a day; CorruptData where it says nothing."""
        return cls(layout.day_of_marker(Key.of(item).sk), number(item, "expires_at"), "isk" in item)

    def to_item(self, tenant: Tenant) -> dict[str, Scalar]:
        """Return the item that is stored among the tenant's."""
        listed = {"ipk": layout.unsealed_pk(), "isk": self.day} if self.is_unsealed else {}
        where = {"pk": layout.audit_pk(tenant), "sk": layout.day_sk(self.day)}
        return {**where, **listed, "expires_at": self.expires_at}
