"""The stored form of a turn: its number, the time of its commit, and its sealed events."""

from __future__ import annotations

from dataclasses import dataclass

from cairn.ground.attributes import number, text
from cairn.ground.table import Attributes, Key, Scalar
from cairn.vault.vault import sealed_content


@dataclass(frozen=True, slots=True)
class StoredTurn:
    """A stored turn; `content` are the attributes that hold its sealed events."""

    key: Key
    seq: int
    at: str
    content: Attributes

    @classmethod
    def of(cls, item: Attributes) -> StoredTurn:
        """Return the turn that an item holds; CorruptData where it holds none."""
        return cls(Key.of(item), number(item, "seq"), text(item, "at"), sealed_content(item))

    def to_item(self) -> dict[str, Scalar]:
        """Return the item that is stored."""
        return {"pk": self.key.pk, "sk": self.key.sk, "seq": self.seq, "at": self.at, **self.content}
