"""What the tests of a turn are made of: one session, its turns, and a process that has read nothing yet."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any

from jsonschema import Draft202012Validator

from beliefs import fact_of
from cairn.conversation.items import message
from cairn.conversation.turns import Completion
from cairn.edge.fields import SessionInput
from cairn.embedded.queue import InProcessJobs
from cairn.facts.facts import Changes, Fact, Source, State
from cairn.ground import layout
from cairn.ground import sandbox_messages as sandbox
from cairn.ground.errors import CorruptData
from cairn.ground.ids import Project, SessionId, Tenant, TurnId
from cairn.ground.jobs import Job
from cairn.ground.paging import every
from cairn.ground.ports import DataKey
from cairn.ground.session import Session
from cairn.ground.settings import MemorySettings, Quotas
from cairn.ground.table import Attributes, Key, Put, Query
from cairn.ground.world import World
from cairn.keyvalue.store import KeyValue
from cairn.log.entries import LogEntry, TurnEntry
from cairn.log.layout import ENTRIES, log_owner, log_pk
from cairn.log.log import MemoryLog
from cairn.log.manifest import Manifest
from cairn.log.segments import Segments
from cairn.log.view import MemoryView
from cairn.recall.indexing import Indexed, Indexer
from cairn.sessions.layout import HEAD, session_pk
from cairn.sessions.parts import Parts
from cairn.tool.tool import Tool
from cairn.vault.vault import Vault
from cairn_sandbox import door
from cairn_tools.catalog import CATALOG
from recalling import rounded, told

SESSION_TOOLS = tuple(tool for tool in CATALOG if issubclass(tool.input, SessionInput))
"""The tools that are about a session, and so about a project."""
ABSENT = frozenset({"retrieve_session_from_cascade", "getMemory", "deleteMemory", "forget"})
"""The tools whose examples name something that an empty store does not hold."""
SESSION = Session(Tenant("acme"), Project("garden"), SessionId("monday"))
OWNER = log_owner(None, SESSION.session_id)


def outcome(tool: Tool) -> str:
    """Return the code with which an empty store answers a tool's example."""
    return "NOT_FOUND" if tool.name in ABSENT else "OK"


def http_status(tool: Tool) -> int:
    """Return the HTTP status with which an empty store answers a tool's example."""
    return 404 if tool.name in ABSENT else 200


def check_example(tool: Tool, answer: Mapping[str, Any]) -> None:
    """Hold what an empty store answers to a tool's example to the tool's schema, or else to the code."""
    if tool.name in ABSENT:
        assert answer["error"]["code"] == outcome(tool)
    else:
        Draft202012Validator(tool.output_schema()).validate(answer)  # pyright: ignore[reportUnknownMemberType] - half a stub


class FakeClock:
    """A clock that stands still until a test sets it or the code sleeps."""

    def __init__(self) -> None:
        self.time = datetime(2026, 3, 1, 12, tzinfo=UTC)

    def now(self) -> datetime:
        return self.time

    def sleep(self, seconds: float) -> None:
        self.advance(seconds=seconds)

    def advance(self, **duration: float) -> None:
        self.time += timedelta(**duration)


class RecordingJobs:
    """A queue that keeps what it was sent, in order."""

    def __init__(self) -> None:
        self.sent: list[Job] = []

    def send(self, jobs: Sequence[Job]) -> None:
        self.sent.extend(jobs)


class InProcessSandbox:
    """The sandbox without a wall: the same door, called in this process; keeps the names of what ran in it."""

    def __init__(self) -> None:
        self.ran: list[str] = []

    def invoke(self, tool: str, arguments: Mapping[str, object], request_id: str) -> Mapping[str, object]:
        self.ran.append(tool)
        asked = json.loads(sandbox.request(tool, arguments, request_id))
        return sandbox.answer(json.dumps(door.answer(asked)).encode())


class RepeatingKeyRing:
    """Data keys that are the same in each run, so that two stores given the same calls hold the same."""

    def __init__(self) -> None:
        self.made = 0

    def generate(self, tenant: Tenant) -> DataKey:
        self.made += 1
        wrapped = f"{tenant}/{self.made}".encode()
        return DataKey(self.unwrap(tenant, wrapped), wrapped)

    def unwrap(self, tenant: Tenant, wrapped: bytes) -> bytes:
        if not wrapped.startswith(f"{tenant}/".encode()):
            raise CorruptData("a wrapped key does not open")
        return sha256(wrapped).digest()


def settle(jobs: InProcessJobs) -> None:
    """Wait until all jobs sent so far are done."""
    inside: Any = jobs
    inside._executor.submit(lambda: None).result(timeout=30)


def turn(turn_id: str, said: str, answered: str = "Noted.") -> Completion:
    return Completion(
        turn_id=TurnId(turn_id),
        inputs=(message("user", said),),
        outputs=(message("assistant", answered, "output_text"),),
    )


def cold(world: World, **knobs: Any) -> Parts:
    """Return the parts of a process that has nothing in memory yet."""
    settings = MemorySettings(**knobs)
    return Parts.of(world, lambda _: settings)


