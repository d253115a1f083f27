"""Strands Agents: a `Storage`, bytes under keys, that keeps them as documents."""

from __future__ import annotations

import builtins
import re
from asyncio import to_thread
from base64 import b64decode, b64encode
from collections.abc import Callable
from functools import partial
from typing import Final, TypeVar

from strands.storage import Storage
from strands.storage.storage import StorageSearchResult
from strands.types.exceptions import StorageError

from cairn.client.asking import question_of
from cairn.client.documents import Document
from cairn.client.memory import Memory
from cairn.client.settling import settled
from cairn.frameworks.long_texts import Text, drop, store, text_at, texts
from cairn.frameworks.named_documents import Name, pages, plain, read_back
from cairn.ground.errors import CairnError

_MOST_LABELS: Final = 8
"""Of a key, as labels of a collection: what is below them is in the document's own key."""
_FOLDER: Final = "keys"
Answer = TypeVar("Answer")


class CairnStorage(Storage):
    """Documents of a Cairn memory as Strands' storage, for its session manager and what else keeps bytes by keys.

    The memory says whose they are: `Memory(…, user="ada")`, or the project's where it names nobody. A key is read as
    Strands' own storages do: `/` parts it, and neither `..` nor a backslash may be in it.
    """

    def __init__(self, memory: Memory, *, collection: str = "strands-storage", searched: bool = True) -> None:
        """Take the memory, under which collection all is kept, and whether texts are to be found by `search`."""
        self._documents = memory.documents()
        self._root = collection
        self._searched = searched

    async def write(self, key: str, data: bytes) -> None:
        """Store bytes in the place of those before; StorageError where they are not stored."""
        text, is_text = _as_text(bytes(data))
        index = ["text[*]"] if self._searched and is_text else False
        beside = {} if is_text else {"base64": True}
        kept = Text(name=self._name(_normal(key)), text=text, beside=beside, index=index)
        await _written(partial(store, self._documents, kept))

    async def read(self, key: str) -> bytes | None:
        """Return the bytes of a key, None where there are none."""
        found = await _read(partial(text_at, self._documents, self._name(_normal(key))))
        return None if found is None else _as_bytes(*found)

    async def delete(self, key: str) -> None:
        """Remove a key, if it is there."""
        await _written(partial(drop, self._documents, self._name(_normal(key))))

    async def list(self, query: str = "") -> builtins.list[str]:
        """Return the keys that begin so, in order; values are not read, and only the folder that the prefix names."""
        prefix = _normal_prefix(query)
        labels = [plain(each) for each in prefix.split("/")[:-1]][:_MOST_LABELS]
        found = await _read(partial(self._keys, (self._root, _FOLDER, *labels)))
        return sorted(key for key in found if key.startswith(prefix))

    async def search(self, query: str) -> builtins.list[StorageSearchResult]:
        """Return the texts that match in words, or in meaning, the best first, with their bytes."""
        question = question_of(query)
        if not self._searched or question is None:
            return []
        return await _read(partial(self._matching, question))

    def _matching(self, question: str) -> builtins.list[StorageSearchResult]:
        found: builtins.list[Document] = []
        for each in pages(self._documents, (self._root, _FOLDER), query=question):
            if not each.score:
                break
            found.append(each)
        told = zip(found, texts(self._documents, found), strict=True)
        return [
            StorageSearchResult(key=_key(each), score=each.score or 0.0, data=_as_bytes(each, text))
            for each, text in told
            if text is not None
        ]

    def _keys(self, collection: tuple[str, ...]) -> builtins.list[str]:
        return [_key(each) for each in pages(self._documents, collection, keys_only=True)]

    def _name(self, key: str) -> Name:
        *labels, last = key.split("/", _MOST_LABELS)
        return (self._root, _FOLDER, *map(plain, labels)), plain(last)


async def _written(write: Callable[[], Answer]) -> Answer:
    try:
        return await settled(write)
    except CairnError as error:
        raise StorageError(str(error)) from error


async def _read(read: Callable[[], Answer]) -> Answer:
    try:
        return await to_thread(read)
    except CairnError as error:
        raise StorageError(str(error)) from error


def _normal(key: str) -> str:
    """Return a key without empty parts; StorageError where it has no other, or one that is not allowed."""
    normal = _normal_prefix(key).rstrip("/")
    if not normal:
        raise StorageError("A storage key must not be empty")
    return normal


def _normal_prefix(prefix: str) -> str:
    normal = re.sub("/+", "/", prefix).lstrip("/")
    if "\\" in normal or ".." in normal.split("/"):
        raise StorageError("A storage key must hold neither a backslash nor a part that is '..'")
    return normal


def _key(document: Document) -> str:
    _, _, *labels = document.collection
    return "/".join(map(read_back, (*labels, document.key)))


def _as_text(data: bytes) -> tuple[str, bool]:
    """Return bytes as text, and whether that is what they say: what is no text is told as base64."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        text = "\x00"
    return (b64encode(data).decode(), False) if "\x00" in text else (text, True)


def _as_bytes(document: Document, text: str) -> bytes:
    return b64decode(text) if document.value.get("base64") else text.encode()
