"""Item logs: the service in a cold process, a list that behaves as a log has to, and a recount of what is stored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from cairn.ground.adapters import Adapters
from cairn.ground.ids import Project, Tenant, UserId
from cairn.ground.paging import every
from cairn.ground.settings import Limits
from cairn.ground.table import Key, Query
from cairn.items import layout
from cairn.items.head import Head
from cairn.items.model import UNCHANGED, Append, ItemId, Log, LogName, NewItem, OperationId, Stretch
from cairn.items.read import Window
from cairn.items.store import ItemLogs
from cairn.vault.vault import Vault

ACME = Tenant("acme")
GARDEN = Project("garden")
ADA = UserId("ada")
THREAD = Log(ACME, GARDEN, ADA, LogName("thread-1"))
ALL = Window(1000)


def item_logs(adapters: Adapters, limits: Limits | None = None) -> ItemLogs:
    """Return the item logs of a process that has read nothing yet."""
    return ItemLogs(adapters, Vault(adapters), limits or Limits())


def new(*items: tuple[str, Any], **more: Any) -> Append:
    """Return an append of these ids and data."""
    return Append(items=tuple(NewItem(ItemId(name), data) for name, data in items), **more)


def numbered(first: int, last: int) -> Append:
    """Return an append of items that say their number."""
    return new(*((f"m{number}", number) for number in range(first, last + 1)))


def data_of(found: Stretch) -> list[Any]:
    return [item.data for item in found.items]


def op(name: str) -> OperationId:
    return OperationId(name)


@dataclass
class ListedLog:
    """What a log has to hold, as a plain list: ids with data, in their order."""

    items: list[tuple[str, Any]] = field(default_factory=list[tuple[str, Any]])
    seen: dict[str, Any] = field(default_factory=dict[str, Any])
    taken: dict[str, list[tuple[str, Any]]] = field(default_factory=dict[str, list[tuple[str, Any]]])
    told: dict[str, Any] = field(default_factory=dict[str, Any])
    state: Any = None
    is_there: bool = False

    def conflicts(self, append: Append) -> bool:
        """Tell whether an id stands for something else."""
        if not append.items and append.operation_id in self.told:
            return append.state is not UNCHANGED and self.told[append.operation_id] != append.state
        said = dict[str, Any]()
        known = (said.setdefault(each.id, each.data) == each.data for each in append.items)
        return not all(known) or any(self.seen.get(name, data) != data for name, data in said.items())

    def replays(self, append: Append) -> bool:
        """Tell whether all of it was appended before."""
        if not append.items:
            return append.state is not UNCHANGED and append.operation_id in self.told
        return all(each.id in self.seen for each in append.items)

    def append(self, append: Append) -> None:
        if self.replays(append) or (not append.items and append.state is UNCHANGED):
            return
        self.is_there = True
        for each in append.items:
            if each.id not in self.seen:
                self.items.append((each.id, each.data))
                self.seen[each.id] = each.data
        if append.state is not UNCHANGED:
            self.state = append.state
            if not append.items and append.operation_id is not None:
                self.told[append.operation_id] = append.state

    def take_back(self, operation: str, count: int) -> list[tuple[str, Any]]:
        if operation not in self.taken:
            taken = self.items[-count:]
            if not taken:
                return []
            self.taken[operation] = taken
            del self.items[-count:]
        return self.taken[operation]

    def delete(self, ids: Sequence[str]) -> None:
        self.items = [each for each in self.items if each[0] not in ids]

    def clear(self) -> None:
        self.__init__()


def confirm(adapters: Adapters, log: Log = THREAD) -> None:
    """Count what is stored of a log, and compare it with what its head says."""
    vault = Vault(adapters)
    head = Head.of(adapters.table.get(log.head))
    stored = every(adapters.table, Query(log.pk, *layout.ROWS))
    rows = [row for row in stored if layout.position_of(Key.of(row).sk) >= head.floor]  # a deletion may have stopped
    positions = [position for row in rows for position, *_ in vault.unseal(log.tenant, row)]
    assert positions == sorted(set(positions))
    assert len(positions) == head.count == sum(int(row["count"]) for row in rows)
    assert sum(int(row["size"]) for row in rows) == head.size
    assert all(head.floor <= position < head.next for position in positions)
    assert all(int(row["last"]) >= layout.position_of(Key.of(row).sk) for row in rows)


def left_of(adapters: Adapters, log: Log = THREAD) -> list[str]:
    """Return the sort keys of all that is stored of a log beside its head."""
    return [Key.of(item).sk for item in every(adapters.table, Query(log.pk, " ", "\U0010ffff"))]
