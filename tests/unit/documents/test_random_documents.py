"""10,000 random commands to two processes leave what a model of LangGraph's in-memory store has."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any, TypeAlias, cast

import pytest

from cairn.documents.collections import Listed
from cairn.documents.model import Index, Place, Sought, Wanted
from cairn.documents.store import Documents
from cairn.ground.adapters import Adapters
from cairn.ground.errors import Conflict
from cairn.process.system import in_turn
from conftest import CountingEntropy, FakeClock
from support.documents import ADA, counted, documents
from support.doubles import RepeatingKeyRing
from support.memory_store import MemoryBlobs, MemoryTable

COMMANDS = 10_000
COLLECTIONS = ((), ("a",), ("a", "b"), ("a", "b/c"), ("ab",), ("b", "a"), ("~", "*"))
KEYS = ("k", "k/", "~", "é")
WORDS = ("beans", "roses", "shed", "fence")
LIMIT = 7

Held: TypeAlias = dict[Place, tuple[Any, Index]]


class Model:
    """What documents are to be: values under places, filtered by equality and comparison, listed by collection."""

    def __init__(self) -> None:
        self.held: Held = {}
        self.versions: dict[Place, int] = {}

    def put(self, changes: list[Wanted]) -> bool:
        """Make all changes or none; tell whether they were made."""
        if any(each.if_version not in {None, self.versions.get(each.place, 0)} for each in changes):
            return False
        for each in changes:
            if each.value is None:
                self.held.pop(each.place, None)
            else:
                self.held[each.place] = (each.value, each.index)
        return True

    def search(self, sought: Sought) -> list[tuple[Place, Any]]:
        found = [
            (place, value)
            for place, (value, _) in self.held.items()
            if place.collection[: len(sought.collection)] == sought.collection
            and all(_holds(value.get(name), part) for name, part in sought.filter.items())
        ]
        return sorted(found, key=lambda each: each[0].sk)

    def collections(self, listed: Listed) -> list[tuple[str, ...]]:
        names = {place.collection for place in self.held}
        kept = [name for name in names if _begins(name, listed.prefix) and _begins(name[::-1], listed.suffix[::-1])]
        return sorted({name[: listed.max_depth] for name in kept})


def _holds(found: Any, part: Any) -> bool:
    if not isinstance(part, dict):
        return bool(found == part)
    parts = cast("dict[str, Any]", part)
    checks: dict[str, Callable[[Any], bool]] = {
        "$eq": lambda other: found == other,
        "$ne": lambda other: found != other,
        "$gt": lambda other: found is not None and found > other,
        "$lte": lambda other: found is not None and found <= other,
    }
    return all(checks[name](other) for name, other in parts.items())


def _begins(name: tuple[str, ...], prefix: tuple[str, ...]) -> bool:
    return len(name) >= len(prefix) and all(want in {"*", have} for have, want in zip(name, prefix, strict=False))


class Trial:
    """The model beside two processes over one store."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.model = Model()
        self.adapters = Adapters(
            MemoryTable(), MemoryBlobs(), RepeatingKeyRing(), FakeClock(), CountingEntropy(), in_turn
        )
        self.processes = [documents(self.adapters) for _ in range(2)]

    @property
    def process(self) -> Documents:
        return self.random.choice(self.processes)

    def place(self) -> Place:
        return Place(self.random.choice(COLLECTIONS), self.random.choice(KEYS))

    def put(self) -> None:
        places = list({self.place(): None for _ in range(self.random.choice((1, 1, 1, 3)))})
        changes = [self.change(place) for place in places]
        made = self.model.put(changes)
        try:
            versions = self.process.put(ADA, changes)
        except Conflict:
            assert not made
            return
        assert made
        self.model.versions |= dict(zip(places, versions, strict=True))

    def change(self, place: Place) -> Wanted:
        draw = self.random
        words = [draw.choice(WORDS) for _ in range(draw.randrange(4))]
        value = {"text": " ".join(words), "n": draw.randrange(5)} if draw.random() < 0.75 else None
        known = self.model.versions.get(place, 0)
        version = draw.choice((None, None, None, known, known + 1))
        return Wanted(place=place, value=value, index=draw.choice((None, None, False, ("text",))), if_version=version)

    def get(self) -> None:
        places = [self.place() for _ in range(3)]
        expected = [self.model.held.get(place, (None,))[0] for place in places]
        assert [each and each.value for each in self.process.get(ADA, places)] == expected

    def listed(self) -> None:
        draw = self.random
        filters: tuple[dict[str, Any], ...] = ({}, {}, {"n": 2}, {"n": {"$gt": 1, "$ne": 3}}, {"n": {"$lte": 1}})
        collection, offset = draw.choice(COLLECTIONS), draw.choice((0, 0, 3))
        sought = Sought(collection=collection, filter=draw.choice(filters), limit=LIMIT, offset=offset)
        expected = self.model.search(sought)
        found = self.process.search(ADA, sought)
        assert [(hit.document.place, hit.document.value) for hit in found.hits] == expected[offset : offset + LIMIT]
        assert found.more == (len(expected) > offset + LIMIT)

    def searched(self) -> None:
        draw = self.random
        collection, word = draw.choice(COLLECTIONS), draw.choice(WORDS)
        sought = Sought(collection=collection, query=word, filter=draw.choice(({}, {"n": 2})), limit=100)
        expected = dict(self.model.search(sought))
        hits = self.process.search(ADA, sought).hits
        assert {hit.document.place: hit.document.value for hit in hits} == expected
        assert len(hits) == len(expected)
        ranks = [-1.0 if hit.score is None else hit.score for hit in hits]
        assert ranks == sorted(ranks, reverse=True)
        for hit in hits:
            index = self.model.held[hit.document.place][1]
            has_text = index is not False and bool(hit.document.value["text"] or index is None)
            assert (hit.score is None) == (not has_text)
            assert bool(hit.score) == (has_text and word in hit.document.value["text"])

    def collections(self) -> None:
        draw = self.random
        listed = Listed(
            prefix=draw.choice(((), (), ("a",), ("*", "b/c"), ("a", "*"))),
            suffix=draw.choice(((), (), ("a",), ("*",), ("b", "*"))),
            max_depth=draw.choice((None, None, 1)),
            limit=3,
            offset=draw.choice((0, 2)),
        )
        expected = self.model.collections(listed)
        page, more = self.process.collections(ADA, listed)
        assert page == expected[listed.offset : listed.offset + 3]
        assert more == (len(expected) > listed.offset + 3)


@pytest.mark.slow
def test_random_commands_leave_what_a_model_has() -> None:
    trial = Trial(Random(21))  # noqa: S311 - not for secrets
    commands = [trial.put] * 5 + [trial.get, trial.listed, trial.searched, trial.collections]
    for _ in range(COMMANDS):
        trial.adapters.clock.sleep(1)
        trial.random.choice(commands)()
    kept, recounted = counted(trial.adapters)
    assert kept == recounted
