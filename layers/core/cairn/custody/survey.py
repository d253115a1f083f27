"""Walk all that a tenant has, open each item, and note what items say of one another."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from cairn.archive.model import Entry as ArchiveEntry
from cairn.calls.day_marker import DayMarker
from cairn.conversation.events import Event
from cairn.custody.findings import Finding
from cairn.custody.kept_seen import KeptSeen
from cairn.custody.opening import Opening, kind_of
from cairn.custody.quarantine import KNOWN, QUARANTINE, blobs_named, moving
from cairn.files.layout import file_of
from cairn.files.store import FileRecord
from cairn.ground.attributes import number, text
from cairn.ground.ids import Digest, Tenant, UserId
from cairn.ground.ports import Snapshot
from cairn.ground.table import Attributes, Key
from cairn.keyvalue.model import Entry, Usage
from cairn.log.layout import KEPT_COUNT, log_of
from cairn.sessions.head import Head
from cairn.sessions.layout import FIRST_EVENT, HEAD, LAST_EVENT, MEMORY_COUNT, PACKED, session_of
from cairn.sessions.recent_turns import turns_of
from cairn.sessions.services import SessionServices
from cairn.vault.data_key import WrappedKey

Events = tuple[Event, ...]


@dataclass(slots=True)
class SessionSeen:
    """The items of one session."""

    head: Head | None = None
    turns: dict[int, Events] = field(default_factory=dict[int, Events])
    archived_through: int = 0
    counts_memories: bool = False
    files: dict[str, FileRecord] = field(default_factory=dict[str, FileRecord])
    file_parts: dict[str, set[str]] = field(default_factory=dict[str, set[str]])
    parts: dict[str, Attributes] = field(default_factory=dict[str, Attributes])
    tree: int | None = None


@dataclass(slots=True)
class LogSeen:
    """The items of one memory log; `ended` is where a memory's end is written."""

    newest: str = ""
    tail: int | None = None
    manifest: Attributes | None = None
    counts_memories: bool = False
    remembered: dict[str, str] = field(default_factory=dict[str, str])
    ended: dict[str, str] = field(default_factory=dict[str, str])
    states: dict[str, Attributes] = field(default_factory=dict[str, Attributes])


@dataclass(slots=True)
class NamespaceSeen:
    """The items of one namespace of key-value memory."""

    values: dict[str, Entry] = field(default_factory=dict[str, Entry])
    names: dict[str, Entry] = field(default_factory=dict[str, Entry])
    expiries: dict[str, Attributes] = field(default_factory=dict[str, Attributes])
    usage: Usage | None = None


@dataclass(slots=True)
class Seen:
    """All that was met; items that are damaged are findings, and nowhere else."""

    findings: list[Finding] = field(default_factory=list[Finding])
    items: int = 0
    blobs_named: set[Digest] = field(default_factory=set[Digest])
    keys: set[int] = field(default_factory=set[int])
    sealed_under: Counter[int] = field(default_factory=Counter[int])
    sessions: defaultdict[str, SessionSeen] = field(default_factory=lambda: defaultdict(SessionSeen))
    logs: defaultdict[str, LogSeen] = field(default_factory=lambda: defaultdict(LogSeen))
    registered: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])
    file_bytes: dict[str, int] = field(default_factory=dict[str, int])
    archived: defaultdict[Digest, dict[str, Attributes]] = field(default_factory=lambda: defaultdict(dict))
    namespaces: defaultdict[str, NamespaceSeen] = field(default_factory=lambda: defaultdict(NamespaceSeen))
    known_namespaces: set[str] = field(default_factory=set[str])
    usage: Usage | None = None
    days: dict[str, int] = field(default_factory=dict[str, int])
    markers: set[str] = field(default_factory=set[str])
    known: set[str] = field(default_factory=set[str])
    kept: KeptSeen = field(default_factory=KeptSeen)


