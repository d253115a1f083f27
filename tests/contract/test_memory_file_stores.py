"""Memory files on every store that Cairn has: the same words, versions and operations."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cairn.files import owners
from cairn.files.commands import Create, Remove, Rename, Write
from cairn.files.memory_files import Condition, MemoryFiles
from cairn.files.receipts import Operation
from cairn.ground.adapters import Adapters
from cairn.ground.errors import Conflict
from cairn.ground.ids import Project, Tenant, UserId
from cairn.ground.ports import Blobs, KeyRing, Table
from cairn.ground.settings import Limits
from cairn.process.system import in_turn
from support.custody import LARGE
from support.doubles import RecordingJobs
from support.memory_tool import drawn, local, ours
from support.services import services_over

ADA = owners.of_user(Tenant("acme"), Project("garden"), UserId("ada"))
NOTES = "/memories/notes.md"


@pytest.fixture
def files(*, table: Table, blobs: Blobs, keyring: KeyRing, clock: Any, entropy: Any) -> MemoryFiles:
    adapters = Adapters(table, blobs, keyring, clock, entropy, in_turn, RecordingJobs())
    return MemoryFiles(services_over(adapters), Limits(file_versions=3))


@pytest.mark.req("R314")
def test_random_commands_are_answered_as_by_the_local_tool_on_every_store(files: MemoryFiles, tmp_path: Path) -> None:
    theirs, own = local(tmp_path / "local"), ours(files, ADA)
    for number, given in enumerate(drawn(1, 60)):
        assert (number, given, own(given)) == (number, given, theirs(given))


def test_versions_and_operations_hold_on_every_store(files: MemoryFiles) -> None:
    once = Condition(version=0, operation=Operation("o1", "f1"))
    files.run(ADA, Create(NOTES, LARGE), once)
    for number in range(5):
        files.run(ADA, Write(NOTES, f"{number} {LARGE}"))

    assert files.run(ADA, Create(NOTES, LARGE), once).replayed
    with pytest.raises(Conflict):
        files.run(ADA, Write(NOTES, "x"), Condition(version=1))
    assert [each.version for each in files.versions(ADA, NOTES)] == [3, 4, 5, 6]
    files.run(ADA, Rename(NOTES, "/memories/dir/notes.md"))
    files.run(ADA, Remove("/memories/dir"))
    assert files.restore(ADA, NOTES, 4).version == 9
    found = files.read(ADA, NOTES)
    assert found is not None
    assert found.content == f"2 {LARGE}"
