"""Memory logs written without commits, logs as records, and segments made of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, cast

from cairn.facts.facts import Changes, Fact, Source, State
from cairn.ground.adapters import Adapters
from cairn.ground.ids import SessionId, TurnId
from cairn.ground.paging import every
from cairn.ground.ports import Embedder
from cairn.ground.table import Attributes, Put, Query, prefix_range
from cairn.ground.tiers import Tier
from cairn.log.documents import Kind
from cairn.log.entries import LogEntry, TurnEntry
from cairn.log.layout import ENTRIES, log_pk
from cairn.log.log import MemoryLog
from cairn.log.manifest import Manifest
from cairn.log.memories import Ending, Memory
from cairn.log.pages import PageBytes, PageSource, page_cache
from cairn.log.segment import Segment
from cairn.log.segment_writer import written
from cairn.log.segments import Segments
from cairn.log.view import MemoryView
from cairn.process.system import in_turn
from cairn.recall.indexing import Indexed, Indexer
from cairn.services import Services
from cairn.vault.vault import Vault
from support.doubles import Counted
from support.facts import fact_of
from support.recall import ranked, rounded, vectors_of
from support.turns import OWNER, SESSION

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
SESSIONS = [SessionId("s1"), SessionId("s10"), SessionId("\u00e9#")]


def entries(services: Services, pk: str) -> Iterator[Attributes]:
    """Yield the entries of a memory log."""
    return every(services.adapters.table, Query(pk, *prefix_range(ENTRIES)))


class Journal:
    """One owner's memory log, written without commits: an entry a minute, with a text, some with facts that change."""

    def __init__(self, adapters: Adapters, owner: str = OWNER, embedder: Embedder | None = None) -> None:
        self.adapters = adapters
        self.embedder = embedder
        self.owner = owner
        self.log = MemoryLog(adapters, Vault(adapters))
        self.written = 0

    @property
    def pk(self) -> str:
        return log_pk(SESSION.tenant, SESSION.project, self.owner)

    def write(self, entries: int, minutes: float = 1) -> None:
        """Append entries, and let this much time go by after each."""
        for _ in range(entries):
            self.written += 1
            self.adapters.table.put(self.prepared(self.written))
            clock: Any = self.adapters.clock
            clock.advance(minutes=minutes)

    def prepared(self, number: int) -> Put:
        """Return the write of an entry; every seventh moves house and every fifth forgets to."""
        now = self.adapters.clock.now()
        texts = ((f"e{number}", "user", f"row {number} of the beans, {WORDS[number % len(WORDS)]}"),)
        turn = TurnEntry(turn_id=TurnId(f"t{number}"), seq=number, events=1, texts=texts)
        homes = (home(number, now),) if number % 7 == 0 else ()
        ended = tuple(replace(home(number - 5, now), state=State.DELETED, valid_to=now) for _ in range(number % 5 == 0))
        changes = Changes(added=homes, deleted=ended, seen=(f"f{number - 3}",))
        entry = LogEntry(session_id=SESSION.session_id, at=now, turn=turn, changes=changes)
        return self.log.append(SESSION.tenant, SESSION.project, self.owner, entry)

    def indexed(self, *runs: int) -> Journal:
        """Write entries and index them, run by run."""
        clock: Any = self.adapters.clock
        for entries in runs:
            self.write(entries)
            clock.advance(seconds=61)
            self.index()
        return self

    def index(self) -> Indexed:
        """Run an indexer that has nothing in memory."""
        return Indexer(self.adapters, Vault(self.adapters), self.embedder).run(
            SESSION.tenant, SESSION.project, self.owner
        )

    def rebuild(self) -> Indexed:
        return Indexer(self.adapters, Vault(self.adapters), self.embedder).rebuild(
            SESSION.tenant, SESSION.project, self.owner
        )

    def manifest(self) -> Manifest:
        return Segments(self.adapters, Vault(self.adapters)).manifest(self.pk)

    def answers(self, log: MemoryLog | None = None) -> dict[str, Any]:
        """Return what a process answers after a refresh: this one, or else one that has nothing in memory."""
        reader = log or MemoryLog(self.adapters, Vault(self.adapters))
        reader.refresh(SESSION.tenant, SESSION.project, self.owner)
        with reader.view(SESSION.tenant, SESSION.project, self.owner) as view:
            return answers_of(view, self.adapters.clock.now())

    def folded(self) -> dict[str, Any]:
        """Return what a fold of the whole log answers."""
        view, vault = MemoryView(), Vault(self.adapters)
        for item in every(self.adapters.table, Query(self.pk, "m#", "m#\U0010ffff")):
            view.apply(vault.unseal(SESSION.tenant, item))
        return answers_of(view, self.adapters.clock.now())


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
        "found": [rounded(ranked(view, asked, now)) for asked in ("row 42", "beans", "dwarf 7", "my home on street 7")],
    }


