"""Claude's Agent SDK over Cairn: its conformance suite, its store in memory as the judge, and the real program."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from random import Random
from typing import Any, cast

import pytest
from claude_agent_sdk import (
    ClaudeAgentOptions,
    InMemorySessionStore,
    ResultMessage,
    SessionKey,
    SessionStore,
    SessionStoreEntry,
    fold_session_summary,
    list_sessions_from_store,
    project_key_for_directory,
    query,
)
from claude_agent_sdk.testing import run_session_store_conformance

from cairn import Memory
from cairn.frameworks.claude_agent_sdk import CairnSessionStore
from cairn.ground.errors import Unavailable
from support.agents import Model, served
from support.frameworks import Place, memory_in_memory, program

SEEDS = range(10)
COMMANDS = 1000
"""Of each seed."""
KEY: SessionKey = {"project_key": "-home-ada-garden", "session_id": "s1"}
SUBAGENT: SessionKey = {**KEY, "subpath": "subagents/agent-1"}
NAMES = ["monday", "a/b", "../x", "Grüße 🌱", "x" * 500, "\x00\n\ud800"]
QUIET = {"DISABLE_AUTOUPDATER": "1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"}


def entry(uuid: str | None, **more: Any) -> SessionStoreEntry:
    named = {} if uuid is None else {"uuid": uuid}
    return cast("SessionStoreEntry", {"type": "user", **named, **more})


def append(store: SessionStore, entries: list[SessionStoreEntry], key: SessionKey = KEY) -> None:
    asyncio.run(store.append(key, entries))


def load(store: SessionStore, key: SessionKey = KEY) -> list[SessionStoreEntry] | None:
    return asyncio.run(store.load(key))


def summary(store: SessionStore) -> dict[str, Any]:
    """Return the data of the only summary."""
    (found,) = asyncio.run(store.list_session_summaries(KEY["project_key"]))
    return found["data"]


def test_the_sdk_s_conformance_suite_passes_whole(new_place: Callable[[], Place]) -> None:
    made: list[CairnSessionStore] = []

    def make() -> CairnSessionStore:
        made.append(CairnSessionStore(new_place().memory(user="ada")))
        return made[-1]

    asyncio.run(run_session_store_conformance(make))

    assert len(made) == 15  # one for each of its 14 contracts, and one to see what there is


def test_a_call_of_the_store_is_one_of_the_server(place: Place) -> None:
    memory, door = place.counted(user="ada")
    store = CairnSessionStore(memory)

    append(store, [entry(str(number)) for number in range(64)])
    append(store, [entry("a", customTitle="Beans")])
    append(store, [entry("b")], SUBAGENT)
    load(store)
    asyncio.run(store.list_sessions(KEY["project_key"]))
    asyncio.run(store.list_session_summaries(KEY["project_key"]))
    asyncio.run(store.list_subkeys({"project_key": KEY["project_key"], "session_id": "s1"}))
    append(CairnSessionStore(memory), [entry("c")])
    asyncio.run(store.delete(KEY))

    lists = ["memory_list_item_logs"] * 3
    of_another = ["memory_append_items", "memory_read_items", "memory_append_items"]
    deleted = ["memory_list_item_logs", "memory_delete_items", "memory_delete_items"]
    assert door.calls == ["memory_append_items"] * 3 + ["memory_read_items", *lists, *of_another, *deleted]


def test_an_entry_is_stored_once_by_its_uuid(place: Place) -> None:
    store = CairnSessionStore(place.memory(user="ada"))

    append(store, [entry("a", n=1), entry("a", n=2), entry("b", n=3)])
    append(store, [entry("b", n=3), entry("a", n=4, text="x" * 600_000), entry("c", n=5)])
    append(CairnSessionStore(place.memory(user="ada")), [entry("c", n=5), entry("d", n=6)])

    assert load(store) == [entry("a", n=1), entry("b", n=3), entry("c", n=5), entry("d", n=6)]


def test_entries_without_a_uuid_are_all_stored(place: Place) -> None:
    store = CairnSessionStore(place.memory(user="ada"))

    append(store, [entry(None, tag="x"), entry(None, tag="x")])
    append(store, [entry(None, tag="x"), entry(None, tag="x")])

    assert load(store) == [entry(None, tag="x")] * 4


def test_a_batch_whose_answer_was_lost_is_stored_once(place: Place) -> None:
    memory, door = place.counted(user="ada")
    store = CairnSessionStore(memory)
    batch = [entry("a", customTitle="Beans"), entry(None, tag="x"), *(entry(f"b{number}") for number in range(70))]

    door.lose_next = 2
    append(store, batch)
    more = [entry(None, customTitle="Peas"), entry("c")]
    door.lose_next = 6
    with pytest.raises(Unavailable):
        append(store, more)
    append(store, more)

    assert load(store) == [*batch, *more]
    assert summary(store)["custom_title"] == "Peas"


def test_a_batch_that_failed_halfway_is_completed_by_the_next_try(place: Place) -> None:
    memory, door = place.counted(user="ada")
    store = CairnSessionStore(memory)
    batch = [entry(None, n=number, customTitle=str(number)) for number in range(100)]
    append(store, [entry("a")])

    asked = len(door.calls)
    behind, door.behind = door.behind, _Refusing(door.behind, after=1)
    with pytest.raises(Unavailable):
        append(store, batch)
    door.behind = behind
    half = load(store)
    half_title = summary(store)["custom_title"]
    append(store, batch)

    assert len(door.calls) > asked + 6
    assert half is not None
    assert (len(half), half_title) == (65, "63")
    assert load(store) == [entry("a"), *batch]
    assert summary(store)["custom_title"] == "99"


class _Refusing:
    """A door through which so many calls go, and then none."""

    def __init__(self, behind: Any, after: int) -> None:
        self.behind, self.left = behind, after
        self.where, self.project = behind.where, behind.project

    def knows_user(self) -> bool:
        return self.behind.knows_user()

    def call(self, tool: str, arguments: Any) -> dict[str, Any]:
        self.left -= 1
        if self.left < 0:
            raise Unavailable("The test lets it fail")
        return self.behind.call(tool, arguments)

    def close(self) -> None:
        self.behind.close()


def test_a_batch_that_was_there_already_takes_no_summary_back(place: Place) -> None:
    memory, door = place.counted(user="ada")
    store, other = CairnSessionStore(memory), CairnSessionStore(place.memory(user="ada"))

    door.lose_next = 6
    with pytest.raises(Unavailable):
        append(store, [entry("a", customTitle="Beans")])
    append(other, [entry("b", customTitle="Peas")])
    append(store, [entry("a", customTitle="Beans")])
    append(store, [entry("c", tag="x")])

    assert summary(store)["custom_title"] == "Peas"


def test_two_processes_append_to_a_session_and_its_summary_knows_of_both(place: Place) -> None:
    stores = [CairnSessionStore(place.memory(user="ada")) for _ in range(2)]
    batches = [[entry(f"{number}", gitBranch=f"branch-{number}")] for number in range(20)]

    async def race() -> None:
        await asyncio.gather(*(stores[number % 2].append(KEY, batch) for number, batch in enumerate(batches)))

    asyncio.run(race())
    stored = load(stores[0]) or []
    folded = fold_session_summary(None, KEY, stored)

    uuids = [each.get("uuid", "") for each in stored]
    assert sorted(uuids) == sorted(str(number) for number in range(len(batches)))
    assert summary(stores[1]) == folded["data"]
    for number in range(2):
        mine = [int(each) for each in uuids if int(each) % 2 == number]
        assert mine == sorted(mine)  # in the order of one process's calls


def test_users_projects_and_sessions_do_not_meet(place: Place) -> None:
    memory = place.memory(user="ada")
    keys: list[SessionKey] = [{"project_key": each, "session_id": other} for each in NAMES for other in NAMES[:3]]
    keys.append({"project_key": "x" * 501, "session_id": "monday"})
    keys.append({**keys[0], "subpath": "x" * 500})
    places = [(CairnSessionStore(memory), key) for key in keys]
    places += [
        (CairnSessionStore(memory, user="ben"), KEY),
        (CairnSessionStore(place.memory()), KEY),
        (CairnSessionStore(place.memory(project="other", user="ada")), KEY),
    ]

    for number, (store, key) in enumerate(places):
        append(store, [entry("a", n=number)], key)

    assert [load(*each) for each in places] == [[entry("a", n=number)] for number in range(len(places))]
    for name in NAMES:
        listed = asyncio.run(CairnSessionStore(memory).list_sessions(name))
        assert sorted(each["session_id"] for each in listed) == sorted(NAMES[:3])
    (subkey,) = asyncio.run(CairnSessionStore(memory).list_subkeys({"project_key": NAMES[0], "session_id": NAMES[0]}))
    assert subkey == "x" * 500


def test_any_entry_comes_back_however_large_deep_or_odd_it_is(place: Place) -> None:
    deep: Any = "deep"
    for _ in range(100):
        deep = [deep]
    odd = [
        entry("large", text='"Grüße 🌱\\' * 600_000),
        entry("odd", text="\x00\ud83c"),
        entry("deep", deep=deep),
        entry("many", many=[0] * 150_000),
        entry("like", **{"cairn/part": ["large", 1, 1], "text": "x", "cairn/json": "1"}),
        entry("u" * 500 + "\n\ud800", n=1),
    ]
    store = CairnSessionStore(place.memory(user="ada"))

    append(store, odd)

    assert load(CairnSessionStore(place.memory(user="ada"))) == odd


def test_an_empty_subpath_is_refused(place: Place) -> None:
    store = CairnSessionStore(place.memory(user="ada"))

    with pytest.raises(ValueError, match="subpath must not be empty"):
        append(store, [entry("a")], {**KEY, "subpath": ""})


def test_appends_that_are_not_awaited_are_stored_in_their_order_and_a_cancelled_one_too(place: Place) -> None:
    store = CairnSessionStore(place.memory(user="ada"))

    async def begun() -> None:
        tasks = [asyncio.ensure_future(store.append(KEY, [entry(str(number))])) for number in range(12)]
        await asyncio.sleep(0)
        tasks[5].cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    asyncio.run(begun())

    assert load(store) == [entry(str(number)) for number in range(12)]


class Drawn:
    """Random commands as an SDK and its helpers give them: fresh uuids, or none."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)  # noqa: S311 - commands that anybody may guess
        self.uuids = 0

    def key(self) -> SessionKey:
        key: SessionKey = {"project_key": self.random.choice("AB"), "session_id": self.random.choice(["s1", "s2", "é"])}
        if self.random.random() < 0.3:
            key["subpath"] = self.random.choice(["subagents/agent-1", "subagents/workflows/run/agent-2"])
        return key

    def entry(self) -> SessionStoreEntry:
        self.uuids += 1
        draw = self.random.choice
        more = {
            "timestamp": draw(["2026-01-01T00:00:00.000Z", "2026-01-02T00:00:00Z", "never"]),
            "message": {
                "content": draw(["Beans?", "<command-name>/clear</command-name>", [{"type": "text", "text": "x"}]])
            },
            "customTitle": draw(["Beans", "Grüße 🌱", None, "\ud83c"]),
            "tag": draw(["", "x"]),
            "gitBranch": draw(["main", 1]),
            "isSidechain": draw([True, False]),
        }
        kept = {name: value for name, value in more.items() if draw([True, False])}
        uuid = None if self.random.random() < 0.3 else f"uuid-{self.uuids}"
        return cast("SessionStoreEntry", {**entry(uuid), "type": draw(["user", "tag", "summary"]), **kept})

    def command(self) -> Callable[[SessionStore], Awaitable[Any]]:
        key, (name,) = (
            self.key(),
            self.random.choices(["append", "load", "list", "keys", "delete"], [45, 25, 15, 10, 5]),
        )
        entries = [self.entry() for _ in range(self.random.choice([1, 1, 2, 5]))]
        calls: dict[str, Callable[[SessionStore], Awaitable[Any]]] = {
            "append": lambda store: store.append(key, entries),
            "load": lambda store: store.load(key),
            "list": lambda store: listed(store, key["project_key"]),
            "keys": lambda store: subkeys(store, key),
            "delete": lambda store: store.delete(key),
        }
        return calls[name]


