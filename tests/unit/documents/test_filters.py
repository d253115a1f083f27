"""Filters match values as LangGraph's stores match them."""

from __future__ import annotations

from typing import Any

import pytest

from cairn.documents.matching import check_filter, matches
from cairn.ground.errors import InvalidArgument

VALUE = {
    "kind": "note",
    "rows": 4,
    "sun": "3.5",
    "tags": ["a", {"b": 1, "c": 2}],
    "bed": {"name": "north", "n": {"m": 1}},
}


@pytest.mark.parametrize(
    "wanted",
    [
        {},
        {"kind": "note"},
        {"absent": None},
        {"rows": {"$eq": 4}},
        {"rows": {"$ne": 5}},
        {"absent": {"$ne": 1}},
        {"rows": {"$ne": {"$in": [4]}}},
        {"rows": {"$gt": 3, "$lt": 5}},
        {"rows": {"$gte": 4, "$lte": "4"}},
        {"sun": {"$gt": 3}},
        {"bed": {"name": "north"}},
        {"bed": {"n": {"m": {"$gte": 1}}}},
        {"bed": {}},
        {"tags": ["a", {"b": 1}]},
        {"tags": {"$eq": ["a", {"b": 1, "c": 2}]}},
        {"kind": "note", "rows": 4},
    ],
)
def test_a_value_that_has_what_a_filter_wants_matches(wanted: dict[str, Any]) -> None:
    check_filter(wanted)
    assert matches(VALUE, wanted)


@pytest.mark.parametrize(
    "wanted",
    [
        {"kind": "other"},
        {"absent": 1},
        {"rows": {"$gt": 4}},
        {"rows": {"$lt": 4}},
        {"rows": {"$gte": 5}},
        {"rows": {"$lte": 3}},
        {"rows": {"$eq": 4, "$ne": 4}},
        {"kind": {"$gt": 1}},
        {"absent": {"$lt": 1}},
        {"rows": {"name": "north"}},
        {"bed": {"name": "north", "more": 1}},
        {"tags": ["a"]},
        {"tags": [{"b": 1}, "a"]},
        {"kind": ["n", "o", "t", "e"]},
        {"kind": "note", "rows": 5},
    ],
)
def test_a_value_that_lacks_something_of_it_does_not(wanted: dict[str, Any]) -> None:
    check_filter(wanted)
    assert not matches(VALUE, wanted)


@pytest.mark.parametrize("value", ["note", 4, ["note"], True])
def test_what_has_no_fields_matches_no_filter_but_the_empty_one(value: object) -> None:
    assert matches(value, {})
    assert not matches(value, {"kind": None})


UNKNOWN: tuple[dict[str, Any], ...] = (
    {"rows": {"$in": [1]}},
    {"bed": {"n": {"$near": 1}}},
    {"tags": [{"$or": []}]},
    {"rows": {"$gt": 1, "m": 2}},
)


@pytest.mark.parametrize("wanted", UNKNOWN)
def test_an_operator_that_there_is_not_is_refused(wanted: dict[str, Any]) -> None:
    with pytest.raises(InvalidArgument, match="filter"):
        check_filter(wanted)
