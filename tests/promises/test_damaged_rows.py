"""One damaged row of any kind: whatever reads it answers as before, says that something is damaged, or refuses."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import timedelta
from hashlib import sha256
from typing import Any

import pytest

from cairn import wiring
from cairn.custody.opening import Opening, kind_of
from cairn.custody.scope import DataScope
from cairn.ground.adapters import Adapters
from cairn.ground.ids import Project, SessionId, Tenant
from cairn.ground.session import Session
from cairn.ground.settings import EnrichmentSettings, MemorySettings, RateSettings
from cairn.ground.table import FORMAT, Attributes, Key, Page, Query
from cairn.services import Services
from cairn.settings.settings import Settings
from cairn.tool.tool import Tool
from cairn.vault import data_key, vault
from cairn_tools.catalog import CATALOG
from support.canaries import EventOf, http
from support.services import services_over

ACME = Tenant("acme")
READING = [tool for tool in CATALOG if tool.read_only and not tool.own_machine_only and tool.family != "standard"]
TAKES_AWAY = {"deleteMemory", "forget", "memory_delete_items", "memory_revoke_key", "memory_take_back_turn"}
TOOLS = {tool.name: tool for tool in CATALOG}
MONDAY = {"project": "garden", "session_id": "monday", "user_id": "ada"}
SETTINGS: Mapping[str, Any] = {
    "memory": MemorySettings(recent_context_items=4),
    "enrichment": EnrichmentSettings(enabled=True),
    "rate_limits": RateSettings(tenant_per_second=0, tool_per_second=0, namespace_per_second=0),
}
OWNER = {"project": "garden", "user_id": "ada"}
LOG = {**OWNER, "log": "thread-1"}
BED = {"collection": ["notes", "beds"], "key": "north"}
LONG = "".join(sha256(str(number).encode()).hexdigest() for number in range(1200))
PLACE = frozenset({"pk", "sk", "ipk", "isk", "expires_at"})
ONLY_COLLECTED = {("i2", "o"), ("plans", "lines"), ("s", "drop"), ("tasks", "now")}
"""Kinds of rows that no tool reads to answer with, and that the calls here leave none of."""
MAY_LACK: Mapping[tuple[str, str], frozenset[str]] = {
    ("d", "d"): frozenset({"without indexed"}),
    ("keys", "data"): frozenset({"without created_at"}),
    ("k1", "e!usage"): frozenset({"without items"}),
    ("k1", "n"): frozenset({"without until"}),
    ("k1", "v"): frozenset({"without until"}),
    ("s", "e#~"): frozenset({"without across", "without archived_through", "without owners", "without seq"}),
}
"""What a sound row of a kind may be without, so that nobody can tell that it was lost."""
MAY_BE_EMPTY = {
    *{("d", "usage"), ("k0", "e!usage"), ("k1", "e!usage"), ("s", "e#}"), ("s", "e#~")},
    *{("audit0", "day"), ("audit0", "writer"), ("k0", "ns"), ("k1", "e#"), ("m1", "log"), ("projects", "project")},
    *{("s", "abstracts"), ("s", "op"), ("tasks", "part")},
}
"""Kinds of rows of which one that counts nothing, or says no more than its key, is sound."""
Kind = tuple[str, str]
Harm = Callable[[Attributes], Attributes | None]
Answer = tuple[int, str]


class Reading:
    """A table of which one row is damaged, and which notes what is read of it."""

    def __init__(self, table: Any) -> None:
        self._table = table
        self.harms: dict[Key, Harm] = {}
        self.read: set[Key] = set()

    def get(self, key: Key) -> Attributes | None:
        item = self._table.get(key)
        return item and self._seen(item)

    def query(self, query: Query) -> Page:
        page: Page = self._table.query(query)
        return replace(page, items=[seen for item in page.items if (seen := self._seen(item)) is not None])

    def __getattr__(self, name: str) -> Any:
        return getattr(self._table, name)

    def _seen(self, item: Attributes) -> Attributes | None:
        key = Key.of(item)
        self.read.add(key)
        return self.harms[key](item) if key in self.harms else item


def flipped(name: str) -> Harm:
    def harm(item: Attributes) -> Attributes:
        value = item.get(name)
        if not isinstance(value, bytes):
            return item
        middle = len(value) // 2
        return {**item, name: value[:middle] + bytes([value[middle] ^ 1]) + value[middle + 1 :]}

    return harm


def lacking(name: str) -> Harm:
    return lambda item: {other: value for other, value in item.items() if other != name}


def of_another_type(name: str) -> Harm:
    # An index may hold a part of an item only.
    return lambda item: {**item, name: 7 if isinstance(item[name], str) else "seven"} if name in item else item


def harms(item: Attributes) -> Iterator[tuple[str, Harm]]:
    yield "gone", lambda _: None
    for name in sorted(item.keys() - PLACE):
        yield f"without {name}", lacking(name)
        yield f"{name} of another type", of_another_type(name)
        if isinstance(item[name], bytes):
            yield f"{name} flipped", flipped(name)


def kind(key: Key) -> Kind:
    """Return what the program knows items of a key's kind by."""
    if key.pk.startswith("~"):
        return key.pk, key.sk.partition("#")[0]
    of_partition = kind_of(key.pk)
    if of_partition in {"audit1", "rates", "i1", "asked"}:
        return of_partition, ""
    named = key.sk.startswith("e#") and key.sk[2] not in "~}|" and "e#"
    return of_partition, named or (key.sk if key.sk.startswith("e#") else key.sk.partition("#")[0])


