"""Adapters that note what is asked of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from builders import Journal
from cairn.ground.table import Page
from cairn.log.log import MemoryLog
from cairn.vault.vault import Vault


@dataclass
class Counted:
    """An adapter that counts its calls, and what queries return."""

    adapter: Any
    calls: list[str]
    items: int = 0

    def __getattr__(self, name: str) -> Any:
        call = getattr(self.adapter, name)

        def counted(*args: Any) -> Any:
            self.calls.append(name)
            answer = call(*args)
            self.items += len(answer.items) if isinstance(answer, Page) else 0
            return answer

        return counted


class Counting:
    """A process that reads a journal, and counts its reads."""

    def __init__(self, journal: Journal) -> None:
        world = journal.world
        self.journal = journal
        self.calls: list[str] = []
        self.table = Counted(world.table, self.calls)
        vault = Vault(world)
        counted = replace(world, table=self.table, blobs=Counted(world.blobs, self.calls))
        self.log = MemoryLog(counted, vault)

    def read(self) -> dict[str, Any]:
        self.calls.clear()
        self.table.items = 0
        return self.journal.answers(self.log)
