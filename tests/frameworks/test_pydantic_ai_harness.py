"""The harness's memory store over Cairn: as its own in-memory store, and under its own agent and tools."""

from __future__ import annotations

import asyncio
from random import Random
from typing import Any, cast

import pytest
from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai_harness.memory import InMemoryStore, MemoryOperation, MemoryStore, SearchableMemoryStore
from pydantic_ai_harness.memory import Memory as MemoryCapability

from cairn.client.files import Files, FileVersion
from cairn.frameworks.pydantic_ai_harness import CairnMemoryStore
from cairn.frameworks.pydantic_ai_harness_search import Bounds, found
from support.frameworks import Place

_PATHS = ("a", "b.md", "ns/MEMORY.md", "ns/x.md", "ns/deep/y", "..", "a..b", "", "ns/", "/ns", "ä", ".hidden")
_TEXTS = ("", "beans", "ä豆\r\n", "x" * 300, "Beans grow. " * 9 + "PEAS, too", "İ peas in md")
_QUERIES = ("beans", "peas beans", "md Ä", " ", "nothing", "x", "i")
_BOUNDS = {"limit": (0, 1, 9), "max_files": (0, 1, 2, 9), "max_chars": (-1, 2, 9, 40, 999), "max_file_chars": (5, 999)}


class Drawn:
    """Random calls on two stores, and what both said."""

    def __init__(self, seed: int, theirs: Any, ours: Any) -> None:
        self.random = Random(seed)  # noqa: S311 - has to be repeatable
        self.stores = (theirs, ours)
        self.versions: list[tuple[str | None, str | None]] = [(None, None), ("77777", "77777")]
        self.pairs: dict[str | None, str | None] = {None: None}

    async def step(self) -> None:
        """Make a call on both and hold their answers to each other."""
        draw, path = self.random, self.random.choice(_PATHS)
        known = draw.choice([self.versions[0], *self.versions[-4:]])
        operation = MemoryOperation(f"o{draw.randrange(9)}", f"f{draw.randrange(2)}") if draw.random() < 0.4 else None
        text, number = draw.choice(_TEXTS), draw.choice([0, 1, 3, 1000])
        what = draw.choice(["read", "write", "write", "write", "delete", "list", "operation", "search"])
        words, bounds = draw.choice(_QUERIES), {name: draw.choice(sizes) for name, sizes in _BOUNDS.items()}
        said, prefix = list[Any](), draw.choice(["", path, path[:2]])
        for at, store in enumerate(self.stores):
            given: dict[str, Any] = {"expected_version": known[at], "operation": operation}
            match what:
                case "read":
                    call = store.read(path, max_chars=number)
                case "write":
                    call = store.write(path, text, **given)
                case "delete":
                    call = store.delete(path, **given)
                case "list":
                    call = store.list_paths(prefix, limit=number)
                case "search":
                    call = store.search(prefix, words, **bounds)
                case _:
                    call = store.get_operation(operation or MemoryOperation("o1", "f1"))
            said.append(await _said(call))
        self._hold(what, path, *said)

    def _hold(self, what: str, path: str, theirs: Any, ours: Any) -> None:
        first, second = (getattr(each, "version", None) for each in (theirs, ours))
        assert _plain(ours) == _plain(theirs), (what, path)
        assert self.pairs.setdefault(first, second) == second, (what, path)
        if first is not None:
            self.versions.append((first, second))


async def _said(call: Any) -> Any:
    try:
        return await call
    except (ValueError, RuntimeError) as error:
        return type(error).__name__


def _plain(said: Any) -> Any:
    """Return an answer without the version, which each store counts in its own way."""
    if hasattr(said, "version"):
        fields = cast("dict[str, Any]", vars(said))
        return {**fields, "version": fields["version"] is not None}
    return said


@pytest.mark.parametrize("seed", range(4))
def test_random_calls_are_answered_as_by_the_harness_s_own_store(seed: int, place: Place) -> None:
    steps = 2_500 if place.key is None else 60

    async def main() -> None:
        drawn = Drawn(seed, InMemoryStore(), CairnMemoryStore(place.memory(user="ada")))
        for _ in range(steps):
            await drawn.step()

    asyncio.run(main())


def test_it_is_a_store_of_the_harness_and_each_call_is_one_round_trip(place: Place) -> None:
    memory, door = place.counted(user="ada")
    store = CairnMemoryStore(memory)
    assert isinstance(store, MemoryStore)
    assert isinstance(store, SearchableMemoryStore)

    async def main() -> None:
        door.lose_next = 1
        assert (await store.write("a", "x", expected_version=None)).version == "1"
        await store.read("a", max_chars=9)
        await store.list_paths(limit=9)
        await store.get_operation(MemoryOperation("o", "f"))
        await store.delete("a", expected_version="1")

    asyncio.run(main())
    assert len(door.calls) == 5 + 1


