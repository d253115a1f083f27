"""A conversation for tests: turns of one user's session, told to the engine over a table in memory."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from cairn.access.key_store import Credentials
from cairn.archive.archive import Archive
from cairn.conversation.items import message, text_of
from cairn.conversation.turns import Completion
from cairn.embedded.keyring import LocalKeyRing
from cairn.embedded.table import SqliteTable
from cairn.facts.facts import Fact
from cairn.files.model import DirectorySummary
from cairn.files.service import Files
from cairn.ground.adapters import Adapters
from cairn.ground.ids import Project, SessionId, Tenant, TurnId, UserId
from cairn.ground.session import ResponseItem, Session
from cairn.ground.settings import MemorySettings
from cairn.ground.table import Attributes, Delete, Key, Page, Put, Query, Update, Write
from cairn.local.cli import main
from cairn.log.layout import log_owner, with_across
from cairn.tool.call import Call
from cairn.turns.after_turn import commit
from cairn.turns.before_turn import prepare
from cairn.turns.model import CommittedTurn, Preparation, PreparedTurn
from cairn.upkeep.model import MaintenanceReport
from metering import Meter, MeteredBlobs, MeteredKeys, MeteredTable
from support.archive import archive_of
from support.context import block_of
from support.custody import Household
from support.files import files_of
from support.memories import Notebook
from support.services import services_over

TURN_NUMBERS = count(1)


class WatchedTable:
    """A table that counts its calls and what they read, and lets a test step in before each."""

    def __init__(self, table: SqliteTable) -> None:
        self._table = table
        self.reads = 0
        self.items_read = 0
        self.writes = 0
        self.before_call: Callable[[object], None] | None = None

    def get(self, key: Key) -> Attributes | None:
        self._enter(key)
        item = self._table.get(key)
        self.reads += 1
        self.items_read += item is not None
        return item

    def query(self, query: Query) -> Page:
        self._enter(query)
        page = self._table.query(query)
        self.reads += 1
        self.items_read += len(page.items)
        return page

    def put(self, write: Put) -> None:
        self._enter(write)
        self.writes += 1
        self._table.put(write)

    def update(self, write: Update) -> Attributes:
        self._enter(write)
        self.writes += 1
        return self._table.update(write)

    def delete(self, write: Delete) -> None:
        self._enter(write)
        self.writes += 1
        self._table.delete(write)

    def transact(self, writes: Sequence[Write]) -> None:
        self._enter(writes)
        self.writes += 1
        self._table.transact(writes)

    def _enter(self, what: object) -> None:
        """Let the test step in, with itself out of the way of the calls it makes."""
        if self.before_call is not None:
            step, self.before_call = self.before_call, None
            step(what)
            self.before_call = self.before_call or step


class Conversation:
    """A process that serves one session unless told otherwise; `other()` starts a further one over the same store."""

    def __init__(self, adapters: Adapters, table: WatchedTable, settings: MemorySettings, session: Session) -> None:
        self.adapters = adapters
        self.table = table
        self.session = session
        self.settings = settings
        self.services = services_over(adapters, settings)

    def other(self, session_id: str | None = None, **knobs: Any) -> Conversation:
        """Return a process that has read nothing yet, for this session or another of the project."""
        session = self.session if session_id is None else replace(self.session, session_id=SessionId(session_id))
        return Conversation(self.adapters, self.table, replace(self.settings, **knobs), session)

    def say(
        self,
        *said: str | ResponseItem,
        reply: str | ResponseItem = "Noted.",
        user: str | None = "ada",
        turn_id: str | None = None,
    ) -> CommittedTurn:
        """Commit a turn; its id is new unless given."""
        turn = Completion(
            turn_id=TurnId(turn_id or f"turn-{next(TURN_NUMBERS)}"),
            user_id=None if user is None else UserId(user),
            inputs=tuple(message("user", each) if isinstance(each, str) else each for each in said),
            outputs=(message("assistant", reply, "output_text") if isinstance(reply, str) else reply,),
        )
        return commit(self.services, self.session, turn)

    def ask(self, *current: str | ResponseItem, user: str | None = "ada", **fields: Any) -> PreparedTurn:
        """Prepare a turn."""
        items = tuple(message("user", each) if isinstance(each, str) else each for each in current)
        request = Preparation(current=items, user_id=None if user is None else UserId(user), **fields)
        return prepare(self.services, self.session, request)

    def facts(self, user: str | None = "ada") -> list[Fact]:
        """Return what is believed of a user, in the project and across projects."""
        owner, found = log_owner(None if user is None else UserId(user), self.session.session_id), list[Fact]()
        for each in with_across([owner]):
            with self.services.log.view(self.session.tenant, self.session.project, each) as view:
                found += view.facts(self.adapters.clock.now(), None)
        return found

    def maintain(self) -> MaintenanceReport:
        return self.services.maintenance.run(self.session)

    def list(self, path: str = "", depth: int = 8, limit: int = 200) -> tuple[DirectorySummary, ...]:
        return self.services.directories.list(self.session, path, depth, limit)

    def history(self) -> list[ResponseItem]:
        """Return every item stored, oldest first, archived ones included."""
        return [event.item for _, events in self.services.sessions.history(self.session) for event in events]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Where the commands of this machine keep their memory."""
    return tmp_path / "store"


