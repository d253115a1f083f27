"""Documents as adapters name, change and list them, whatever is in them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from typing import Any, Final, TypeAlias

from cairn.client.documents import Change, Document, Documents
from cairn.client.door import encoded

_MOST: Final = 40
_MOST_BYTES: Final = 1_500_000
"""Of the changes of one call as they are sent: a server takes requests of 2 MB unless it is told otherwise."""
_LONGEST: Final = 160
_PAGE: Final = 100
_ODD = re.compile(r"[%\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_ESCAPED = re.compile(r"%([0-9a-f]{4})")
_EMPTY: Final = "%"
Name: TypeAlias = tuple[tuple[str, ...], str]
"""A document's collection and key."""


def name_of(*names: str) -> str:
    """Return what stands for names in a collection or a key: their JSON or, where that is long, its digest."""
    quoted = json.dumps(names, separators=(",", ":"))
    # Documents write `/` and `~` as two characters each.
    if len(quoted) + quoted.count("/") + quoted.count("~") <= _LONGEST:
        return quoted
    return f"#{sha256(quoted.encode()).hexdigest()}"


def plain(text: str) -> str:
    """Return a label or a key with what documents refuse in names written as `%` and its code."""
    return _ODD.sub(lambda odd: f"%{ord(odd[0]):04x}", text) or _EMPTY


def read_back(label: str) -> str:
    """Return the text that was made plain."""
    return "" if label == _EMPTY else _ESCAPED.sub(lambda code: chr(int(code[1], 16)), label)


def own_name(document: Document | Change) -> Name:
    """Return the name of a document, or of the one that a change is of."""
    return tuple(document.collection), document.key


def batches(changes: Iterable[Change]) -> Iterator[list[Change]]:
    """Yield changes in their order, as many at a time as one call takes, which is one transaction."""
    some: list[Change] = []
    size = 0
    for change in changes:
        more = len(encoded(change.arguments()))
        if some and (len(some) == _MOST or size + more > _MOST_BYTES):
            yield some
            some, size = [], 0
        some.append(change)
        size += more
    if some:
        yield some


def put_all(documents: Documents, changes: Iterable[Change]) -> None:
    """Make changes in their order: in one transaction as far as one call takes them."""
    for some in batches(changes):
        documents.put_all(some)


def remove(documents: Documents, names: Iterable[Name]) -> None:
    """Remove documents, as many at a time as one call takes; those that are not there are no matter."""
    put_all(documents, (Change(collection=where, key=key, value=None) for where, key in dict.fromkeys(names)))


def pages(
    documents: Documents, collection: Sequence[str], *, offset: int = 0, first: int = _PAGE, **asked: Any
) -> Iterator[Document]:
    """Yield the documents of a collection and all below it, each once, in their order.

    The first call reads `first` of them, the others a hundred: one that is stored meanwhile may be left out.
    """
    met, limit = set[Name](), first
    while True:
        page = documents.search(collection, limit=limit, offset=offset, **asked)
        for each in page:
            if (name := own_name(each)) not in met:
                met.add(name)
                yield each
        if len(page) < limit:
            return
        offset, limit = offset + len(page), _PAGE