def test_what_one_agent_wrote_the_next_is_told(place: Place) -> None:
    store = CairnMemoryStore(place.memory(user="ada"))
    told: list[str] = []

    def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        told.append(repr(messages) + repr(info.instructions))
        writes = [tool for tool in info.function_tools if tool.name == "write_memory"]
        if len(told) == 1 and writes:
            return ModelResponse([ToolCallPart("write_memory", {"content": "The user grows beans."})])
        return ModelResponse([TextPart("Noted.")])

    for _ in range(2):
        agent = Agent(FunctionModel(model), capabilities=[MemoryCapability(store=store)])
        asyncio.run(agent.run("I grow beans."))
    assert "The user grows beans." in told[-1]


def test_words_are_found_and_shown_as_the_harness_s_own_store_finds_and_shows_them() -> None:
    draw = Random(7)  # noqa: S311 - has to be repeatable
    words = ("beans", "Peas", "a", "ä豆", "İ", "...", "md", "\n", "x" * 50)

    async def main() -> None:
        for _ in range(3_000):
            texts = (" ".join(draw.choices(words, k=draw.randrange(30))) for _ in range(9))
            files = {f"ns/{name}.md": text for name, text in zip(("a", "b", "beans", "md", "z"), texts, strict=False)}
            query = " ".join(draw.choices(words, k=draw.randrange(1, 3)))
            drawn = {"limit": draw.randrange(1, 6), "max_chars": draw.randrange(1, 200)}
            bounds = {**drawn, "max_files": 5, "max_file_chars": draw.choice([20, 300])}
            theirs = await InMemoryStore(files).search("ns/", query, **bounds)
            if query.split():
                assert found(sorted(files.items()), "ns/", query, Bounds(**bounds)) == theirs, (files, query, bounds)

    asyncio.run(main())


def test_a_search_lists_once_and_reads_no_more_files_than_it_may(place: Place) -> None:
    memory, door = place.counted(user="ada")
    store = CairnMemoryStore(memory)
    for name in ("a", "b", "c", "deep/d", "other"):
        memory.files().write(f"/memories/ns/{name}", f"beans in {name}")
    memory.files().write("/memories/elsewhere", "beans")
    door.calls.clear()

    bounds = {"limit": 9, "max_files": 3, "max_chars": 900, "max_file_chars": 900}
    result = asyncio.run(store.search("ns/", "beans", **bounds))

    assert [match.path for match in result.matches] == ["ns/a", "ns/b", "ns/c"]
    assert (result.scanned, result.truncated) == (3, True)
    assert sorted(door.calls) == ["memory_list_files", *["memory_read_file"] * 3]


def test_a_file_that_is_deleted_while_a_search_reads_is_left_out(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    files, listed = place.memory(user="ada").files(), Files.list
    files.write("/memories/ns/a", "beans")
    files.write("/memories/ns/b", "more beans")

    def then_deleted(self: Files, *asked: Any) -> tuple[FileVersion, ...]:
        found = listed(self, *asked)
        files.delete("/memories/ns/a")
        return found

    monkeypatch.setattr(Files, "list", then_deleted)
    bounds = {"limit": 9, "max_files": 9, "max_chars": 900, "max_file_chars": 900}
    result = asyncio.run(CairnMemoryStore(place.memory(user="ada")).search("ns/", "beans", **bounds))

    assert [(match.path, match.snippet) for match in result.matches] == [("ns/b", "more beans")]


def test_a_file_tells_the_operation_that_wrote_it_and_none_that_a_retry_was_for(place: Place) -> None:
    memory, door = place.counted(user="ada")
    store = CairnMemoryStore(memory)

    async def written(operation: MemoryOperation | None, version: str | None) -> str | None:
        door.lose_next = 1
        done = await store.write("a", "x", expected_version=version, operation=operation)
        file = await store.read("a", max_chars=9)
        assert file is not None
        assert file.version == done.version
        return file.operation_id

    assert asyncio.run(written(None, None)) is None
    assert asyncio.run(written(MemoryOperation("o", "f"), "1")) == "o"
    assert asyncio.run(written(None, "2")) is None
    earlier = [memory.files().read("/memories/a", number) for number in (1, 2, 3)]
    assert [each and each.operation_id for each in earlier] == [None, "o", None]