def key_value(world: World, quotas: Quotas | None = None) -> KeyValue:
    """Return the key-value memory of a process that has unwrapped no key yet."""
    return KeyValue(world, Vault(world), quotas or Quotas())


def facts(parts: Parts, session: Session = SESSION) -> dict[str, Fact]:
    """Return what the session believes, by kind."""
    owner = log_owner(None, session.session_id)
    parts.log.refresh(session.tenant, session.project, owner)
    with parts.log.view(session.tenant, session.project, owner) as view:
        return {fact.fact_id: fact for fact in view.facts(parts.world.clock.now(), session.session_id)}


def partition(parts: Parts, pk: str) -> Iterator[Attributes]:
    return every(parts.world.table, Query(pk, "\x01", "\U0010ffff"))


def entries(parts: Parts, pk: str) -> Iterator[Attributes]:
    """Yield the entries of a memory log."""
    return every(parts.world.table, Query(pk, *layout.prefix_range(ENTRIES)))


def head(parts: Parts) -> Attributes:
    stored = parts.world.table.get(Key(session_pk(SESSION), HEAD))
    assert stored is not None
    return stored


class Journal:
    """One owner's memory log, written without commits: an entry a minute, with a text, some with facts that change."""

    def __init__(self, world: World, owner: str = OWNER) -> None:
        self.world = world
        self.owner = owner
        self.log = MemoryLog(world, Vault(world))
        self.written = 0

    @property
    def pk(self) -> str:
        return log_pk(SESSION.tenant, SESSION.project, self.owner)

    def write(self, entries: int, minutes: float = 1) -> None:
        """Append entries, and let this much time go by after each."""
        for _ in range(entries):
            self.written += 1
            self.world.table.put(self.prepared(self.written))
            clock: Any = self.world.clock
            clock.advance(minutes=minutes)

    def prepared(self, number: int) -> Put:
        """Return the write of an entry; every seventh moves house and every fifth forgets to."""
        now = self.world.clock.now()
        texts = ((f"e{number}", "user", f"row {number} of the beans, {WORDS[number % len(WORDS)]}"),)
        turn = TurnEntry(turn_id=TurnId(f"t{number}"), seq=number, events=1, texts=texts)
        homes = (home(number, now),) if number % 7 == 0 else ()
        ended = tuple(replace(home(number - 5, now), state=State.DELETED, valid_to=now) for _ in range(number % 5 == 0))
        changes = Changes(added=homes, deleted=ended, seen=(f"f{number - 3}",))
        entry = LogEntry(session_id=SESSION.session_id, at=now, turn=turn, changes=changes)
        return self.log.append(SESSION.tenant, SESSION.project, self.owner, entry)

    def indexed(self, *runs: int) -> Journal:
        """Write entries and index them, run by run."""
        clock: Any = self.world.clock
        for entries in runs:
            self.write(entries)
            clock.advance(seconds=61)
            self.index()
        return self

    def index(self) -> Indexed:
        """Run an indexer that has nothing in memory."""
        return Indexer(self.world, Vault(self.world)).run(SESSION.tenant, SESSION.project, self.owner)

    def rebuild(self) -> Indexed:
        return Indexer(self.world, Vault(self.world)).rebuild(SESSION.tenant, SESSION.project, self.owner)

    def manifest(self) -> Manifest:
        return Segments(self.world, Vault(self.world)).manifest(self.pk)

    def answers(self, log: MemoryLog | None = None) -> dict[str, Any]:
        """Return what a process answers after a refresh: this one, or else one that has nothing in memory."""
        reader = log or MemoryLog(self.world, Vault(self.world))
        reader.refresh(SESSION.tenant, SESSION.project, self.owner)
        with reader.view(SESSION.tenant, SESSION.project, self.owner) as view:
            return answers_of(view, self.world.clock.now())

    def folded(self) -> dict[str, Any]:
        """Return what a fold of the whole log answers."""
        view, vault = MemoryView(), Vault(self.world)
        for item in every(self.world.table, Query(self.pk, "m#", "m#\U0010ffff")):
            view.apply(vault.unseal(SESSION.tenant, item))
        return answers_of(view, self.world.clock.now())


WORDS = ("tall", "green", "runner", "dwarf")


def home(number: int, now: datetime) -> Fact:
    """Return one of a row of facts about the same thing."""
    source = Source(turn_id=f"t{number}", event_id=f"e{number}", quote="q")
    where = {"key": f"home {number % 3}", "value": f"street {number}"}
    return fact_of(f"f{number}", now, fact_id="user_home", source=source, **where)


def answers_of(view: MemoryView, now: datetime) -> dict[str, Any]:
    """Return what a view of one session answers."""
    session = SESSION.session_id
    return {
        "facts": [view.facts(now, None), view.facts(now, session)],
        "turns": [view.turns(session), view.turn_count(session), view.last_seq(session)],
        "has turn": [view.has_turn(session, TurnId(f"t{number}"), 20) for number in (1, 20, 21, 70, 600)],
        "chunks": view.chunks(session),
        "found": [rounded(told(view, asked, now)) for asked in ("row 42", "beans", "dwarf 7", "my home on street 7")],
    }
