"""The stored form of a turn: its number, the moment of its entry in the log, and its sealed events."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from cairn.ground.attributes import number, text
from cairn.ground.codec import rfc3339
from cairn.ground.session import Session
from cairn.ground.table import ABSENT, Attributes, Key, Put, Scalar, key_of
from cairn.log.layout import logged_at
from cairn.sessions.layout import event_sk, session_pk
from cairn.vault.vault import Vault, sealed_content


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


def storing(vault: Vault, session: Session, seq: int, events: Sequence[Any], entry: Put) -> Put:
    """Return the write that stores a turn's events, beside that of its entry in the log.

    It has that moment, whatever the clock says: whoever reads as of a time knows both or neither.
    """
    where = Key(session_pk(session), event_sk(seq))
    at = rfc3339(logged_at(key_of(entry).sk))
    return Put(StoredTurn(where, seq, at, vault.seal(session.tenant, where, events)).to_item(), ABSENT)
