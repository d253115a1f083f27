"""What a process knows of a collection and all below it: the documents that are searched by words, with their texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from threading import RLock
from typing import NamedTuple

import numpy as np

from cairn.documents.layout import tree_range
from cairn.documents.model import Held
from cairn.ground.errors import CorruptData
from cairn.ground.table import Attributes, Key, item_bytes
from cairn.language.index_terms import index_terms
from cairn.log.documents import Described, GrowingDocuments
from cairn.log.stretch import microseconds
from cairn.recall.corpus import Mask

_FOLDED = 10
"""How many times its bytes a text takes in memory."""
_SLOT_BYTES = 512
_FEW = 64
"""Up to how many rows of documents that are gone are left in place."""


class Kept(NamedTuple):
    """A document on a shelf: its item as it is stored, when it expires, its texts and their rows."""

    item: Attributes
    until: datetime | None
    texts: Sequence[str]
    rows: range

    def is_there(self, now: datetime) -> bool:
        """Tell whether it can be read now."""
        return self.until is None or now < self.until


@dataclass(slots=True)
class Shelf:
    """The documents of a range of keys.

    `changes` is how many changes had been counted when it was read, `met` which of those are known that were told since
    `since`, the id of an earliest change; `read_at` is when it was read whole.
    """

    low: str
    high: str
    lock: RLock = field(default_factory=RLock)
    read_at: datetime | None = None
    changes: int = 0
    since: str = ""
    met: set[str] = field(default_factory=set[str])
    kept: dict[str, Kept] = field(default_factory=dict[str, Kept])
    rows: list[str] = field(default_factory=list[str])
    texts: GrowingDocuments = field(default_factory=GrowingDocuments)
    size: int = 0

    @classmethod
    def of(cls, collection: Sequence[str]) -> Shelf:
        """Return the empty shelf of a collection and all below it."""
        return cls(*tree_range(collection))

    @property
    def weight(self) -> int:
        """Return how many bytes it counts for."""
        return _SLOT_BYTES + self.size

    def covers(self, sk: str) -> bool:
        """Tell whether a document stands in this range."""
        return self.low <= sk < self.high

    def clear(self) -> None:
        """Know nothing any more."""
        self.read_at = None
        self._empty()

    def take(self, sk: str) -> None:
        """Leave out the document of this key."""
        self.kept.pop(sk, None)

    def put(self, item: Attributes, texts: Sequence[str]) -> None:
        """Keep a document under these texts, in place of the one before."""
        held, sk = Held.of(item), Key.of(item).sk
        if held.updated_at is None:
            raise CorruptData("a stored document has no time")
        first = len(self.rows)
        for number, text in enumerate(texts):
            self.texts.add(_described(f"{sk}\n{held.version}\n{number}", text, held.updated_at))
            self.rows.append(sk)
        self.kept[sk] = Kept(item, held.until, texts, range(first, len(self.rows)))
        self.size += item_bytes(item) + _FOLDED * sum(map(len, texts))

    def tidy(self) -> None:
        """Fold anew what is kept, where most rows are of documents that are gone."""
        if len(self.rows) <= 2 * sum(len(each.rows) for each in self.kept.values()) + _FEW:
            return
        kept = list(self.kept.values())
        self._empty()
        for each in kept:
            self.put(each.item, each.texts)

    def there(self, now: datetime) -> Mask:
        """Return which rows are of documents that are there: bool of shape (rows,)."""
        found = np.zeros(len(self.rows), np.bool_)
        for each in self.kept.values():
            if each.is_there(now):
                found[each.rows.start : each.rows.stop] = True
        return found

    def _empty(self) -> None:
        self.kept, self.rows, self.texts, self.size = {}, [], GrowingDocuments(), 0


def _described(name: str, text: str, at: datetime) -> Described:
    return Described(
        id=name,
        at=microseconds(at),
        speaker="",
        session="",
        type="document",
        confidence=1.0,
        index_terms=partial(index_terms, text),
        text=text,
    )
