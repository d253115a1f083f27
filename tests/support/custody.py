"""A store with something of everything in it, for tests of what an operator does to all of a tenant's data."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from cairn.archive.model import Deposit
from cairn.conversation.items import message, text_of
from cairn.conversation.turns import Completion
from cairn.custody.admission import admit
from cairn.custody.bundles import Bundles, DataScope, Record
from cairn.custody.erase_user import ErasedUser, EraseUser
from cairn.custody.records import record_of
from cairn.documents.model import Owner, Place, Wanted
from cairn.documents.store import Documents
from cairn.embedded.inventory import EmbeddedInventory
from cairn.ground.adapters import Adapters
from cairn.ground.ids import Digest, Project, SessionId, Tenant, TurnId, UserId
from cairn.ground.session import Session
from cairn.ground.settings import MemorySettings, Quotas, RecallScope
from cairn.ground.table import Key, Put
from cairn.items.model import ItemId, Log, LogName, OperationId
from cairn.memories.forget import forget
from cairn.memories.model import ForgetRequest, Note, RecallRequest
from cairn.memories.recall import recall
from cairn.memories.remember import remember
from cairn.recall.indexing import FEWEST
from cairn.services import Services
from cairn.sessions.layout import session_pk
from cairn.sessions.open_turns import OpenTurn
from cairn.turns import open_turns
from cairn.turns.after_turn import commit
from cairn.turns.before_turn import prepare
from cairn.turns.model import Preparation
from cairn.turns.run_turn import begin
from cairn.vault.vault import Vault
from support.items import item_logs, new
from support.services import services_over
from support.turns import cold

ACME = Tenant("acme")
GARDEN, KITCHEN = Project("garden"), Project("kitchen")
ADA, BOB = UserId("ada"), UserId("bob")
_CONSONANTS = str.maketrans("0123456789abcdef", "bcdfghjklmnpqrst")
LARGE = "".join(sha256(str(number).encode()).hexdigest() for number in range(2_200)).translate(_CONSONANTS)
"""A text that stays over 32 KB when it is compressed; as one word of no language its tokens are soon counted."""
SETTINGS = MemorySettings(recent_context_items=4)
SESSIONS = (("alone", "garden"), ("shared", "garden"), ("bobs", "garden"), ("alone", "kitchen"))
QUERIES = ("Where do I live, and what do I like?", "What should I plant next to the beans?")


def session(name: str, project: str = "garden", tenant: Tenant = ACME) -> Session:
    return Session(tenant, Project(project), SessionId(name))


ALONE, SHARED = session("alone"), session("shared")
MONTH = 30


@dataclass(frozen=True, slots=True)
class Household:
    """A store, and processes that use it."""

    adapters: Adapters
    inventory: EmbeddedInventory
    directory: Path

    @classmethod
    def over(cls, adapters: Adapters, directory: Path) -> Household:
        """Take the embedded store in this directory."""
        table: Any = adapters.table
        return cls(adapters, EmbeddedInventory(table, directory / "blobs"), directory)

    def services(self, adapters: Adapters | None = None) -> Services:
        """Return a process that has nothing in memory yet."""
        return services_over(adapters or self.adapters, SETTINGS)

    def say(self, where: Session, user: UserId | None, *texts: str, reply: str = "Noted.") -> None:
        """Commit a turn for each text, a minute apart."""
        clock: Any = self.adapters.clock
        services = self.services()
        for text in texts:
            name = f"t{clock.now():%d%H%M%S}-{where.session_id}"
            outputs = (message("assistant", reply, "output_text"),)
            turn = Completion(turn_id=TurnId(name), user_id=user, inputs=(message("user", text),), outputs=outputs)
            commit(services, where, turn)
            clock.advance(minutes=1)

    def keep(self, where: Key, plain: bytes, bound_to: Key | None = None) -> None:
        """Store an item whose blob is sealed for it, or for another place."""
        sealed = Vault(self.adapters).seal_blob(ACME, bound_to or where, plain)
        self.adapters.table.put(Put({"pk": where.pk, "sk": where.sk, "blob": self.adapters.blobs.put(ACME, sealed)}))

    def kept(self, where: Key, tenant: Tenant = ACME) -> bytes:
        """Return what such an item's blob holds."""
        item = self.adapters.table.get(where)
        assert item is not None
        return Vault(self.adapters).unseal_blob(
            tenant, where, self.adapters.blobs.get(tenant, Digest(str(item["blob"])))
        )

    def remember(self, where: Session, user: UserId | None, content: str, scope: RecallScope = "project") -> str:
        """Have an agent keep something, a second after what was before, and return its id."""
        self.later(seconds=1)
        return remember(self.services(), where, Note(content=content, scope=scope, user_id=user)).id

    def forget(self, where: Session, name: str, reason: str) -> None:
        forget(self.services(), where, ForgetRequest(id=name, reason=reason))

    def recalled(self, where: Session, user: UserId | None = None, services: Services | None = None) -> list[str]:
        """Return all that a process recalls of memories, ended ones too, the newest first."""
        question = RecallRequest(limit=50, include_superseded=True, user_id=user)
        found = recall(services or self.services(), where, question).found
        return [each.content for each in found if each.kind == "memory"]

    def archive(self, name: str, *tags: str) -> Digest:
        """Archive a session of this name, a minute after what was before, and return where it points."""
        self.later(minutes=1)
        kept = {"session_id": name, "summary": f"What {name} came to.", "tool_name": "planner", "success": True}
        return self.services().archive.store(ACME, Deposit(session_id=SessionId(name), tags=tags, session=kept)).digest

    def archived(self, tenant: Tenant = ACME) -> list[tuple[Any, ...]]:
        """Return what a process tells of all archived sessions, the newest first, and what each holds."""
        archive = self.services().archive
        return [
            (entry.session_id, entry.tags, entry.created_at, entry.tool_name, archive.retrieve(tenant, entry.digest))
            for entry in archive.query(tenant, "", [], 50)
        ]

    def maintain(self, *sessions: Session) -> None:
        for each in sessions:
            self.services().maintenance.run(each)

    def later(self, **duration: float) -> None:
        clock: Any = self.adapters.clock
        clock.advance(**duration)

    def move_in(self, turns: int = 3) -> Household:
        """Have Ada, Bob, and both with somebody unnamed say something; archive and summarise it."""
        self.say(session("alone"), ADA, "My name is Ada.", "I live in Oslo.", "I like beans.")
        self.say(session("alone"), ADA, "Keep this long one.", reply=LARGE)
        self.say(session("alone"), ADA, *(f"Row {number} holds beans of Ada's." for number in range(turns)))
        self.say(session("shared"), ADA, "I live in Oslo.", "Ada plants the marigolds.", reply="Marigolds, Ada.")
        self.say(session("shared"), BOB, "I live in Rome.", "Bob waters the beans.", reply="Beans, Bob.")
        self.say(session("shared"), None, "Somebody sings to the beans.")
        self.say(session("shared"), ADA, "Ada adds lilies.", reply=LARGE)
        self.say(session("shared"), BOB, "Bob adds basil.")
        self.say(session("bobs"), BOB, "I like basil.")
        self.say(session("alone", "kitchen"), ADA, "I like soup.")
        self.later(days=2)
        self.maintain(session("alone"), session("shared"))
        self.say(session("alone"), ADA, "I moved to Bergen.")
        self.say(session("shared"), ADA, "Ada sees the first sprout.")
        self.say(session("shared"), BOB, "Bob sees it too.")
        request = Preparation(current=(message("user", "Ada begins a turn."),), user_id=ADA)
        begin(self.services(), session("shared"), request)
        return self

    def furnish(self) -> Household:
        """Have a program keep something for Ada, for Bob, and for two projects."""
        for user, project in ((ADA, GARDEN), (BOB, GARDEN), (None, GARDEN), (ADA, KITCHEN), (None, KITCHEN)):
            self.keep_things(user, project)
        return self

    def keep_things(self, user: UserId | None, project: Project = GARDEN, tenant: Tenant = ACME) -> None:
        """Have a program keep items and documents: small, large, taken back and deleted ones."""
        logs, documents = item_logs(self.adapters), Documents(self.adapters, Vault(self.adapters), Quotas())
        whose = (user or "everyone").capitalize()
        for name in ("thread", "gone"):
            log = Log(tenant, project, user, LogName(f"{name} of {whose}"))
            said = [(f"{whose}-{number}", f"Item {number} of {whose}.") for number in range(6)]
            logs.append(log, new(*said[:4], state={"of": whose, "much": LARGE}))
            logs.append(log, new(*said[4:], (f"{whose}-large", f"{whose} {LARGE}")))
            logs.take_back(log, OperationId(f"undo of {whose}"), 2)
            logs.delete_items(log, [ItemId(said[0][0])])
        logs.delete_log(log)
        owner, places = Owner(tenant, project, user), [Place(("notes", whose), f"n{number}") for number in range(4)]
        wanted = [Wanted(place=place, value={"text": f"{whose} keeps {place.key}."}) for place in places]
        documents.put(
            owner, [*wanted, Wanted(place=Place((), f"large of {whose}"), value={"text": f"{whose} {LARGE}"})]
        )
        documents.put(owner, [Wanted(place=places[0]), replace(wanted[1], ttl_seconds=86_400 * 365)])

    def open(self) -> None:
        """Have the user's agent tell of a prompt and of a tool, and be told something; no end comes."""
        services, where = self.services(), session("opened")
        said = (message("user", "Ada asks her agent."),)
        turn = OpenTurn(turn_id=TurnId("opened"), user_id=ADA, at=self.adapters.clock.now(), inputs=said)
        open_turns.begin(services, where, turn)
        noted = replace(turn, inputs=(), notes=(message("tool", "Ada's tool answers."),))
        services.open_turns.note(where, noted, "t1")
        services.open_turns.tell(where, ADA, {turn.turn_id: ["ada"]})

    def index(self, where: Session = session("alone"), user: UserId = ADA) -> Household:  # noqa: B008 - a frozen value
        """Have the user say enough for a segment, and index it."""
        self.say(where, user, *(f"Word {number} of the beans." for number in range(FEWEST)))
        self.later(seconds=61)
        assert self.services().indexer.run(where.tenant, where.project, f"u:{user}").entries
        return self

    def answers(
        self, tenant: Tenant = ACME, adapters: Adapters | None = None, sessions: Sequence[tuple[str, str]] = SESSIONS
    ) -> dict[str, Any]:
        """Return what a process says to each user in each session, without the tags that its keys make."""
        services, found = self.services(adapters), dict[str, Any]()
        for name, project in sessions:
            where = session(name, project, tenant)
            found[f"{project}/{name}"] = [each.path for each in services.directories.list(where, "", 8, 200)]
            for user in (ADA, BOB):
                for query in QUERIES:
                    asked = Preparation(current=(message("user", query),), user_id=user, recall_scope="user")
                    prepared = prepare(services, where, asked)
                    found[f"{project}/{name}/{user}/{query}"] = list(map(_untagged, prepared.items))
        return found

    def history(self, where: Session) -> list[str]:
        """Return every text of a session, archived ones too."""
        services = services_over(self.adapters, SETTINGS)
        return [text_of(event.item) for _, events in services.sessions.history(where) for event in events]

    def raw(self) -> bytes:
        """Return every byte of the store's files."""
        return b"".join(path.read_bytes() for path in sorted(self.directory.rglob("*")) if path.is_file())

    def contents(self, tenant: Tenant = ACME) -> Iterator[str]:
        """Yield all that the tenant has, opened, with its keys."""
        services = services_over(self.adapters, SETTINGS)
        for item in self.inventory.items(tenant):
            yield f"{item['pk']} {item['sk']} {item.get('owners', '')}"
            if "kid" in item:
                yield json.dumps(services.vault.unseal(tenant, item), ensure_ascii=False)


