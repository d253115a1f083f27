"""Item logs of a memory: ordered items of any JSON, each stored once, as a program keeps them for itself."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from cairn.client.door import encoded
from cairn.client.retries import Retries
from cairn.ground.errors import InvalidArgument

_OPERATION_BYTES: Final = 12
_MOST_AT_ONCE: Final = 64
_MOST_BYTES: Final = 1_500_000
"""Of the items of one call, as JSON: a server takes requests of 2 MB unless it is told otherwise."""
_PAGE: Final = 1000
_LOGS: Final = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class LogItem:
    """An item of a log as it was appended; positions rise, with gaps, and `at` is in UTC."""

    position: int
    id: str
    at: datetime
    data: Any

    @classmethod
    def of(cls, line: Mapping[str, Any]) -> LogItem:
        """Return the item that a tool answered."""
        return cls(position=line["position"], id=line["id"], at=datetime.fromisoformat(line["at"]), data=line["data"])


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemsAppended:
    """A log after an append: its revision and count, where each item is, and how many of them were there before."""

    revision: int
    count: int
    positions: tuple[int, ...]
    replayed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemsRead:
    """Items of a log, the oldest first, with its revision, count and state; a log that is not there has revision 0."""

    items: tuple[LogItem, ...]
    revision: int
    count: int
    state: Any
    more: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemsTakenBack:
    """The items that were taken back, the oldest first; `repeated` says that the same operation did it before."""

    items: tuple[LogItem, ...]
    revision: int
    repeated: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemsDeleted:
    """How many items are gone, and the log's revision then: 0 where the whole log is."""

    deleted: int
    revision: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LogSummary:
    """A log without its items; `state` is None unless it was asked for."""

    log: str
    revision: int
    count: int
    created_at: datetime
    updated_at: datetime
    state: Any = None

    @classmethod
    def of(cls, line: Mapping[str, Any]) -> LogSummary:
        """Return the log that a tool answered."""
        times = {name: datetime.fromisoformat(line[name]) for name in ("created_at", "updated_at")}
        return cls(log=line["log"], revision=line["revision"], count=line["count"], state=line["state"], **times)


