"""The same documents for programs that must not block their event loop."""

from __future__ import annotations

from asyncio import to_thread
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from cairn.client.settling import settled

if TYPE_CHECKING:
    from cairn.client.documents import Change, Document, Documents, Index


class AsyncDocuments:
    """Documents whose methods are awaited: each call runs on a thread of asyncio's, so that the loop goes on.

    A write whose task is cancelled is waited for all the same, so that it is known how it ended.
    """

    def __init__(self, documents: Documents) -> None:
        """Await the calls of these."""
        self._documents = documents

    async def put(  # noqa: PLR0913 - what a document is stored with
        self,
        collection: Sequence[str],
        key: str,
        value: Any,
        *,
        index: Index = None,
        ttl_seconds: int | None = None,
        if_version: int | None = None,
    ) -> int:
        """Store a document, as Documents.put does."""
        told: dict[str, Any] = {"index": index, "ttl_seconds": ttl_seconds, "if_version": if_version}
        return await settled(partial(self._documents.put, collection, key, value, **told))

    async def put_all(self, changes: Sequence[Change]) -> tuple[int, ...]:
        """Store and delete documents, all or none, as Documents.put_all does."""
        return await settled(partial(self._documents.put_all, changes))

    async def get(self, collection: Sequence[str], key: str) -> Document | None:
        """Return the document of this name, None where there is none."""
        return await to_thread(self._documents.get, collection, key)

    async def get_all(self, names: Sequence[tuple[Sequence[str], str]]) -> tuple[Document | None, ...]:
        """Return the documents of these collections and keys, as Documents.get_all does."""
        return await to_thread(self._documents.get_all, names)

    async def search(  # noqa: PLR0913 - what a search is told
        self,
        collection: Sequence[str] = (),
        query: str | None = None,
        *,
        filter: Mapping[str, Any] | None = None,  # noqa: A002 - the tool's own name for it
        limit: int = 10,
        offset: int = 0,
        keys_only: bool = False,
    ) -> tuple[Document, ...]:
        """Return documents of a collection and all below it, as Documents.search does."""
        asked: dict[str, Any] = {"filter": filter, "limit": limit, "offset": offset, "keys_only": keys_only}
        return await to_thread(self._documents.search, collection, query, **asked)

    async def delete(self, collection: Sequence[str], key: str, *, if_version: int | None = None) -> None:
        """Delete a document, as Documents.delete does."""
        await settled(partial(self._documents.delete, collection, key, if_version=if_version))

    async def collections(
        self,
        prefix: Sequence[str] = (),
        suffix: Sequence[str] = (),
        *,
        max_depth: int | None = None,
        limit: int = 100,
        offset: int = 0,
    ) -> tuple[tuple[str, ...], ...]:
        """Return the collections that have documents, as Documents.collections does."""
        asked: dict[str, Any] = {"max_depth": max_depth, "limit": limit, "offset": offset}
        return await to_thread(self._documents.collections, prefix, suffix, **asked)
