"""Records of any size as documents, by thread and namespace of a graph: what LangGraph's checkpoints are kept in.

A record is one document where it fits into one. The text of a larger one is cut into parts, which are stored before it
and named by its digest, so that a record is there whole or not at all.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final, Literal, TypeAlias

from cairn.client.documents import Change, Document, Documents
from cairn.frameworks.named_documents import Name, own_name, pages, put_all, remove
from cairn.ground.errors import NotFound

PART: Final = 700_000
"""How many characters of a record a document holds at most: one may have 1 MB as JSON, and what is long is base64."""
_LONGEST_ID: Final = 128
_PAGE: Final = 100
_LAST: Final = "g"
Kind: TypeAlias = Literal["checkpoints", "channels", "parts"]


def newest_first(checkpoint_id: str) -> str:
    """Return what stands for a checkpoint in a collection: a later id comes before an earlier one.

    ValueError where it has more than 128 bytes.
    """
    encoded = checkpoint_id.encode("utf-8", "surrogatepass")
    if len(encoded) > _LONGEST_ID:
        raise ValueError(f"A checkpoint's id has at most {_LONGEST_ID} bytes")
    return bytes(255 - byte for byte in encoded).hex() + _LAST


@dataclass(frozen=True, slots=True)
class Place:
    """Where the records of a thread and a namespace are; both are names as `name_of` has them."""

    root: str
    thread: str
    namespace: str

    def of(self, kind: Kind, *below: str) -> tuple[str, ...]:
        """Return the collection of records of a kind."""
        return (self.root, kind, self.thread, self.namespace, *below)


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """What is stored under a name: a body of any JSON, and beside it what documents can be filtered by."""

    name: Name
    body: Any
    beside: Mapping[str, Any]
    if_version: int | None = None

    def changes(self) -> Iterator[Change]:
        """Yield the documents to store, last the one that makes the others count."""
        (collection, key), text = self.name, json.dumps(self.body, separators=(",", ":"))
        value: dict[str, Any] = {**self.beside, "text": text}
        if len(text) > PART:
            pieces = [text[at : at + PART] for at in range(0, len(text), PART)]
            # A copy in another thread has parts of the same names.
            _, kind, _, *rest = collection
            digest = sha256("\n".join([kind, *rest, key, text]).encode()).hexdigest()
            value = {**self.beside, "digest": digest, "parts": len(pieces)}
            for (where, name), piece in zip(_parts(collection, value), pieces, strict=True):
                yield Change(collection=where, key=name, value={"text": piece}, index=False)
        yield Change(collection=collection, key=key, value=value, index=False, if_version=self.if_version)


class Records:
    """Writes, reads and removes records."""

    def __init__(self, documents: Documents) -> None:
        """Keep records among these documents."""
        self._documents = documents

    def put(self, records: Iterable[Record]) -> None:
        """Store records in their order: in one transaction as far as one call takes them."""
        self.put_all(change for record in records for change in record.changes())

    def put_all(self, changes: Iterable[Change]) -> None:
        """Store documents as they are."""
        put_all(self._documents, changes)

    def get(self, name: Name) -> Document | None:
        """Return the document of a record, None where there is none."""
        return self._documents.get(*name)

    def bodies(self, documents: Sequence[Document]) -> list[Any]:
        """Return the bodies of records, whose parts are read at once; NotFound where one is being removed."""
        names = list(dict.fromkeys(name for each in documents for name in _parts(each.collection, each.value)))
        texts = {name: part.value["text"] for name, part in self._there(names).items()} if names else {}
        return [json.loads(_text(each, texts)) for each in documents]

    def bodies_at(self, names: Iterable[Name]) -> dict[Name, Any]:
        """Return the bodies of the records of these names that there are."""
        found = self._there(list(dict.fromkeys(names)))
        return dict(zip(found, self.bodies(list(found.values())), strict=True))

    def within(self, collection: tuple[str, ...], *, first: int = _PAGE, **asked: Any) -> Iterator[Document]:
        """Yield the documents of a collection and all below it, as `pages` does."""
        return pages(self._documents, collection, first=first, **asked)

    def collections(self, *prefix: str, depth: int) -> list[tuple[str, ...]]:
        """Return the collections below a prefix, in which `*` is any label, cut to a depth."""
        found: list[tuple[str, ...]] = []
        while True:
            page = self._documents.collections(prefix, max_depth=depth, limit=_PAGE, offset=len(found))
            found += page
            if len(page) < _PAGE:
                return found

    def remove(self, documents: Sequence[Document]) -> None:
        """Remove records, and then their parts."""
        remove(self._documents, map(own_name, documents))
        remove(self._documents, [name for each in documents for name in _parts(each.collection, each.value)])

    def remove_at(self, names: Iterable[Name]) -> None:
        """Remove the records of these names, where they are there, and then their parts."""
        self.remove(list(self._there(list(names)).values()))

    def clear(self, collection: tuple[str, ...]) -> None:
        """Remove all of a collection and below it."""
        while found := self._documents.search(collection, limit=_PAGE):
            remove(self._documents, map(own_name, found))

    def _there(self, names: Sequence[Name]) -> dict[Name, Document]:
        found = self._documents.get_all(names)
        return {name: each for name, each in zip(names, found, strict=True) if each is not None}


def _text(document: Document, parts: Mapping[Name, str]) -> str:
    """Return the text of a record; NotFound where parts of it are gone."""
    if "parts" not in document.value:
        return document.value["text"]
    names = _parts(document.collection, document.value)
    if any(name not in parts for name in names):
        raise NotFound("It was removed while it was read")
    return "".join(parts[name] for name in names)


def _parts(collection: tuple[str, ...], value: Mapping[str, Any]) -> list[Name]:
    """Return the names of a record's parts, none where it has none."""
    root, _, thread, namespace, *_ = collection
    where = (root, "parts", thread, namespace)
    return [(where, f"{value['digest']}.{number:06}") for number in range(value.get("parts", 0))]
