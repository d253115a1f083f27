"""Which environment an adapter for a framework is checked in, and where its tests run."""

from __future__ import annotations

from pathlib import Path

import pytest

import frameworks

ADAPTERS = ("__init__", "pydantic_ai", "pydantic_ai_harness", "strands")
TESTS = ("test_pages", "test_pydantic_ai_agent", "test_pydantic_ai_harness", "test_strands", "conftest")


@pytest.fixture(autouse=True)
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder, names in ((frameworks.ADAPTERS, ADAPTERS), (frameworks.TESTS, TESTS)):
        (tmp_path / folder).mkdir(parents=True)
        for name in names:
            (tmp_path / folder / f"{name}.py").touch()
    monkeypatch.setattr(frameworks, "ROOT", tmp_path)


def test_an_adapter_is_in_one_environment() -> None:
    assert frameworks.adapters("together") == {"pydantic_ai_harness", "strands"}
    assert frameworks.adapters("pydantic-ai") == {"pydantic_ai"}


def test_a_test_runs_where_the_adapter_is_that_it_is_named_after() -> None:
    there = {name: [path.stem for path in frameworks.tests(name)] for name in frameworks.ENVIRONMENTS}

    assert there == {
        "together": ["test_pages", "test_pydantic_ai_harness", "test_strands"],
        "pydantic-ai": ["test_pydantic_ai_agent"],
    }