class Counting:
    """A process that reads a journal, and counts its reads."""

    def __init__(self, journal: Journal) -> None:
        adapters = journal.adapters
        self.journal = journal
        self.calls: list[str] = []
        self.table = Counted(adapters.table, self.calls)
        vault = Vault(adapters)
        counted = replace(adapters, table=self.table, blobs=Counted(adapters.blobs, self.calls))
        self.log = MemoryLog(counted, vault)

    def read(self) -> dict[str, Any]:
        self.calls.clear()
        self.table.items = 0
        return self.journal.answers(self.log)


def fact(number: int, key: str, recorded: datetime = NOW, hours: int | None = None) -> Fact:
    ends = {} if hours is None else {"tier": Tier.L1, "expires_at": NOW + timedelta(hours=hours)}
    return fact_of(f"f{number}", recorded, fact_id="user_like", key=key, value=f"value {number}", **ends)


def records(log: Sequence[Any]) -> list[dict[str, Any]]:
    """Return the entries as stored; turn numbers rise within their session, turn ids come back."""
    seqs = dict.fromkeys(SESSIONS, 0)
    found: list[dict[str, Any]] = []
    for number, (session, turn, changed, *more) in enumerate(cast("Sequence[tuple[Any, ...]]", log)):
        entry = None
        if turn is not None:
            seqs[session] += 1
            turn_id, lines, *speaker = turn
            said_by = speaker[0] if speaker else ()
            lines = tuple((f"{turn_id}-in-{i}", "user", text, *said_by) for i, text in enumerate(lines))
            entry = TurnEntry(turn_id=TurnId(turn_id), seq=seqs[session], events=len(lines), texts=lines)
        at = NOW + timedelta(milliseconds=number)
        remembered, forgotten = cast("Any", more or ((), ()))
        told_to = LogEntry(
            session_id=session,
            at=at,
            turn=entry,
            changes=changed,
            remembered=tuple(memory(f"m{number}.{i}", each, at) for i, each in enumerate(remembered)),
            forgotten=tuple(
                Ending(id=f"m{which}.0", at=at, session_id=session, replacement_id=new) for which, new in forgotten
            ),
        )
        found.append(told_to.to_record())
    return found


def memory(name: str, said: tuple[Any, float, str], at: datetime) -> Memory:
    kind, confidence, content = said
    return Memory(
        id=name,
        type=kind,
        content=content,
        confidence=confidence,
        rationale=None,
        scope="session",
        session_id=SESSIONS[0],
        user_id=None,
        recorded_at=at,
    )


def folded(log: Sequence[dict[str, Any]], segments: Sequence[Segment] = ()) -> MemoryView:
    view = MemoryView(segments)
    for record in log:
        view.apply(record)
    return view


def segment(  # noqa: PLR0913, PLR0917 - what a segment is made of
    log: Sequence[dict[str, Any]],
    low: int,
    through: int,
    segments: Sequence[Segment] = (),
    embedder: Embedder | None = None,
    paged: Sequence[Kind] = (),
) -> Segment:
    """Return the segment of the entries from number `low` on, up to `through`, the first of them in segments."""
    view = folded(log, segments)
    made = written(view, name(low), name(through), vectors_of(view, embedder, paged), paged)

    def read(page: PageBytes) -> bytes:
        return made.pages[page.number]

    return Segment(made.head, PageSource(read, in_turn, page_cache()) if paged else None)


def name(number: int) -> str:
    return f"m#{number:03d}" if number else ""
