"""The built functions that `make runtime` names, each under Lambda's own runtime; without them there are no tests."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from lambda_runtime import Function, Sandbox, running

collect_ignore_glob = [] if "RUNTIME_FUNCTIONS" in os.environ else ["test_*.py"]


def functions() -> list[Function]:
    """Return every function of the deployed template."""
    return [Function(**each) for each in json.loads(os.environ.get("RUNTIME_FUNCTIONS", "[]"))]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test that takes `function` for each of them."""
    if "function" in metafunc.fixturenames:
        metafunc.parametrize("function", functions(), ids=lambda each: each.name, scope="module")


@pytest.fixture(scope="session")
def deployed() -> dict[str, Function]:
    return {each.name: each for each in functions()}


@pytest.fixture(scope="module")
def sandbox(function: Function, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sandbox]:
    """Run one function."""
    with running(function, tmp_path_factory.mktemp("log") / "function.log") as started:
        yield started


@pytest.fixture
def faulty(tmp_path: Path) -> Iterator[Sandbox]:
    """Run a handler that fails as an event asks it to, with a second to answer in."""
    function = Function(name="faulty", handler="faulty_handler.handler", code=str(Path(__file__).parent), timeout=1)
    with running(function, tmp_path / "function.log") as started:
        yield started
