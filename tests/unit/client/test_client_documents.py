"""Documents through the class that programs use: what it takes, gives, pages through and tells again."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from cairn import AsyncMemory, Memory
from cairn.client.async_documents import AsyncDocuments
from cairn.client.documents import Change, Document, Documents
from cairn.client.embedded import Embedded
from cairn.ground.errors import Conflict, InvalidArgument, Unavailable
from support.doubles import FakeClock

BEDS = ("notes", "beds")


@pytest.fixture
def notes(memory: Memory) -> Documents:
    return memory.documents(user="ada", project="garden")


def test_a_document_comes_back_with_what_is_known_of_it(notes: Documents) -> None:
    version = notes.put(BEDS, "north", {"rows": 4}, index=["text"], ttl_seconds=3600)

    found = notes.get(BEDS, "north")

    assert found is not None
    assert (found.collection, found.key, found.value, found.version) == (BEDS, "north", {"rows": 4}, version)
    assert found.created_at == found.updated_at
    assert found.expires_at == found.created_at + timedelta(hours=1)
    assert datetime.now(UTC) - found.created_at < timedelta(minutes=5)
    assert notes.get(BEDS, "south") is None


def test_users_and_the_project_have_documents_of_their_own(memory: Memory, notes: Documents) -> None:
    notes.put(BEDS, "north", 1)
    others = [
        memory.documents(user="bob", project="garden"),
        memory.documents(project="garden"),
        memory.documents(user="ada"),
    ]
    assert [other.get(BEDS, "north") for other in others] == [None, None, None]
    assert memory.documents(user_id="ada", project="garden", session="monday").get(BEDS, "north") is not None


def test_several_are_changed_together_or_not_at_all(notes: Documents) -> None:
    first, second = notes.put_all(
        [Change(collection=BEDS, key="north", value=1), Change(collection=(), key="gate", value=2, if_version=0)]
    )
    both = [Change(collection=BEDS, key="north", value=None), Change(collection=(), key="gate", value=3, if_version=0)]
    with pytest.raises(Conflict) as refused:
        notes.put_all(both)
    assert refused.value.details == {"documents": [{"collection": [], "key": "gate", "version": second}]}
    assert [each and each.value for each in notes.get_all([(BEDS, "north"), ((), "gate")])] == [1, 2]
    notes.delete(BEDS, "north", if_version=first)
    notes.delete(BEDS, "north")
    assert notes.get(BEDS, "north") is None


def test_what_one_answer_cannot_hold_is_asked_for_again(notes: Documents) -> None:
    for number in range(6):
        notes.put(("large",), str(number), "x" * 900_000, index=False)
    names = [(("large",), str(number)) for number in range(6)]
    names += [(("small",), str(number)) for number in range(100)]
    found = notes.get_all(names)
    assert [each is not None for each in found] == [True] * 6 + [False] * 100
    assert [each.key for each in notes.search(("large",), limit=6)] == ["0", "1", "2", "3", "4", "5"]


def test_more_is_found_and_listed_than_a_page_holds(notes: Documents) -> None:
    for start in range(0, 240, 40):
        changes = [Change(collection=("n", f"{n:03}"), key="k", value={"n": n}) for n in range(start, start + 40)]
        notes.put_all(changes)
    assert len(notes.search((), limit=1000)) == 240
    assert [each.value["n"] for each in notes.search((), limit=120, offset=110)] == list(range(110, 230))
    assert len(notes.search((), filter={"n": {"$lt": 150}}, limit=1000)) == 150
    assert len(notes.collections(limit=1000)) == 240
    assert notes.collections(("n", "*"), limit=2, offset=101) == (("n", "101"), ("n", "102"))
    assert notes.collections(max_depth=1) == (("n",),)
    assert notes.search((), limit=0) == ()
    keys = notes.search((), limit=120, offset=110, keys_only=True)
    assert [(each.key, each.value) for each in keys] == [
        (each.key, None) for each in notes.search((), limit=120, offset=110)
    ]


def test_a_collection_that_is_one_text_is_refused(notes: Documents) -> None:
    for call in (lambda: notes.put("notes", "k", 1), lambda: notes.search("notes"), lambda: notes.get("notes", "k")):
        with pytest.raises(InvalidArgument, match="collection"):
            call()
    with pytest.raises(InvalidArgument, match="index"):
        notes.put(BEDS, "k", 1, index="text")
    with pytest.raises(InvalidArgument, match="value"):
        notes.put(BEDS, "k", None)


def test_a_change_whose_answer_was_lost_is_made_once(clock: FakeClock) -> None:
    class Losing(Embedded):
        lost = 0

        def call(self, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
            answer = super().call(tool, arguments)
            if tool == "memory_put_documents" and self.lost < 2:
                self.lost += 1
                raise Unavailable("the answer was lost")
            return answer

    with Memory.through(Losing(None), clock, user="ada") as memory:
        notes = memory.documents()
        version = notes.put(BEDS, "north", 1, if_version=0)
        found = notes.get(BEDS, "north")
        assert found is not None
        assert found.version == version


def test_the_awaited_class_takes_the_same() -> None:
    async def main() -> tuple[Document | None, list[str]]:
        async with await AsyncMemory.open(user="ada") as memory:
            notes = memory.documents()
            version = await notes.put(BEDS, "north", {"text": "Four hours of sun."})
            await notes.put_all([Change(collection=BEDS, key="south", value={"text": "No sun."})])
            assert await notes.get_all([(BEDS, "west")]) == (None,)
            assert await notes.collections() == (BEDS,)
            hits = await notes.search(BEDS, "four hours", limit=1)
            assert (await notes.search(BEDS, limit=1, keys_only=True))[0].value is None
            await notes.delete(BEDS, "north", if_version=version)
            return await notes.get(BEDS, "north"), [hit.key for hit in hits]

    assert asyncio.run(main()) == (None, ["north"])
    for name in (name for name in vars(Documents) if not name.startswith("_")):
        given = [str(each) for each in inspect.signature(getattr(Documents, name)).parameters.values()]
        assert given == [str(each) for each in inspect.signature(getattr(AsyncDocuments, name)).parameters.values()], (
            name
        )
