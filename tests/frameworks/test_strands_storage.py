"""Strands' storage over Cairn: as its own in memory."""

from __future__ import annotations

import asyncio
from random import Random
from typing import Any

import pytest
from strands.storage import InMemoryStorage, Storage
from strands.types.exceptions import StorageError

from cairn.frameworks.strands import CairnStorage
from support.frameworks import Place, memory_in_memory

KEYS = (
    *("a", "a/b", "/a//b/", "a/b/c", "a/bc", "ab", "ä豆/~1%", "%0041", "A", "\x00/\ud800", "x y", "."),
    *("", "/", "..", "a/../b", "a\\b", "1/2/3/4/5/6/7/8/9/10/11", "1/2/3/4/5/6/7/8/9"),
)
VALUES = (b"", b"beans", b"\x00\xff" * 9, "ä豆\r\n".encode(), b"\xed\xa0\x80", b"a\x00b", b"x" * 300_000)


async def answered(call: Any) -> Any:
    try:
        return await call
    except StorageError:
        return StorageError


def drawn(draw: Random, store: Storage, seed: int) -> Any:
    """Return a call of a store; the same of each store for the same seed."""
    draw.seed(seed)
    what, key = draw.choice(["write", "write", "read", "list", "delete"]), draw.choice(KEYS)
    match what:
        case "write":
            return store.write(key, draw.choice(VALUES if draw.random() < 0.1 else VALUES[:-1]))
        case "read":
            return store.read(key)
        case "list":
            return store.list(draw.choice(["", key, key[:2], key + "/"]))
        case _:
            return store.delete(key)


@pytest.mark.parametrize("seed", range(10))
def test_random_calls_are_answered_as_by_strands_own_storage(seed: int) -> None:
    async def main() -> None:
        theirs, ours = InMemoryStorage(), CairnStorage(memory_in_memory(user="ada", project="garden")[0])
        draw = Random(seed)  # noqa: S311 - has to be repeatable
        for number in range(seed * 1000, seed * 1000 + 1000):
            said = [await answered(drawn(draw, store, number)) for store in (theirs, ours)]
            assert said[1] == said[0], number

    asyncio.run(main())


def test_random_calls_are_answered_so_over_a_directory_and_a_server(place: Place) -> None:
    async def main() -> None:
        theirs, ours = InMemoryStorage(), CairnStorage(place.memory(user="ada"))
        draw = Random(1)  # noqa: S311 - has to be repeatable
        for number in range(90):
            said = [await answered(drawn(draw, store, number)) for store in (theirs, ours)]
            assert said[1] == said[0], number

    asyncio.run(main())


def test_calls_are_counted(place: Place) -> None:
    memory, door = place.counted(user="ada")
    storage = CairnStorage(memory)

    async def main() -> None:
        for call, trips in (
            (storage.write("a", b"beans"), 2),
            (storage.write("a", b"peas"), 2),
            (storage.read("a"), 1),
            (storage.list(""), 1),
            (storage.search("peas"), 1),
            (storage.delete("a"), 2),
            (storage.delete("a"), 1),
        ):
            del door.calls[:]
            await call
            assert len(door.calls) == trips

    asyncio.run(main())


def test_megabytes_come_back_and_leave_nothing(place: Place) -> None:
    storage, documents = CairnStorage(place.memory(user="ada")), place.memory(user="ada").documents()

    async def main() -> None:
        for data in (b"\x00\xff" * 1_500_000, '"\\ä'.encode() * 500_000, b"small"):
            await storage.write("a", data)
            assert await storage.read("a") == data
        assert len(documents.search(("strands-storage",), limit=100)) == 1
        await storage.write("a", b"\xff" * 1_000_000)
        await storage.delete("a")

    asyncio.run(main())
    assert documents.search(("strands-storage",), limit=100) == ()


def test_a_search_finds_texts_by_their_words_the_best_first(place: Place) -> None:
    storage = CairnStorage(place.memory(user="ada"))

    async def main() -> None:
        await storage.write("notes/beans", b"Beans grow in the north bed, beans like sun.")
        await storage.write("notes/long", b"Something else. " * 1000 + b"The beans are at the end.")
        await storage.write("notes/peas", b"Peas grow in the south bed.")
        await storage.write("notes/picture", b"\xffbeans")
        found = await storage.search("Where are beans?")
        assert [each.key for each in found] == ["notes/beans", "notes/long"]
        assert found[0].data == b"Beans grow in the north bed, beans like sun."
        assert found[0].score > found[1].score > 0
        assert await storage.search(" ") == []

    asyncio.run(main())


def test_a_lost_answer_is_no_matter_and_a_failure_is_strands_own_error(place: Place) -> None:
    memory, door = place.counted(user="ada")
    storage = CairnStorage(memory)

    async def main() -> None:
        for data in (b"one", b"two" * 200_000):
            door.lose_next, door.lose_of = 2, "memory_put_documents"
            await storage.write("a", data)
            assert await storage.read("a") == data
        door.fail_next = 9
        with pytest.raises(StorageError):
            await storage.read("a")
        door.fail_next = 9
        with pytest.raises(StorageError):
            await storage.write("a", b"")
        door.fail_next = 0
        with pytest.raises(StorageError):
            await storage.write("x" * 2000, b"")

    asyncio.run(main())


def test_users_and_projects_never_meet(place: Place) -> None:
    async def main() -> None:
        await CairnStorage(place.memory(user="ada")).write("a", b"beans")
        for other in (
            CairnStorage(place.memory(user="ben")),
            CairnStorage(place.memory(user="ada", project=f"{place.project}-2")),
            CairnStorage(place.memory()),
        ):
            assert await other.read("a") is None
            assert await other.list() == []
            assert await other.search("beans") == []

    asyncio.run(main())
