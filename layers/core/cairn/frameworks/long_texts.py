"""Texts of any length as documents, for the adapters that keep values of megabytes.

A text is one document where it fits into one. A longer one is cut into parts, which are stored before it and named by
its digest, so that a text is there whole or not at all. A text that takes another's place is stored beside its parts.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Final

from cairn.client.documents import Change, Document, Documents, Index
from cairn.frameworks.named_documents import Name, batches, own_name, remove
from cairn.ground.errors import Conflict, Unavailable

PART: Final = 240_000
"""How many characters of a text a document holds at most: one may have 1 MB, and a character four bytes."""
_TRIES: Final = 8
_SEARCHED: Final = 4000
_PARTS: Final = "parts"


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """A text to store, and beside it what else the document says; what of that is searched, and on what condition."""

    name: Name
    text: str
    beside: Mapping[str, Any] = field(default_factory=dict[str, Any])
    index: Index = False
    if_version: int | None = None

    def changes(self) -> Iterator[Change]:
        """Yield the documents to store, last the one that makes the others count."""
        (collection, key), rest = self.name, self.text[PART:]
        value: dict[str, Any] = {**self.beside, "text": self.text[:PART]}
        if self.index is not False:  # of a longer text only the beginning is searched
            value["text"] = [self.text[at : at + _SEARCHED] for at in range(0, min(PART, len(self.text)), _SEARCHED)]
        if rest:
            value["digest"] = sha256(json.dumps([*collection, key, self.text]).encode()).hexdigest()
            value["parts"] = -(-len(rest) // PART)
            for number, (where, name) in enumerate(parts(collection, value)):
                piece = rest[number * PART : (number + 1) * PART]
                yield Change(collection=where, key=name, value={"text": piece}, index=False)
        yield Change(collection=collection, key=key, value=value, index=self.index, if_version=self.if_version)


def parts(collection: Sequence[str], value: Mapping[str, Any]) -> list[Name]:
    """Return the names of a text's parts, none where it has none."""
    where = (collection[0], _PARTS)
    return [(where, f"{value['digest']}.{number:06}") for number in range(value.get("parts", 0))]


def parts_of(document: Document | None) -> list[Name]:
    """Return the names of a stored text's parts, none where there is no text."""
    return [] if document is None else parts(document.collection, document.value)


def all_of(document: Document) -> list[Name]:
    """Return the names of a stored text's parts and, last, its own."""
    return [*parts_of(document), own_name(document)]


def put(documents: Documents, changes: Sequence[Change], *, replaced: Iterable[Name] = ()) -> None:
    """Store documents in their order; if one call does not take them all, the last ones go together, in the last.

    Conflict where that one is refused; what went before it is removed then. Else what is `replaced` is removed, but for
    what was stored again.
    """
    *before, last = [some[::-1] for some in batches(reversed(changes))][::-1]
    for some in before:
        documents.put_all(some)
    try:
        documents.put_all(last)
    except Conflict:
        remove(documents, [own_name(each) for some in before for each in some])
        raise
    stored = set(map(own_name, changes))
    remove(documents, [name for name in replaced if name not in stored])


def replace(documents: Documents, text: Text, *, old: Document | None) -> bool:
    """Store a text in the place of what was there; False where it was changed meanwhile, and nothing is done."""
    changes = list(dataclasses.replace(text, if_version=0 if old is None else old.version).changes())
    try:
        put(documents, changes, replaced=parts_of(old))
    except Conflict:
        return False
    return True


def store(documents: Documents, text: Text, *, is_new: bool = False) -> None:
    """Store a text whatever was there, in one call where it `is_new`, else in two."""
    for attempt in range(_TRIES):
        old = None if is_new and not attempt else documents.get(*text.name)
        if replace(documents, text, old=old):
            return
    raise Unavailable("It is being replaced again and again; try later")


def drop(documents: Documents, name: Name) -> None:
    """Remove a text, if there is one, and its parts."""
    old = documents.get(*name)
    if old is not None:
        remove(documents, [name, *parts_of(old)])


def texts(documents: Documents, found: Sequence[Document]) -> list[str | None]:
    """Return the texts of documents, whose parts are read at once; None for one that was removed meanwhile."""
    names = [name for each in found for name in parts_of(each)]
    there = dict(zip(names, documents.get_all(names), strict=True)) if names else {}
    return [_whole(each, [there[name] for name in parts_of(each)]) for each in found]


def text_at(documents: Documents, name: Name) -> tuple[Document, str] | None:
    """Return the document of a name and its text, None where there is none; Unavailable if it never stands still."""
    for _ in range(_TRIES):
        document = documents.get(*name)
        if document is None:
            return None
        (text,) = texts(documents, [document])
        if text is not None:
            return document, text
    raise Unavailable("It is being replaced again and again; try later")


def _whole(document: Document, rest: Sequence[Document | None]) -> str | None:
    pieces = [each.value["text"] for each in rest if each is not None]
    return "".join([*document.value["text"], *pieces]) if len(pieces) == len(rest) else None
