"""A project of one test for an adapter under test, and how often it was asked for something."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Unpack

from cairn import Memory
from cairn.access.api_keys import ALL_PROJECTS, SCOPES
from cairn.access.callers import Caller
from cairn.client.door import Door, encoded
from cairn.client.embedded import Embedded
from cairn.client.names import Names
from cairn.client.remote import Remote
from cairn.edge.events import parse_json
from cairn.ground.adapters import Adapters
from cairn.ground.errors import Unavailable
from cairn.local.store import LOCAL_TENANT
from cairn.process.system import SystemClock, SystemEntropy, in_turn
from cairn.settings.settings import Settings
from cairn.tool.call import Call, execute
from cairn_tools.catalog import CATALOG
from support.doubles import RecordingJobs, RepeatingKeyRing
from support.installed import ROOT
from support.memory_store import MemoryBlobs, MemoryTable
from support.services import services_over


@dataclass
class CountingDoor:
    """Another door that notes which tools were called: one call is one round trip of a server's client.

    A call on the thread of an event loop fails, since it would hold the loop up. `lose_next` makes a call that is done
    fail all the same, as if its answer were lost; the client then calls again. With `lose_of` only answers of that tool
    are lost. `fail_next` makes calls fail undone.
    """

    behind: Door
    calls: list[str] = field(default_factory=list[str])
    asked: list[tuple[str, Mapping[str, Any]]] = field(default_factory=list[tuple[str, Mapping[str, Any]]])
    lose_next: int = 0
    lose_of: str = ""
    fail_next: int = 0

    @property
    def where(self) -> str:
        return self.behind.where

    @property
    def project(self) -> str | None:
        return self.behind.project

    def knows_user(self) -> bool:
        return self.behind.knows_user()

    def call(self, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        assert not _is_on_a_loop(), f"{tool} holds the event loop up"
        self.calls.append(tool)
        self.asked.append((tool, arguments))
        if self.fail_next:
            self.fail_next -= 1
            raise Unavailable("The test lets it fail")
        answer = self.behind.call(tool, arguments)
        if self.lose_next and self.lose_of in {"", tool}:
            self.lose_next -= 1
            raise Unavailable("The test lost the answer")
        return answer

    def close(self) -> None:
        self.behind.close()


@dataclass
class Place:
    """An empty memory and a project in it: a data directory of its own, or a tenant of a server, with its key."""

    store: str
    key: str | None
    project: str
    _opened: list[Memory] = field(default_factory=list[Memory])

    def memory(self, **names: Unpack[Names]) -> Memory:
        """Return a memory of the project; what is open is closed after the test."""
        return self._kept(Memory(self.store, key=self.key, **self._named(names)))

    def counted(self, **names: Unpack[Names]) -> tuple[Memory, CountingDoor]:
        """Return a memory of the project and the door that counts what it calls; it waits for nothing."""
        behind = Embedded(Path(self.store)) if self.key is None else Remote(self.store, self.key)
        door = CountingDoor(behind)
        return self._kept(Memory.through(door, _Hasty(), **self._named(names))), door

    def close(self) -> None:
        for each in self._opened:
            each.close()

    def _named(self, names: Names) -> Names:
        return {"project": self.project, **names}

    def _kept(self, memory: Memory) -> Memory:
        self._opened.append(memory)
        return memory


class StoreInMemory:
    """A door to a store that is kept in memory alone, for tests of thousands of calls."""

    where, project = "memory", "default"

    def __init__(self) -> None:
        entropy = SystemEntropy()
        adapters = Adapters(
            MemoryTable(), MemoryBlobs(), RepeatingKeyRing(), SystemClock(), entropy, in_turn, RecordingJobs()
        )
        switches = {tool.name: True for tool in CATALOG if not tool.on_by_default}
        self._services = services_over(adapters, Settings(memory_enabled=True, tool_switches=switches))
        self._tools = {tool.name: tool for tool in CATALOG}
        self._caller = Caller(LOCAL_TENANT, frozenset(SCOPES), "in-memory", (ALL_PROJECTS,))

    def knows_user(self) -> bool:
        return False

    def call(self, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        given = parse_json(encoded(arguments), self._services.settings.limits)
        return execute((self._tools[tool],), tool, given, Call(self._caller, self._services))

    def close(self) -> None:
        """Have nothing to let go of."""


def memory_in_memory(**names: Unpack[Names]) -> tuple[Memory, CountingDoor]:
    """Return a memory that is nowhere else, and the door that counts what it calls."""
    door = CountingDoor(StoreInMemory())
    return Memory.through(door, _Hasty(), **names), door


def program(page: str, number: int = 0, /, **known: Any) -> dict[str, Any]:
    """Run a program that a page of docs/how-to shows, as it stands, and return the names that it made."""
    text = (ROOT / "docs" / "how-to" / page).read_text(encoding="utf-8")
    code = re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)[number]
    exec(compile(code, page, "exec"), known)  # noqa: S102 - a page of this repository
    return known


def found_at_home(query: str) -> list[str]:
    """Return what is found of the pages' user in the directory that `Memory()` opens."""
    with Memory(user="ada", project="garden") as memory:
        return [hit.content for hit in memory.search(query)]


class _Hasty(SystemClock):
    """A clock by which nobody waits."""

    def sleep(self, seconds: float) -> None:
        """Do not wait."""


def _is_on_a_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
