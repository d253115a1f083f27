"""Key-value memory's values: names of namespaces and keys, a key's entry, and what a read returns."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NewType

from cairn.ground import attributes, codec
from cairn.ground.errors import InvalidArgument
from cairn.ground.ids import Digest, Namespace, Tenant
from cairn.ground.table import Scalar

KeyName = NewType("KeyName", str)

MAX_NAMESPACE_CHARACTERS = 100
MAX_KEY_CHARACTERS = 200
NAMESPACE_PATTERN = r"[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*"
KEY_PATTERN = r"[A-Za-z0-9_.:/-]+"
_NAMESPACE = re.compile(rf"(?=.{{1,{MAX_NAMESPACE_CHARACTERS}}}\Z){NAMESPACE_PATTERN}")


def namespace(value: str) -> Namespace:
    """Return a valid namespace, InvalidArgument otherwise."""
    if not _NAMESPACE.fullmatch(value):
        problem = f"must be segments of letters, digits, _ and - joined by dots, {MAX_NAMESPACE_CHARACTERS} characters"
        raise InvalidArgument("namespace", f"{problem} at most")
    return Namespace(value)


@dataclass(frozen=True, slots=True)
class Place:
    """Identifies a value by tenant, namespace and key."""

    tenant: Tenant
    namespace: Namespace
    key: KeyName


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A key's metadata; the key counts as absent from `until` on, or if `removed`.

    `size` is what it counts in bytes, `blob` names the blob of a large value.
    """

    version: int
    size: int = 0
    until: datetime | None = None
    blob: Digest | None = None
    removed: bool = False

    @classmethod
    def of(cls, item: Mapping[str, Scalar]) -> Entry:
        """Return the entry that an item holds; CorruptData where it holds none."""
        blob = item.get("blob")
        return cls(
            version=attributes.number(item, "version"),
            size=attributes.number(item, "size"),
            until=attributes.moment(item, "until") if "until" in item else None,
            blob=Digest(blob) if isinstance(blob, str) else None,
            removed="expires_at" in item,
        )

    def attributes(self) -> dict[str, Scalar]:
        """Return what an item keeps of it."""
        kept: dict[str, Scalar] = {"version": self.version, "size": self.size}
        if self.until is not None:
            kept["until"] = codec.rfc3339(self.until)
        if self.blob is not None:
            kept["blob"] = self.blob
        return kept

    def is_there(self, now: datetime) -> bool:
        """Tell whether the key can be read now."""
        return not self.removed and (self.until is None or now < self.until)


@dataclass(frozen=True, slots=True)
class StoredValue:
    """A value as it is read; `ttl_seconds` are the seconds left, rounded up, None if it never expires."""

    value: Any
    version: int
    updated_at: datetime
    ttl_seconds: int | None


@dataclass(frozen=True, slots=True)
class Listing:
    """One page of a namespace's keys, the cursor of the next, and the namespace's number of keys."""

    keys: tuple[KeyName, ...]
    cursor: str | None
    total: int


@dataclass(frozen=True, slots=True)
class Usage:
    """The amount stored: keys, and bytes of keys and values."""

    items: int = 0
    size: int = 0

    @classmethod
    def of(cls, item: Mapping[str, Scalar] | None) -> Usage:
        """Return what a counter says, nothing where there is none; CorruptData where it says nothing that counts."""
        held = item or {}
        return cls(attributes.number(held, "items", 0), attributes.number(held, "size", 0))

    def plus(self, entry: Entry) -> Usage:
        """Return the usage with one more key."""
        return Usage(self.items + 1, self.size + entry.size)


@dataclass(frozen=True, slots=True)
class Recount:
    """A counter beside the count that it should have; `namespace` is None for the whole tenant's."""

    namespace: Namespace | None
    kept: Usage
    counted: Usage