@pytest.fixture
def run(data: Path) -> Callable[..., Result]:
    """Return a function that runs `cairn` with these arguments on one data directory, or another."""

    def runner(*arguments: str, at: Path = data, **keywords: Any) -> Result:
        return CliRunner().invoke(main, list(arguments), env={"CAIRN_DATA": str(at)}, **keywords)

    return runner


@pytest.fixture
def watched() -> Iterator[WatchedTable]:
    table = SqliteTable(Path(":memory:"))
    yield WatchedTable(table)
    table.close()


@pytest.fixture
def start(adapters: Adapters, watched: WatchedTable) -> Callable[..., Conversation]:
    """Return a function that starts a conversation with these knobs."""
    swift = replace(adapters, table=watched)

    def started(session_id: str = "monday", **knobs: Any) -> Conversation:
        session = Session(Tenant("acme"), Project("garden"), SessionId(session_id))
        return Conversation(swift, watched, MemorySettings(**knobs), session)

    return started


@pytest.fixture
def notebook(start: Callable[..., Conversation]) -> Notebook:
    return Notebook(start(), "ada")


@pytest.fixture
def placed() -> Callable[[PreparedTurn, str], dict[str, Any]]:
    """Return a function that reads the JSON of a kind that was placed; an empty one where there is none."""

    def read(turn: PreparedTurn, kind: str = "historical_memory") -> dict[str, Any]:
        if kind == "historical_memory":
            return block_of(turn.items)
        texts = [text_of(item) for item in turn.items]
        found = [json.loads(text) for text in texts if text.startswith(f'{{"kind":"{kind}"')]
        assert len(found) <= 1
        return found[0] if found else {"facts": []}

    return read


@pytest.fixture
def metered(call: Call, adapters: Adapters, monkeypatch: pytest.MonkeyPatch) -> tuple[Call, Meter]:
    """Return a call of a process whose trips are counted, on one thread, as a meter has to."""

    def within(_: float, work: Callable[[], Any]) -> Any:
        return work()

    monkeypatch.setattr("cairn.tool.call.within", within)
    meter = Meter()
    counted = replace(
        adapters,
        table=MeteredTable(adapters.table, meter),
        blobs=MeteredBlobs(adapters.blobs, meter),
        keys=MeteredKeys(adapters.keys, meter),
        parallel=meter,
    )
    return replace(call, services=services_over(counted, call.services.settings)), meter


@pytest.fixture
def archive(adapters: Adapters) -> Archive:
    return archive_of(adapters)


@pytest.fixture
def house(adapters: Adapters, store: Any) -> Household:
    return Household.over(replace(adapters, keys=LocalKeyRing(bytes(range(32)))), store.directory)


@pytest.fixture
def credentials(adapters: Adapters) -> Credentials:
    return Credentials(adapters)


@pytest.fixture
def files(adapters: Adapters) -> Files:
    return files_of(adapters)
