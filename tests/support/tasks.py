"""Processes that run operators' tasks over a household's store, and ways to step in."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from cairn.custody.layout import tasks_pk
from cairn.custody.scope import DataScope
from cairn.custody.task import Task, TaskKind
from cairn.embedded.inventory import EmbeddedInventory
from cairn.ground.adapters import Holders
from cairn.ground.ids import Tenant
from cairn.ground.table import Attributes
from cairn.services import Services
from support.custody import ACME, SETTINGS, Household
from support.services import services_over

KEY = "k1"


def office(house: Household, inventory: Any = None, **adapters: Any) -> Services:
    """Return a process that has nothing in memory yet, in which tasks are run when a test says so."""
    return services_over(replace(house.adapters, **adapters), SETTINGS, inventory=inventory or house.inventory)


def started(services: Services, kind: TaskKind, **scope: Any) -> str:
    """Start a task, to erase with the digest of what there is."""
    from cairn.custody.holdings import count  # noqa: PLC0415 - beside its one use

    whose = DataScope(ACME, **scope)
    digest = count(services, services.inventory, whose).digest(whose) if kind == "erase" else None
    return services.tasks.start(kind, whose, KEY, digest)


def done(services: Services, kind: TaskKind, **scope: Any) -> Task:
    """Start a task, run it, and return what is told of it."""
    name = started(services, kind, **scope)
    services.tasks.run(ACME, name)
    return services.tasks.records.get(ACME, name)


def told(house: Household, name: str, tenant: Tenant = ACME, **adapters: Any) -> Task:
    """Return what another process tells of a task."""
    return office(house, **adapters).tasks.records.get(tenant, name)


def bundle(services: Services, task: Task) -> bytes:
    """Return an export's bundle, from all its parts."""
    return b"".join(services.tasks.bundles.part(task, number) for number in range(1, task.parts + 1))


def unzipped(bundle: bytes) -> tuple[dict[str, Any], bytes]:
    """Return a bundle's manifest and its items."""
    with zipfile.ZipFile(io.BytesIO(bundle)) as opened:
        assert opened.testzip() is None
        return json.loads(opened.read("manifest.json")), opened.read("items.jsonl")


def kept_items(house: Household, prefix: str = "") -> list[Attributes]:
    """Return what is stored of tasks, under sort keys that begin so."""
    items = house.inventory.items(ACME)
    return [item for item in items if item["pk"] == tasks_pk(ACME) and str(item["sk"]).startswith(prefix)]


class Killed(BaseException):
    """The process is gone: nothing of it goes on."""


class Mortal:
    """An adapter of a process that is killed at a call of its own, by name and number; no later call is made."""

    def __init__(self, adapter: Any, fate: Fate) -> None:
        self._adapter = adapter
        self._fate = fate

    def __getattr__(self, name: str) -> Any:
        call = getattr(self._adapter, name)

        def made(*arguments: Any, **named: Any) -> Any:
            self._fate.meet(name)
            return call(*arguments, **named)

        return made if callable(call) else call


class Fate:
    """When a process is killed: at this call, the first being 1, of this name."""

    def __init__(self, name: str, number: int) -> None:
        self._name = name
        self._left = number

    def meet(self, name: str) -> None:
        """Live on, or not."""
        self._left -= name == self._name
        if self._left <= 0:
            raise Killed

    def of(self, house: Household) -> dict[str, Any]:
        """Return the adapters that meet it."""
        return {name: Mortal(getattr(house.adapters, name), self) for name in ("table", "blobs")}


class Gone(Holders):
    """Knows that every holder of a task has ended."""

    def is_gone(self, holder: str) -> bool:
        return bool(holder) or not holder


class SlowInventory(EmbeddedInventory):
    """An inventory at each of whose items time goes by, and something may happen."""

    def __init__(self, house: Household, seconds: float, happens: Callable[[], None] = lambda: None) -> None:
        table: Any = house.adapters.table
        super().__init__(table, house.directory / "blobs")
        self._clock: Any = house.adapters.clock
        self._seconds = seconds
        self._happens = happens

    def items(self, tenant: Tenant) -> Iterator[Attributes]:
        return self._slowly(super().items(tenant))

    @contextmanager
    def snapshot(self) -> Generator[Any]:
        with super().snapshot() as snapshot:
            yield Slow(snapshot, self._slowly)

    def _slowly(self, items: Iterator[Attributes]) -> Iterator[Attributes]:
        for item in items:
            self._clock.advance(seconds=self._seconds)
            self._happens()
            yield item


class Slow:
    """A snapshot whose items come slowly."""

    def __init__(self, snapshot: Any, slowly: Callable[[Iterator[Attributes]], Iterator[Attributes]]) -> None:
        self._snapshot = snapshot
        self._slowly = slowly

    def __getattr__(self, name: str) -> Any:
        return getattr(self._snapshot, name)

    def items(self, tenant: Tenant) -> Iterator[Attributes]:
        return self._slowly(self._snapshot.items(tenant))
