"""The memory tool answers as Anthropic's local one does, command by command."""

from __future__ import annotations

from pathlib import Path

import pytest

from cairn.files import owners
from cairn.files.memory_files import MemoryFiles
from cairn.ground.adapters import Adapters
from cairn.ground.ids import Project, Tenant, UserId
from cairn.ground.session import Session
from cairn.ground.settings import Limits
from support.memory_tool import drawn, local, ours
from support.services import services_over

SEQUENCES, COMMANDS = 200, 50
SHORT = 40
"""How many of the sequences every run plays; all of them, 10,000 commands, are slow."""


def owner(user: str) -> Session:
    return owners.of_user(Tenant("acme"), Project("garden"), UserId(user))


@pytest.fixture
def memory(adapters: Adapters) -> MemoryFiles:
    return MemoryFiles(services_over(adapters), Limits())


@pytest.mark.req("R314")
@pytest.mark.parametrize(
    "sequences", [range(SHORT), pytest.param(range(SHORT, SEQUENCES), marks=pytest.mark.slow)], ids=["some", "rest"]
)
def test_random_commands_are_answered_as_by_anthropics_local_tool(
    sequences: range, memory: MemoryFiles, tmp_path: Path
) -> None:
    for seed in sequences:
        theirs, own = local(tmp_path / str(seed)), ours(memory, owner(f"user-{seed}"))
        for number, given in enumerate(drawn(seed, COMMANDS)):
            assert (seed, number, given, own(given)) == (seed, number, given, theirs(given))
