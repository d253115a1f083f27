"""Real agents that `make agents` asks for; without that this folder has no tests."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from lambda_runtime import free_port
from support.agents import Model, programs, served
from support.desk import Desk, Server

collect_ignore_glob = [] if os.environ.get("AGENTS") else ["test_*.py"]
TIMES = pytest.StashKey[list[str]]()


@pytest.fixture(scope="session")
def found() -> Mapping[str, Sequence[str]]:
    return programs()


@pytest.fixture
def desk(tmp_path: Path, found: Mapping[str, Sequence[str]]) -> Iterator[Desk]:
    """Return a machine on which `cairn serve` runs and no agent is connected yet."""
    model, server = Model(), Server(tmp_path / "data", free_port())
    with served(model) as url:
        server.start()
        yield Desk(tmp_path, model, url, server, found)
        server.stop()


@pytest.fixture
def times(request: pytest.FixtureRequest) -> list[str]:
    """Lines that are printed at the end."""
    return request.config.stash.setdefault(TIMES, [])


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Print how long hooks took."""
    lines = config.stash.get(TIMES, list[str]())
    if lines:
        terminalreporter.section("what hooks cost")
        for line in lines:
            terminalreporter.write_line(line)
