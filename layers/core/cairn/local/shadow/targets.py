"""Open the memory that records are replayed into: an empty store, or new projects in a service."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from cairn.access.api_keys import ALL_PROJECTS, SCOPES
from cairn.access.callers import Caller
from cairn.ground.errors import CairnError
from cairn.local.demo.client import MemoryClient, Refused
from cairn.local.server.doors import load
from cairn.local.store import LOCAL_TENANT, local_environment
from cairn.services import Services
from cairn.settings.settings import EmbeddedStore, read
from cairn.tool.call import Call, execute
from cairn.tool.tool import Tool
from cairn.wiring import wiring_of


class RecordClock:
    """A clock that shows the time of the record at hand."""

    def __init__(self) -> None:
        """Begin at the beginning of time."""
        self.time = datetime.min.replace(tzinfo=UTC)

    def now(self) -> datetime:
        """Return the time of the record."""
        return self.time

    def sleep(self, seconds: float) -> None:
        """Let the time pass at once."""
        self.time += timedelta(seconds=seconds)


@dataclass(frozen=True, slots=True)
class FreshStore:
    """The tools in this process over a store that is empty at first, at the time of each record."""

    clock: RecordClock
    tools: Sequence[Tool]
    context: Call
    keeps_dates: bool = True

    def at(self, moment: datetime) -> None:
        """Set the clock."""
        self.clock.time = moment.astimezone(UTC)

    async def call(self, tool: str, project: str, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return a tool's answer; Refused for an error."""
        try:
            return execute(self.tools, tool, {"project": project, **arguments}, self.context)
        except CairnError as error:
            raise Refused(error.code, error.message, retryable=error.retryable) from None


@dataclass(frozen=True, slots=True)
class Service:
    """A running service; `prefix` begins each project's and user's name: nothing that is there is read or changed.

    Users too, since what they say of themselves is known in all of their projects.
    """

    memory: MemoryClient
    prefix: str
    keeps_dates: bool = False

    def at(self, moment: datetime) -> None:
        """Leave the service its own time."""

    async def call(self, tool: str, project: str, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return a tool's answer; Refused for an error that no retry within a minute mends."""
        user = {"user_id": f"{self.prefix}.{arguments['user_id']}"} if "user_id" in arguments else {}
        return await self.memory.call(tool, **{**arguments, **user, "project": f"{self.prefix}.{project}"})


@contextmanager
def fresh_store(environment: Mapping[str, str]) -> Generator[FreshStore]:
    """Make a store that is gone afterwards; the environment's settings hold, but that memory is on."""
    with TemporaryDirectory(prefix="cairn-shadow-") as directory:
        store = EmbeddedStore(directory=Path(directory))
        settings = replace(read(local_environment(environment)), memory_enabled=True, store=store)
        clock = RecordClock()
        wiring = wiring_of(settings)
        services = Services(settings, wiring, replace(wiring.adapters(), clock=clock))
        caller = Caller(LOCAL_TENANT, frozenset(SCOPES), "shadow", (ALL_PROJECTS,))
        yield FreshStore(clock, load("cairn_tools.catalog.CATALOG"), Call(caller, services))