class Survey:
    """Walks a store once."""

    def __init__(self, services: SessionServices, snapshot: Snapshot) -> None:
        """Open items with these services."""
        self._services = services
        self._snapshot = snapshot
        self._opening = Opening(services)
        self._seen = Seen()

    def run(self, tenant: Tenant) -> Seen:
        """Return what the tenant has; what is written meanwhile may be seen in part."""
        for item in self._snapshot.items(tenant):
            self._seen.items += 1
            self._seen.blobs_named.update(blobs_named(item))
            kid = item.get("kid")
            if type(kid) is int:
                self._seen.sealed_under[kid] += 1
            where = Key.of(item)
            problem = self._opening.problem(item)
            if problem is None:
                self._note(tenant, where, item)
            else:
                self._damaged(tenant, where, item, problem)
        return self._seen

    def _damaged(self, tenant: Tenant, where: Key, item: Attributes, problem: str) -> None:
        if kind_of(where.pk) == "keys":
            found = Finding("key", shown(where), f"{problem}; put it back from a backup")
        else:
            found = Finding("record", shown(where), problem, self._quarantine(tenant, where, item))
        self._seen.findings.append(found)

    def _quarantine(self, tenant: Tenant, where: Key, item: Attributes) -> Callable[[], None]:
        def mend() -> None:
            adapters = self._services.adapters
            writes = moving(tenant, item, adapters.clock.now())
            if kind_of(where.pk) == "m2" and where.sk.startswith("m#"):
                # The log's readers learn from its manifest that an entry is gone.
                self._services.indexer.segments.rewrite(where.pk, writes)
                self._services.indexer.run(*log_of(where.pk))
            else:
                adapters.table.transact(writes)

        return mend

    def _note(self, tenant: Tenant, where: Key, item: Attributes) -> None:
        match kind_of(where.pk):
            case "keys":
                self._seen.keys.add(WrappedKey.of(item).number)
            case "s":
                self._note_session(self._seen.sessions[where.pk], where, item)
            case "m2":
                self._note_log(tenant, self._seen.logs[where.pk], where, item)
            case "m1" if where.sk == "files":
                self._seen.file_bytes[where.pk] = number(item, "bytes")
            case "m1" | "projects":
                self._seen.registered.add((where.pk, where.sk))
            case "a":
                self._seen.archived[ArchiveEntry.of(item).digest][where.sk] = item
            case "k1":
                self._note_value(self._seen.namespaces[where.pk], where, item)
            case "k0" if where.sk == "e!usage":
                self._seen.usage = Usage.of(item)
            case "k0":
                self._seen.known_namespaces.add(where.sk)
            case kind:
                self._note_rest(tenant, kind, where, item)

    def _note_rest(self, tenant: Tenant, kind: str, where: Key, item: Attributes) -> None:
        match kind:
            case "i1" | "i2" | "d":
                self._seen.kept.note(self._services.vault, tenant, kind, item)
            case "audit0" if where.sk.startswith("day#"):
                self._seen.markers.add(DayMarker.of(item).day)
            case "audit1":
                day = where.pk.rpartition("#")[2]
                self._seen.days[day] = max(self._seen.days.get(day, 0), number(item, "expires_at"))
            case _ if kind == QUARANTINE and where.sk.startswith(KNOWN):
                self._seen.known.add(where.sk.removeprefix(KNOWN))
            case _:
                pass

    def _note_session(self, seen: SessionSeen, where: Key, item: Attributes) -> None:
        session, vault = session_of(where.pk), self._services.vault
        if where.sk == HEAD:
            seen.head = Head.of(item)
        elif where.sk == MEMORY_COUNT:
            seen.counts_memories = True
        elif FIRST_EVENT <= where.sk <= LAST_EVENT:
            seen.turns[number(item, "seq")] = self._services.sessions.events(session, item)
        elif where.sk.startswith(PACKED):
            turns = dict(turns_of(vault, session, item))
            seen.turns.update(turns)
            seen.archived_through = max(seen.archived_through, *turns)
        elif where.sk.startswith("file#"):
            name = file_of(where.sk)
            seen.files[name] = FileRecord.of(item)
            seen.file_parts[name] = {part for part, _ in vault.unseal(session.tenant, item)["parts"]}
        elif where.sk.startswith("part#"):
            seen.parts[where.sk] = item
        elif where.sk == "files":
            seen.tree = number(item, "tree")

    def _note_log(self, tenant: Tenant, seen: LogSeen, where: Key, item: Attributes) -> None:
        if where.sk.startswith("m#"):
            seen.newest = max(seen.newest, where.sk)
            record = self._services.vault.unseal(tenant, item)
            seen.remembered.update({memory["id"]: record["session"] for memory in record.get("remembered", ())})
            for ending in record.get("forgotten", ()):
                seen.ended.setdefault(ending["id"], where.sk)
        elif where.sk == "m~segments":
            seen.manifest = item
        elif where.sk == KEPT_COUNT:
            seen.counts_memories = True
        elif where.sk == "m~tail":
            seen.tail = number(item, "newest")
        elif where.sk.startswith("id#"):
            text(item, "state")
            seen.states[where.sk.removeprefix("id#")] = item

    def _note_value(self, seen: NamespaceSeen, where: Key, item: Attributes) -> None:
        kind, _, rest = where.sk.partition("#")
        if kind == "v":
            seen.values[rest] = Entry.of(item)
        elif kind == "n":
            seen.names[rest] = Entry.of(item)
        elif kind == "e":
            seen.expiries[where.sk] = item
        elif where.sk == "e!usage":
            seen.usage = Usage.of(item)


def shown(where: Key) -> str:
    """Return a place for people to read, on one line."""
    return f"{where.pk} {where.sk}".encode("unicode_escape").decode()


def all_owners(seen: SessionSeen) -> Iterator[UserId | None]:
    """Yield who spoke in a session, by what its turns say."""
    yield from dict.fromkeys(event.user_id for _, events in sorted(seen.turns.items()) for event in events)
