"""A store that is used all the time, by several, while a test walks over it."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import count
from typing import Any

from cairn.conversation.items import message
from cairn.conversation.turns import Completion
from cairn.files.files import WriteMode
from cairn.ground.adapters import Adapters
from cairn.ground.ids import Digest, Namespace, Tenant, TurnId, UserId
from cairn.ground.ports import Inventory, Snapshot
from cairn.ground.session import Session
from cairn.ground.settings import MemorySettings
from cairn.ground.table import Attributes, Key, Page, Query
from cairn.keyvalue.model import KeyName, Place
from cairn.memories.model import Note
from cairn.memories.remember import remember
from cairn.services import Services
from cairn.turns.after_turn import commit
from support.custody import ACME, session
from support.custody import LARGE as VERY_LARGE
from support.items import THREAD, item_logs, new, op
from support.keyvalue import key_value
from support.services import services_over

SESSIONS = tuple(session(name) for name in ("one", "two", "three"))
USERS: tuple[UserId | None, ...] = (UserId("ada"), UserId("bob"), None)
SETTINGS = MemorySettings(recent_context_items=2, compaction_min_age_hours=0, guard_lease_seconds=1)
NOTES = Namespace("public.notes")
LARGE = VERY_LARGE[:70_000]
"""Enough for a blob."""


@dataclass
class Town:
    """A store that several processes use while one exports it."""

    adapters: Adapters
    inventory: Inventory
    said: list[tuple[Session, Completion]] = field(default_factory=list[tuple[Session, Completion]])
    busy: bool = False
    reads: Iterator[int] = field(default_factory=count)
    numbers: Iterator[int] = field(default_factory=count)
    asked: Query | None = None
    most: int = 1_000_000
    """How much is done until it rests: a walk that is no snapshot never ends where more is always added behind it."""
    services: Services = field(init=False)

    def __post_init__(self) -> None:
        self.services = services_over(self.adapters, SETTINGS)

    def speak(self, number: int) -> None:
        """Commit a turn of one of the users in one of the sessions; one in seven is too large for its item."""
        where, user = SESSIONS[number % 3], USERS[number // 3 % 3]
        reply = LARGE if number % 7 == 3 else f"Noted {number}."
        turn = Completion(
            turn_id=TurnId(f"t{number}"),
            user_id=user,
            inputs=(message("user", f"In {number} I like tea number{number}."),),
            outputs=(message("assistant", reply, "output_text"),),
        )
        commit(self.services, where, turn)
        self.said.append((where, turn))

    def keep_items(self, number: int) -> None:
        """Append two items to a log, one of them large, and take back one more of those before at every third time."""
        logs = item_logs(self.adapters)
        if number % 3 == 0:
            logs.take_back(THREAD, op(f"undo-{number}"))
        logs.append(THREAD, new((f"a{number}", number), (f"b{number}", LARGE), state=number))

    def act(self) -> None:
        """Do the next of what goes on all the time, at every third call, unless this is done by that."""
        if self.busy or next(self.reads) % 3 or not self.most:
            return
        self.busy, self.most = True, self.most - 1
        try:
            number = next(self.numbers)
            clock: Any = self.adapters.clock
            clock.advance(seconds=2)
            self._do(number)
        finally:
            self.busy = False

    def _do(self, number: int) -> None:
        where = SESSIONS[number // 2 % 3]
        acts: list[Callable[[], object]] = [
            partial(self.speak, number),
            partial(self.services.maintenance.run, where),
            partial(self.speak, number),
            partial(remember, self.services, where, Note(content=f"Keep {number}.", scope="user", user_id=USERS[0])),
            partial(self.services.maintenance.run, where),
            partial(self.services.files.write, where, "notes/plan.txt", f"{number} {LARGE}", WriteMode.TRUNCATE),
            partial(self.speak, number),
            partial(key_value(self.adapters).put, Place(ACME, NOTES, KeyName(f"k{number % 5}")), LARGE[:number]),
            partial(self.keep_items, number),
        ]
        acts[number % len(acts)]()


class Restless:
    """The inventory of a town, in which something is done before each read."""

    def __init__(self, town: Town) -> None:
        self._town = town

    @contextmanager
    def snapshot(self) -> Generator[Snapshot]:
        with self._town.inventory.snapshot() as snapshot:
            yield _RestlessReads(self._town, snapshot)

    def items(self, tenant: Tenant) -> Iterator[Attributes]:
        for item in self._town.inventory.items(tenant):
            self._town.act()
            yield item

    def __getattr__(self, name: str) -> Any:
        return getattr(self._town.inventory, name)


class _RestlessReads:
    def __init__(self, town: Town, snapshot: Snapshot) -> None:
        self._town = town
        self._snapshot = snapshot

    def get(self, key: Key) -> Attributes | None:
        self._town.act()
        return self._snapshot.get(key)

    def query(self, query: Query) -> Page:
        self._town.asked = query
        self._town.act()
        # Pages of a few items, so that much is done between them.
        return self._snapshot.query(replace(query, limit=min(query.limit or 3, 3)))

    def items(self, tenant: Tenant) -> Iterator[Attributes]:
        for item in self._snapshot.items(tenant):
            self._town.act()
            yield item


class RestlessBlobs:
    """The blobs of a town, in which something is done before each read."""

    def __init__(self, town: Town) -> None:
        self._town = town

    def get(self, tenant: Tenant, digest: Digest) -> bytes:
        self._town.act()
        return self._town.adapters.blobs.get(tenant, digest)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._town.adapters.blobs, name)
