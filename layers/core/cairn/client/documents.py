"""Documents of a user or a project, for programs that keep things of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Literal, TypeAlias

from cairn.ground.errors import InvalidArgument

Call: TypeAlias = Callable[[str, Mapping[str, Any]], Mapping[str, Any]]
"""Calls a tool for documents of one owner, and again what may succeed."""
Index: TypeAlias = Sequence[str] | Literal[False] | None
_MOST_READ: Final = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A document as it was stored: `value` is any JSON, `version` is for `if_version`.

    `created_at` is when it was first stored, `updated_at` when this value was, `expires_at` until when it is kept, None
    for ever. Of a search by a question, `score` says how likely it is the answer, of all that match: None where the
    document is not searched by words.
    """

    collection: tuple[str, ...]
    key: str
    value: Any
    version: int
    created_at: datetime
    updated_at: datetime
    expires_at: datetime | None = None
    score: float | None = None

    @classmethod
    def of(cls, told: Mapping[str, Any]) -> Document:
        """Return a document that a tool told of."""
        until = told["expires_at"]
        return cls(
            collection=tuple(told["collection"]),
            key=told["key"],
            value=told["value"],
            version=told["version"],
            created_at=datetime.fromisoformat(told["created_at"]),
            updated_at=datetime.fromisoformat(told["updated_at"]),
            expires_at=None if until is None else datetime.fromisoformat(until),
            score=told.get("score"),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A document to store, or to delete where `value` is None; what else it says is as of `Documents.put`."""

    collection: Sequence[str]
    key: str
    value: Any
    index: Index = None
    ttl_seconds: int | None = None
    if_version: int | None = None

    def arguments(self) -> dict[str, Any]:
        """Return what the tool is given of it."""
        given: dict[str, Any] = {
            "index": _paths(self.index),
            "ttl_seconds": self.ttl_seconds,
            "if_version": self.if_version,
        }
        named = {"collection": _labels("collection", self.collection), "key": self.key, "value": self.value}
        return named | {name: value for name, value in given.items() if value is not None}


class Documents:
    """Documents of one user in a project, or of the project: JSON values under collections and keys.

    >>> from cairn import Memory
    >>> memory = Memory("~/.local/share/cairn", project="garden")
    >>> notes = memory.documents(user="ada")
    >>> version = notes.put(("notes", "beds"), "north", {"text": "Four hours of sun.", "rows": 4})
    >>> notes.get(("notes", "beds"), "north").value["rows"]
    4
    >>> [found.key for found in notes.search(("notes",), "How much sun is there?", filter={"rows": {"$gt": 2}})]
    ['north']
    >>> notes.collections()
    (('notes', 'beds'),)
    >>> notes.delete(("notes", "beds"), "north", if_version=version)
    """

    def __init__(self, call: Call) -> None:
        """Keep documents by calls of the tools; `Memory.documents` makes this."""
        self._call = call

    def put(  # noqa: PLR0913 - what a document is stored with
        self,
        collection: Sequence[str],
        key: str,
        value: Any,
        *,
        index: Index = None,
        ttl_seconds: int | None = None,
        if_version: int | None = None,
    ) -> int:
        """Store a document in place of the one before, and return its version.

        `index` says what is searched by a question: paths such as `text` or `a.b[*].c`, False for nothing; without one
        all texts of the value. It is kept until deleted, or for `ttl_seconds`. Conflict where `if_version` is given and
        is not the version there; 0 stands for none.
        """
        if value is None:
            raise InvalidArgument("value", "must not be None: delete the document")
        change = Change(
            collection=collection,
            key=key,
            value=value,
            index=index,
            ttl_seconds=ttl_seconds,
            if_version=if_version,
        )
        return self.put_all([change])[0]

    def put_all(self, changes: Sequence[Change]) -> tuple[int, ...]:
        """Store and delete up to 40 documents, all or none, and return their versions, 0 of those that are gone.

        Conflict where one has another version than its `if_version`; the error's details tell which, and the version.
        """
        given = {"documents": [change.arguments() for change in changes]}
        return tuple(self._call("memory_put_documents", given)["versions"])

    def get(self, collection: Sequence[str], key: str) -> Document | None:
        """Return the document of this name, None where there is none."""
        return self.get_all([(collection, key)])[0]

    def get_all(self, names: Sequence[tuple[Sequence[str], str]]) -> tuple[Document | None, ...]:
        """Return the documents of these collections and keys, in their order, None where there is none."""
        left = [{"collection": _labels("collection", collection), "key": key} for collection, key in names]
        found: list[Document | None] = []
        while left:
            told = self._call("memory_get_documents", {"documents": left[:_MOST_READ]})["documents"]
            found += [None if each is None else Document.of(each) for each in told]
            left = left[len(told) :]
        return tuple(found)

    def search(  # noqa: PLR0913 - what a search is told
        self,
        collection: Sequence[str] = (),
        query: str | None = None,
        *,
        filter: Mapping[str, Any] | None = None,  # noqa: A002 - the tool's own name for it
        limit: int = 10,
        offset: int = 0,
        keys_only: bool = False,
    ) -> tuple[Document, ...]:
        """Return documents of a collection and all below it, the best answers to the query first.

        Without one they come in the order of their keys. `filter` names fields that the value has to have, by equality
        or with `$eq`, `$ne`, `$gt`, `$gte`, `$lt` or `$lte`. With `keys_only` every `value` is None.
        """
        asked = {"collection": _labels("collection", collection), "query": query or "", "filter": dict(filter or {})}
        asked |= {"keys_only": True} if keys_only else {}
        told = self._pages("memory_search_documents", "documents", asked, limit, offset)
        return tuple(map(Document.of, told))

    def delete(self, collection: Sequence[str], key: str, *, if_version: int | None = None) -> None:
        """Delete a document, if it is there; Conflict where `if_version` is given and is not the version there."""
        self.put_all([Change(collection=collection, key=key, value=None, if_version=if_version)])

    def collections(
        self,
        prefix: Sequence[str] = (),
        suffix: Sequence[str] = (),
        *,
        max_depth: int | None = None,
        limit: int = 100,
        offset: int = 0,
    ) -> tuple[tuple[str, ...], ...]:
        """Return the collections that have documents and begin and end so, `*` being any label, in order.

        `max_depth` cuts them to so many labels; each is listed once.
        """
        asked: dict[str, Any] = {"prefix": _labels("prefix", prefix), "suffix": _labels("suffix", suffix)}
        asked |= {} if max_depth is None else {"max_depth": max_depth}
        return tuple(map(tuple, self._pages("memory_list_collections", "collections", asked, limit, offset)))

    def _pages(self, tool: str, name: str, asked: Mapping[str, Any], limit: int, offset: int) -> Iterator[Any]:
        """Yield what a tool lists, page after page; one page is bounded by the tool."""
        while limit > 0:
            page = {"limit": min(limit, _MOST_READ), "offset": offset}
            told = self._call(tool, {**asked, **page})
            yield from told[name]
            if not told["more"]:
                return
            limit, offset = limit - len(told[name]), offset + len(told[name])


def _labels(name: str, labels: Sequence[str]) -> list[str]:
    """Return labels as a list; InvalidArgument where they are one text, which would be taken for its letters."""
    if isinstance(labels, str):
        raise InvalidArgument(name, "must be a sequence of labels, such as a tuple")
    return list(labels)


def _paths(index: Index) -> list[str] | Literal[False] | None:
    return index if index is None or index is False else _labels("index", index)
