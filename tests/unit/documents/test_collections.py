"""The collections that have documents are listed by how they begin and end, cut to a depth, by the page."""

from __future__ import annotations

from typing import Any

import pytest

from cairn.documents.collections import Listed
from cairn.documents.store import Documents
from cairn.ground.adapters import Adapters
from support.documents import ADA, documents, put

THERE = [
    (),
    ("notes",),
    ("notes", "beds"),
    ("notes", "beds", "north"),
    ("notes", "roses"),
    ("plans", "beds"),
    ("plans", "beds", "north"),
]


@pytest.fixture
def store(adapters: Adapters) -> Documents:
    """Return a store in which each collection has more documents than are read for a step, or one."""
    store = documents(adapters)
    for collection in THERE:
        for number in range(60 if collection == ("notes", "beds") else 1):
            put(store, collection, f"d{number}", number)
    put(store, ("plans", "gone"), "d", 1)
    put(store, ("plans", "gone"), "d", None)
    return store


@pytest.mark.parametrize(
    ("listed", "found"),
    [
        ({}, THERE),
        ({"prefix": ("notes",)}, THERE[1:5]),
        ({"prefix": ("*", "beds")}, [THERE[2], THERE[3], THERE[5], THERE[6]]),
        ({"prefix": ("notes", "*", "north")}, [THERE[3]]),
        ({"suffix": ("beds",)}, [THERE[2], THERE[5]]),
        ({"suffix": ("*", "north")}, [THERE[3], THERE[6]]),
        ({"suffix": ("plans", "*")}, [THERE[5]]),
        ({"prefix": ("plans",), "suffix": ("north",)}, [THERE[6]]),
        ({"max_depth": 1}, [(), ("notes",), ("plans",)]),
        ({"prefix": ("north",)}, []),
    ],
)
def test_collections_are_found_by_how_they_begin_and_end(
    store: Documents, listed: dict[str, Any], found: list[tuple[str, ...]]
) -> None:
    assert store.collections(ADA, Listed(**listed)) == (found, False)


def test_pages_together_name_every_collection_once_and_the_last_says_so(store: Documents) -> None:
    pages = [store.collections(ADA, Listed(limit=3, offset=offset)) for offset in (0, 3, 6)]
    assert pages == [(THERE[:3], True), (THERE[3:6], True), (THERE[6:], False)]
    assert store.collections(ADA, Listed(limit=len(THERE))) == (THERE, False)