async def listed(store: SessionStore, project: str) -> Any:
    """Return the sessions and summaries of a project, without the times."""
    sessions = await store.list_sessions(project)
    summaries = await store.list_session_summaries(project)
    assert {each["session_id"]: each["mtime"] for each in sessions}.items() >= {
        each["session_id"]: each["mtime"] for each in summaries
    }.items()
    return sorted(each["session_id"] for each in sessions), sorted((s["session_id"], s["data"]) for s in summaries)


async def subkeys(store: SessionStore, key: SessionKey) -> list[str]:
    return sorted(await store.list_subkeys({"project_key": key["project_key"], "session_id": key["session_id"]}))


def held_to_the_store_in_memory(seed: int, memory: Memory, commands: int) -> None:
    """Play random commands, some of them in a store that was made anew."""
    drawn, theirs, ours = Drawn(seed), InMemorySessionStore(), CairnSessionStore(memory)

    async def play() -> None:
        nonlocal ours
        for number in range(commands):
            command = drawn.command()
            if drawn.random.random() < 0.1:
                ours = CairnSessionStore(memory)
            expected = json.dumps(await command(theirs))
            assert (seed, number, json.dumps(await command(ours))) == (seed, number, expected)

    asyncio.run(play())


@pytest.mark.parametrize("seed", SEEDS)
def test_random_commands_answer_as_the_sdk_s_store_in_memory(seed: int) -> None:
    memory, _ = memory_in_memory(user="ada", project="garden")

    held_to_the_store_in_memory(seed, memory, COMMANDS)


