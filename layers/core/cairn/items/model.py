"""Item logs: whose they are, what is appended to them, and what their calls answer."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, NewType

from cairn.ground.codec import canonical
from cairn.ground.errors import InvalidArgument
from cairn.ground.ids import Project, Tenant, UserId
from cairn.ground.table import Key
from cairn.items import layout

LogName = NewType("LogName", str)
ItemId = NewType("ItemId", str)
OperationId = NewType("OperationId", str)

MAX_NAME_CHARACTERS = 200
MAX_OPERATION_CHARACTERS = 128
MOST_AT_ONCE = 64
"""How many items a call appends, takes back or deletes at most: with their guards they fit into one transaction."""
MOST_BYTES = 1_900_000
"""After how many bytes of items an answer ends.

Lambda hands on 6 MB, in which what is not ASCII takes up to three times its bytes.
"""
_MAX_NAME_BYTES = 400
_FORBIDDEN = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")


class _Unchanged:
    """Stands where no state is given."""

    def __repr__(self) -> str:
        """Say so."""
        return "UNCHANGED"


UNCHANGED: Final = _Unchanged()


def log_name(value: str) -> LogName:
    """Return a valid name of a log, InvalidArgument otherwise."""
    return LogName(_name("log", value, MAX_NAME_CHARACTERS))


def log_prefix(value: str) -> str:
    """Return what names of logs may begin with, InvalidArgument for anything else."""
    return value and _name("prefix", value, MAX_NAME_CHARACTERS)


def item_id(value: str) -> ItemId:
    """Return a valid id of an item, InvalidArgument otherwise."""
    return ItemId(_name("id", value, MAX_NAME_CHARACTERS))


def operation_id(value: str) -> OperationId:
    """Return a valid id of an operation, InvalidArgument otherwise."""
    return OperationId(_name("operation_id", value, MAX_OPERATION_CHARACTERS))


def _name(field: str, value: str, most: int) -> str:
    if not 1 <= len(value) <= most:
        raise InvalidArgument(field, f"must be 1-{most} characters")
    if _FORBIDDEN.search(value):
        raise InvalidArgument(field, "must not hold control characters or lone surrogates")
    if len(value.encode()) > _MAX_NAME_BYTES:
        raise InvalidArgument(field, f"must be at most {_MAX_NAME_BYTES} bytes of UTF-8")
    return value


@dataclass(frozen=True, slots=True)
class Log:
    """Identifies a log: a user's in a project or, without a user, the project's."""

    tenant: Tenant
    project: Project
    user: UserId | None
    name: LogName

    @property
    def head(self) -> Key:
        """Return where its head is."""
        return Key(layout.heads_pk(self.tenant, self.project), layout.head_sk(layout.owner_of(self.user), self.name))

    @property
    def pk(self) -> str:
        """Return the partition of its items."""
        return layout.items_pk(self.tenant, self.project, layout.owner_of(self.user), self.name)


@dataclass(frozen=True, slots=True)
class NewItem:
    """An item to append: its id, which no other item of the log has, and any JSON."""

    id: ItemId
    data: Any


@dataclass(frozen=True, slots=True)
class Item:
    """An item as it is stored."""

    position: int
    id: ItemId
    at: datetime
    data: Any

    @property
    def size(self) -> int:
        """Return how many bytes it counts."""
        return size_of(self.id, self.data)


def size_of(name: ItemId, data: Any) -> int:
    """Return how many bytes an item counts: those of its id, and of its data as JSON."""
    return len(name.encode()) + len(canonical(data))


def total_size(items: Sequence[Item]) -> int:
    """Return how many bytes items count together."""
    return sum(item.size for item in items)


@dataclass(frozen=True, slots=True, kw_only=True)
class Append:
    """What is to be appended in one step; `state` takes the place of the log's, unless it is UNCHANGED."""

    items: tuple[NewItem, ...] = ()
    state: Any = UNCHANGED
    operation_id: OperationId | None = None
    expected_revision: int | None = None


@dataclass(frozen=True, slots=True)
class Appended:
    """The log afterwards, the position of each item in the order of the call, and how many were there before it."""

    revision: int
    count: int
    positions: tuple[int, ...]
    replayed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """A stretch of a log, the oldest item first; `more` lie beyond it in the direction of reading."""

    items: tuple[Item, ...] = ()
    revision: int = 0
    count: int = 0
    state: Any = None
    more: bool = False


@dataclass(frozen=True, slots=True)
class TakenBack:
    """What was taken back, the oldest item first; `repeated` says that this very operation did it before."""

    items: tuple[Item, ...]
    revision: int
    repeated: bool = False


@dataclass(frozen=True, slots=True)
class Deleted:
    """How many items are gone, and the log's revision then."""

    count: int
    revision: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LogInfo:
    """What is known of a log without its items."""

    name: LogName
    revision: int
    count: int
    created_at: datetime
    updated_at: datetime
    state: Any = None