def _untagged(item: Any) -> object:
    text = text_of(item)
    if not text.startswith('{"kind"'):
        return item
    return {name: value for name, value in json.loads(text).items() if name != "tag"}


def forms(text: str) -> list[bytes]:
    """Return how a text might be found: as it is, in UTF-16, in hexadecimal and in base64 at each offset."""
    raw = text.encode()
    shifted = [base64.b64encode(bytes(offset) + raw)[4 * (offset > 0) : -4].rstrip(b"=") for offset in range(3)]
    return [raw, raw.lower(), text.encode("utf-16-le"), raw.hex().encode(), *shifted]


def erase(house: Household, user: UserId = ADA, **scope: Any) -> ErasedUser:
    """Erase a user, Ada unless told."""
    return EraseUser(cold_services(house), house.inventory).run(DataScope(ACME, user=user, **scope))


def cold_services(house: Household, adapters: Adapters | None = None) -> Any:
    """Return the parts of a process that has nothing in memory yet."""
    return cold(adapters or house.adapters, recent_context_items=SETTINGS.recent_context_items)


def keeping(house: Household, days: int = MONTH, adapters: Adapters | None = None, **knobs: Any) -> Services:
    """Return a process for which sessions are kept so long."""
    settings = replace(SETTINGS, session_retention_days=days, session_lock_timeout_ms=0, **knobs)
    return services_over(adapters or house.adapters, settings)


def partition(house: Household, where: Session) -> list[str]:
    """Return the sort keys of all that is stored of a session."""
    return [str(item["sk"]) for item in house.inventory.items(ACME) if item["pk"] == session_pk(where)]


def exported(house: Household, **scope: Any) -> list[Record]:
    """Return the records as a bundle holds them: as JSON."""
    found = Bundles(house.adapters, house.inventory, Vault(house.adapters)).export(DataScope(ACME, **scope))
    return [json.loads(json.dumps(record)) for record in found]


def imported(records: list[Record], tenant: Tenant = ACME) -> list[Record]:
    """Return the records of a bundle as whoever imported them would export them."""
    return [record_of(tenant, admit(DataScope(tenant), each)[0]) for each in records]


def take_in(house: Household, records: list[Record], tenant: Tenant = ACME) -> list[bool]:
    return list(Bundles(house.adapters, house.inventory, Vault(house.adapters)).take_in(tenant, records))