def test_random_commands_answer_as_the_sdk_s_store_wherever_the_memory_is(place: Place) -> None:
    held_to_the_store_in_memory(len(SEEDS), place.memory(user="ada"), 200 if place.key is None else 100)


def said(prompt: str, home: Path, work: Path, url: str, **options: Any) -> ResultMessage:
    """Have the real program answer on a machine with this home, and return how that ended."""
    home.mkdir()
    work.mkdir(exist_ok=True)
    environ = {**QUIET, "HOME": str(home), "ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": "sk-ant-dummy"}

    async def play() -> ResultMessage:
        asked = query(prompt=prompt, options=ClaudeAgentOptions(cwd=work, env=environ, **options))
        return [message async for message in asked if isinstance(message, ResultMessage)][-1]

    return asyncio.run(play())


@pytest.mark.enable_socket
def test_the_real_program_goes_on_with_a_session_on_another_machine(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, work = Model(says="Then water them."), tmp_path / "garden"
    with served(model) as url:
        store = CairnSessionStore(place.memory(user="ada"))
        monkeypatch.setenv("HOME", str(tmp_path / "one"))
        ended = said("I grow beans in Oslo.", tmp_path / "one", work, url, session_store=store)
        model.asked.clear()
        monkeypatch.setenv("HOME", str(tmp_path / "two"))
        elsewhere = CairnSessionStore(place.memory(user="ada"))
        resumed = said("And now?", tmp_path / "two", work, url, session_store=elsewhere, resume=ended.session_id)

    assert model.was_told("I grow beans in Oslo.")
    assert model.was_told("Then water them.")
    assert resumed.session_id == ended.session_id
    key: SessionKey = {"project_key": project_key_for_directory(work), "session_id": ended.session_id}
    stored = json.dumps(load(elsewhere, key))
    assert "I grow beans in Oslo." in stored
    assert "And now?" in stored
    (found,) = asyncio.run(list_sessions_from_store(elsewhere, str(work)))
    assert found.first_prompt == "I grow beans in Oslo."


@pytest.mark.enable_socket
def test_the_page_s_program_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = Model(says="In the north bed.")
    with served(model) as url:
        for name, value in {**QUIET, "ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": "sk-ant-dummy"}.items():
            monkeypatch.setenv(name, value)
        monkeypatch.chdir(tmp_path)
        program("use-with-claude-s-agent-sdk.md")
        monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "elsewhere"))
        program("use-with-claude-s-agent-sdk.md")

    assert json.dumps(model.asked[-1]["messages"]).count("Where do my beans grow?") == 2
