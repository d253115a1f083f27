"""The same item logs for programs that must not block their event loop."""

from __future__ import annotations

from asyncio import to_thread
from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Any

from cairn.client.items import ItemLog, ItemsAppended, ItemsDeleted, ItemsRead, ItemsTakenBack, LogSummary


class AsyncItemLog:
    """An ItemLog whose methods are awaited: each call runs on a thread of asyncio's.

    A call whose task is cancelled may be done all the same; with ids of your own it can be made again.
    """

    def __init__(self, log: ItemLog) -> None:
        """Take the log."""
        self._log = log

    @property
    def name(self) -> str:
        """Return the log's name."""
        return self._log.name

    async def append(
        self,
        items: Sequence[Any],
        *,
        ids: Sequence[str] | None = None,
        state: Any = None,
        expected_revision: int | None = None,
        operation_id: str | None = None,
    ) -> ItemsAppended:
        """Append items, as ItemLog.append does."""
        told: dict[str, Any] = {"ids": ids, "state": state, "operation_id": operation_id}
        return await to_thread(self._log.append, items, expected_revision=expected_revision, **told)

    async def read(self, limit: int | None = None, *, after: int | None = None, before: int | None = None) -> ItemsRead:
        """Return items, as ItemLog.read does."""
        return await to_thread(self._log.read, limit, after=after, before=before)

    async def take_back(
        self, count: int = 1, *, expected_revision: int | None = None, operation_id: str | None = None
    ) -> ItemsTakenBack:
        """Take back the newest items, as ItemLog.take_back does."""
        told: dict[str, Any] = {"expected_revision": expected_revision, "operation_id": operation_id}
        return await to_thread(self._log.take_back, count, **told)

    async def delete(self, ids: Sequence[str] | None = None) -> ItemsDeleted:
        """Delete items or the whole log, as ItemLog.delete does."""
        return await to_thread(self._log.delete, ids)

    def __repr__(self) -> str:
        """Show which log it is."""
        return repr(self._log).replace("ItemLog", type(self).__name__, 1)


async def summaries(found: Iterator[LogSummary]) -> AsyncIterator[LogSummary]:
    """Yield logs, each asked for on a thread."""
    while (summary := await to_thread(next, found, None)) is not None:
        yield summary