class World:
    """A store with rows of every kind, and what each reading tool answers of it, from the store alone."""

    def __init__(self, adapters: Adapters, settings: Settings, event_of: EventOf) -> None:
        self._stored: Any = adapters.table
        self._settings = settings
        self._http = http(event_of)
        self.table = Reading(adapters.table)
        self._adapters = replace(adapters, table=self.table)

    def fill(self) -> None:
        """Call every tool but those that take away, and let maintenance, indexer, sealer and tasks do their part."""
        services = services_over(replace(self._adapters, table=self._stored), self._settings)
        clock: Any = services.adapters.clock
        wiring.provide(services_over(services.adapters, replace(self._settings, rate_limits=RateSettings())))
        for tool in CATALOG:
            clock.sleep(61)
            if tool.name not in TAKES_AWAY:
                _, body = self._call(tool, tool.example)
                if tool.name == "store_session_to_cascade":
                    self._pointer = json.loads(body)["pointer"]
        wiring.provide(services)
        for number in range(6):
            self._say(f"t{number}", f"I like plum {number}. It is a fine plum.")
            clock.sleep(61)
        for number, data in enumerate((LONG, "Short.")):
            self._call(TOOLS["memory_append_items"], {**LOG, "items": [{"id": f"i{number}", "data": data}]})
            self._call(TOOLS["memory_take_back_items"], {**LOG, "operation_id": f"undo-{number}"})
            self._call(TOOLS["memory_put_documents"], {**OWNER, "documents": [{**BED, "value": {"text": data}}]})
        self._call(TOOLS["memory_append_items"], {**LOG, "items": [{"data": "Unnamed."}], "operation_id": "append-3"})
        self._call(
            TOOLS["remember"], {"project": "garden", "user_id": "ada", "content": "Ada grows beans.", "scope": "user"}
        )
        monday = Session(ACME, Project("garden"), SessionId("monday"))
        clock.sleep(15 * 86400)
        services.maintenance.run(monday)
        for _ in range(2):
            services.indexer.rebuild(ACME, monday.project, "u:ada")
        self._call(TOOLS["putMemory"], TOOLS["putMemory"].example)
        services.sealer.seal(ACME, timedelta(hours=1))
        services.tasks.run(ACME, services.tasks.start("export", DataScope(ACME), "k1", None))
        services.tasks.start("export", DataScope(ACME), "k1", None)

    def _say(self, turn: str, text: str) -> None:
        said = {
            "input_items": [{"role": "user", "content": text}],
            "output_items": [{"role": "assistant", "content": "Noted."}],
        }
        self._call(TOOLS["memory_after_turn"], {**MONDAY, "turn_id": turn, **said})
        self._call(TOOLS["memory_before_turn"], {**MONDAY, "turn_id": f"{turn}+", "current_input": "Plums?"})

    def _call(self, tool: Tool, arguments: Mapping[str, Any]) -> Answer:
        response = self._http(tool, dict(arguments))
        return response["statusCode"], response["body"]

    def rows(self) -> dict[Kind, list[Attributes]]:
        """Return all that is stored, by kind."""
        found: defaultdict[Kind, list[Attributes]] = defaultdict(list)
        for owner in ("acme#", "~credentials#", "~policies#"):
            after = None
            while page := self._stored.owned(owner, after):
                for item in page:
                    found[kind(Key.of(item))].append(item)
                after = Key.of(page[-1])
        return found

    def contents(self) -> dict[Key, Attributes]:
        """Return what is stored of memory: all but the records of calls, their rates, and the keys that open doors."""
        own = {"audit0", "audit1", "rates"}
        stored = {each: items for each, items in self.rows().items() if each[0] not in own and each[0][0] != "~"}
        return {Key.of(item): item for items in stored.values() for item in items}

    def readings(self) -> tuple[dict[str, Answer | None], Mapping[Key, list[Tool]]]:
        """Return what each tool answers, None where that changes by itself, and by each row the tools that read it."""
        first = {tool.name: self.answer(tool) for tool in READING}
        touched: defaultdict[Key, list[Tool]] = defaultdict(list)
        sound: dict[str, Answer | None] = {}
        self._call(TOOLS["memory_list_files"], {})
        for tool in READING:
            answer = self.answer(tool)
            sound[tool.name] = answer if answer == first[tool.name] else None
            for key in self.table.read:
                touched[key].append(tool)
        return sound, touched

    def services(self) -> Services:
        """Return a process that has nothing in memory yet."""
        return services_over(self._adapters, self._settings)

    def answer(self, tool: Tool) -> tuple[int, str]:
        """Return what a process that has nothing in memory yet answers."""
        wiring.provide(self.services())
        self.table.read.clear()
        return self._call(tool, {**tool.example, **({"pointer": self._pointer} if "pointer" in tool.example else {})})