class ItemLog:
    """One item log; any thread may use it.

    What fails for a while is tried again under the same ids, so that a lost answer neither stores nor takes back more.

    >>> from cairn import Memory
    >>> memory = Memory("~/.local/share/cairn", project="garden")
    >>> thread = memory.items("thread-1", user="ada")
    """

    def __init__(self, retries: Retries, place: Mapping[str, str], name: str) -> None:
        """Take the way to a memory, whose log it is, and the log's name."""
        self._retries = retries
        self._named = {**place, "log": name}

    @property
    def name(self) -> str:
        """Return the log's name."""
        return self._named["log"]

    def append(
        self,
        items: Sequence[Any],
        *,
        ids: Sequence[str] | None = None,
        state: Any = None,
        expected_revision: int | None = None,
        operation_id: str | None = None,
    ) -> ItemsAppended:
        """Append items, any JSON, in their order; `state` takes the place of the log's, unless it is None.

        An item whose id the log has seen is not stored again; with other data it is a Conflict, as is another revision
        than the one expected. Without ids the operation's, random unless given, names them. Up to 64 items, and 1.5 MB,
        are stored all or none; more go in several such steps.

        >>> thread.append([{"role": "user", "content": "Where do the beans grow?"}], ids=["m1"]).positions
        (0,)
        """
        operation = operation_id or secrets.token_hex(_OPERATION_BYTES)
        steps = list(steps_of(_named(items, ids, operation)))
        done = ItemsAppended(revision=0, count=0, positions=(), replayed=0)
        for step in steps:
            asked = {
                "items": step,
                "operation_id": operation,
                "state": state if step is steps[-1] else None,
                "expected_revision": expected_revision if step is steps[0] else None,
            }
            answer = self._ask("memory_append_items", asked)
            done = _together(done, answer)
        return done

    def read(self, limit: int | None = None, *, after: int | None = None, before: int | None = None) -> ItemsRead:
        """Return the newest items, those after a position, or the newest before one; all of them without a limit.

        What is large or long comes by pages; revision, count and state are those of the first.

        >>> [item.data["content"] for item in thread.read().items]
        ['Where do the beans grow?']
        """
        if limit is not None and limit < 1:
            raise InvalidArgument("limit", "must be at least 1")
        first = answer = self._page(limit, after, before)
        items = [LogItem.of(line) for line in answer["items"]]
        while answer["more"] and (limit is None or len(items) < limit):
            room = None if limit is None else limit - len(items)
            if after is not None:
                answer = self._page(room, items[-1].position, None)
                items += [LogItem.of(line) for line in answer["items"]]
            else:
                answer = self._page(room, None, items[0].position)
                items = [*(LogItem.of(line) for line in answer["items"]), *items]
        told = {name: first[name] for name in ("revision", "count", "state")}
        return ItemsRead(items=tuple(items), more=answer["more"], **told)

    def take_back(
        self, count: int = 1, *, expected_revision: int | None = None, operation_id: str | None = None
    ) -> ItemsTakenBack:
        """Take back up to so many of the newest items, 64 at most, and return them; of an empty log, none.

        >>> thread.take_back().items[0].id
        'm1'
        """
        operation = operation_id or secrets.token_hex(_OPERATION_BYTES)
        asked = {"count": count, "operation_id": operation, "expected_revision": expected_revision}
        answer = self._ask("memory_take_back_items", asked)
        items = tuple(LogItem.of(line) for line in answer["items"])
        return ItemsTakenBack(items=items, revision=answer["revision"], repeated=answer["repeated"])

    def delete(self, ids: Sequence[str] | None = None) -> ItemsDeleted:
        """Delete items by their ids, or the whole log; what is not there counts as deleted.

        >>> thread.delete().revision
        0
        """
        if ids is None:
            return ItemsDeleted(**self._ask("memory_delete_items", {}))
        deleted, revision = 0, 0
        for start in range(0, len(ids), _MOST_AT_ONCE):
            answer = self._ask("memory_delete_items", {"ids": list(ids[start : start + _MOST_AT_ONCE])})
            deleted, revision = deleted + answer["deleted"], answer["revision"]
        return ItemsDeleted(deleted=deleted, revision=revision or self._page(1, None, None)["revision"])

    def __repr__(self) -> str:
        """Show which log it is."""
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self._named.items())})"

    def _page(self, limit: int | None, after: int | None, before: int | None) -> dict[str, Any]:
        most = _PAGE if limit is None else min(limit, _PAGE)
        return self._ask("memory_read_items", {"limit": most, "after": after, "before": before})

    def _ask(self, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        given = {name: value for name, value in arguments.items() if value is not None}
        return self._retries.call(tool, {**self._named, **given})


def summaries(retries: Retries, place: Mapping[str, str], prefix: str, *, with_state: bool) -> Iterator[LogSummary]:
    """Yield the logs whose names begin with the prefix, by name; pages are read as they are asked for."""
    asked: dict[str, Any] = {**place, "prefix": prefix, "limit": _LOGS, "with_state": with_state}
    while True:
        answer = retries.call("memory_list_item_logs", asked)
        yield from map(LogSummary.of, answer["logs"])
        if answer["cursor"] is None:
            return
        asked["cursor"] = answer["cursor"]


def _named(items: Sequence[Any], ids: Sequence[str] | None, operation: str) -> list[Mapping[str, Any]]:
    """Return items under their ids or, without any, under the operation's."""
    if ids is not None and len(ids) != len(items):
        raise InvalidArgument("ids", "must name each item once")
    return [{"id": ids[place] if ids else f"{operation}:{place}", "data": item} for place, item in enumerate(items)]


def _together(done: ItemsAppended, answer: Mapping[str, Any]) -> ItemsAppended:
    """Return what one more step did with those before it."""
    return ItemsAppended(
        revision=answer["revision"],
        count=answer["count"],
        positions=(*done.positions, *answer["positions"]),
        replayed=done.replayed + answer["replayed"],
    )


def steps_of(items: Sequence[Mapping[str, Any]]) -> Iterator[list[Mapping[str, Any]]]:
    """Yield what each call appends, all or none: items with their `id` and `data`, at least one step of nothing."""
    step: list[Mapping[str, Any]] = []
    size = 0
    for item in items:
        more = _size(item)
        if step and (len(step) == _MOST_AT_ONCE or size + more > _MOST_BYTES):
            yield step
            step, size = [], 0
        step.append(item)
        size += more
    yield step


def _size(item: Mapping[str, Any]) -> int:
    """Return what an item has of a request; where it is no JSON, the call that sends it says so."""
    try:
        return len(encoded(item))
    except InvalidArgument:
        return 0
