"""The catalog: a tool is loaded when it is asked for by its name, all when they are looked through."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cairn.tool.catalog import Catalog, only
from cairn.tool.tool import Tool
from cairn_tools.catalog import CATALOG


@pytest.fixture
def loaded() -> list[str]:
    return []


@pytest.fixture
def catalog(loaded: list[str]) -> Catalog:
    def load(name: str) -> Tool:
        loaded.append(name)
        return replace(CATALOG[0], name=name)

    return Catalog(("first", "second", "third"), load)


def test_of_a_catalog_the_tool_that_is_named_is_loaded_alone(catalog: Catalog, loaded: list[str]) -> None:
    assert [tool.name for tool in only(catalog, "second")] == ["second"]
    assert only(catalog, "fourth") == []
    assert len(catalog) == 3
    assert loaded == ["second"]


def test_who_looks_through_a_catalog_finds_all_in_their_order(catalog: Catalog) -> None:
    assert [tool.name for tool in catalog] == ["first", "second", "third"]
    assert [tool.name for tool in catalog[1:]] == ["second", "third"]
    assert catalog[-1].name == "third"


def test_other_tools_are_found_by_their_name_too() -> None:
    assert only((CATALOG[0], CATALOG[1]), CATALOG[1].name) == [CATALOG[1]]