def is_wrong(sound: Answer | None, answer: Answer, how: str) -> bool:
    """Tell whether an answer neither is what it was nor says that something is damaged, or gone where a row is gone."""
    status, body = answer
    if answer == sound:
        return False
    if status == 200:
        return sound is not None and '"damaged"' not in body and how != "gone"
    is_told = json.loads(body)["error"]["details"].get("reason") == "damaged"
    return not is_told and not (how == "gone" and status == 404)


@pytest.fixture
def new_world(adapters: Adapters, settings: Settings, event_of: EventOf) -> Iterator[Callable[[], World]]:
    def make() -> World:
        made = World(adapters, replace(settings, **SETTINGS), event_of)
        made.fill()
        return made

    yield make
    wiring.provide(None)


@pytest.fixture
def world(new_world: Callable[[], World]) -> World:
    return new_world()


@pytest.mark.req("R302")
@pytest.mark.slow
def test_whatever_row_is_damaged_no_tool_answers_as_if_it_were_not_there(world: World) -> None:
    sound, touched = world.readings()
    wrong: list[str] = []
    for each, items in sorted(world.rows().items()):
        item = max(items, key=lambda item: len(touched[Key.of(item)]))
        for how, harm in harms(item):
            world.table.harms = {Key.of(item): harm}
            answers = [(tool, world.answer(tool)) for tool in touched[Key.of(item)]]
            wrong += [
                f"{each} {how}: {tool.name} {answer[0]} {answer[1][:200]}"
                for tool, answer in answers
                if how not in MAY_LACK.get(each, ()) and is_wrong(sound[tool.name], answer, how)
            ]

    assert not wrong, "\n".join(wrong)


def test_a_row_of_every_kind_is_damaged_but_of_those_that_only_collectors_read(world: World) -> None:
    opened: Any = Opening(world.services())

    kinds: set[Kind] = set(opened._openers)

    assert kinds - set(world.rows()) <= ONLY_COLLECTED


def test_a_check_tells_a_sound_row_of_any_kind_from_an_empty_one(world: World) -> None:
    opening = Opening(world.services())
    rows = {each: items for each, items in world.rows().items() if each[0][0] != "~"}

    assert [item for items in rows.values() for item in items if opening.problem(item) is not None] == []
    empty = {each: {name: items[0][name] for name in items[0].keys() & PLACE} for each, items in rows.items()}
    assert {each for each, item in empty.items() if opening.problem(item) is None} == MAY_BE_EMPTY


@pytest.mark.req("R304")
@pytest.mark.slow
def test_what_a_program_of_a_newer_format_stored_is_refused_by_name_and_left_as_it_is(
    new_world: Callable[[], World], monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as newer:
        for module in (data_key, vault):
            newer.setattr(module, "FORMAT", FORMAT + 1)
        world = new_world()
    before = world.contents()

    answers = {tool.name: world.answer(tool)[1] for tool in CATALOG}

    assert [name for name, body in answers.items() if '"reason":"NewerFormat"' not in body] == []
    assert world.contents() == before
