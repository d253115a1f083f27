"""Files of the client: commands, versions, operations, and directories that follow a user."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from cairn import AsyncMemory, Memory
from cairn.client.embedded import Embedded
from cairn.client.file_sync import REMOVED, STATE, Synced
from cairn.client.files import Files
from cairn.ground.errors import Conflict, InvalidArgument, NotFound, Unavailable
from support.doubles import FakeClock

NOTES = "/memories/notes.md"


class Forgetful(Embedded):
    """A door that loses the answer of each first call."""

    lost: int = 0

    def call(self, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        answer = super().call(tool, arguments)
        self.lost += 1
        if self.lost % 2:
            raise Unavailable("the test lost the answer")
        return answer


@pytest.fixture
def files(memory: Memory) -> Files:
    return memory.files(user="ada")


def test_the_commands_answer_in_the_words_of_the_tool(files: Files) -> None:
    assert files.create(NOTES, "one\ntwo\n") == f"File created successfully at: {NOTES}"
    assert files.insert(NOTES, 1, "between") == f"The file {NOTES} has been edited."
    assert files.str_replace(NOTES, "two", "2").endswith("\n     1\tone\n     2\tbetween\n     3\t2\n     4\t")
    assert files.view(NOTES, [2, 2]).endswith("\n     2\tbetween")
    assert files.rename(NOTES, "/memories/old.md") == f"Successfully renamed {NOTES} to /memories/old.md"
    assert files.view().split("\n")[1:] == ["4K\t/memories", "14B\t/memories/old.md"]
    assert files.delete("/memories/old.md") == "Successfully deleted /memories/old.md"


def test_what_the_tool_refuses_is_raised_in_its_words(files: Files) -> None:
    with pytest.raises(NotFound, match=r"^The path /memories/x does not exist\. Please provide a valid path\.$"):
        files.view("/memories/x")
    files.create(NOTES, "a a")
    with pytest.raises(Conflict, match=rf"^File {NOTES} already exists$"):
        files.create(NOTES, "")
    with pytest.raises(
        InvalidArgument, match=r"^No replacement was performed\. Multiple occurrences of old_str `a` in"
    ):
        files.str_replace(NOTES, "a", "b")
    with pytest.raises(InvalidArgument, match="file_text"):
        files.command({"command": "create", "path": NOTES})


def test_a_write_whose_answer_is_lost_is_done_once(home: Path, clock: FakeClock) -> None:
    with Memory.through(Forgetful(home / "data"), clock, user="ada") as memory:
        files = memory.files()
        assert files.create(NOTES, "beans").startswith("File created")
        assert files.insert(NOTES, 0, "peas") == f"The file {NOTES} has been edited."
        assert files.write(NOTES, "kale").version == 3
        assert [each.version for each in files.versions(NOTES)] == [1, 2, 3]


def test_a_write_holds_to_a_version_and_an_operation(files: Files) -> None:
    first = files.write(NOTES, "one", expected_version=0, operation_id="o1", fingerprint="f")

    again = files.write(NOTES, "one", expected_version=0, operation_id="o1", fingerprint="f")

    assert (first.version, first.existed, first.replayed) == (1, False, False)
    assert (again.version, again.existed, again.replayed) == (1, False, True)
    assert files.operation("o1", "f") == again
    assert files.operation("o2", "f") is None
    with pytest.raises(Conflict):
        files.operation("o1", "g")
    with pytest.raises(Conflict) as stale:
        files.write(NOTES, "two", expected_version=0)
    assert stale.value.details["version"] == 1
    assert files.write(NOTES, None).version is None
    assert files.read(NOTES) is None
    held = files.read(NOTES, 1)
    assert held is not None
    assert (held.content, held.operation_id) == ("one", "o1")


def test_a_file_tells_no_operation_that_the_client_made_up_for_its_retries(files: Files) -> None:
    files.write(NOTES, "one")
    files.create("/memories/two", "two")
    read = [files.read(path) for path in (NOTES, "/memories/two")]
    assert [each and each.operation_id for each in read] == [None, None]


def test_all_files_are_listed_however_many_there_are(files: Files, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cairn.client.files._PAGE", 2)
    for number in range(5):
        files.write(f"/memories/{number}", "x")
    assert [each.path for each in files.list()] == [f"/memories/{number}" for number in range(5)]
    assert len(files.list(limit=3)) == 3


def test_whose_files_are_meant_follows_from_who_is_named(memory: Memory) -> None:
    memory.files(user="ada", session="monday").write(NOTES, "ada's")
    memory.files(session="monday").write(NOTES, "monday's")
    memory.files().write(NOTES, "everyone's")

    def held(**names: Any) -> str | None:
        found = memory.files(**names).read(NOTES)
        return None if found is None else found.content

    assert [held(user="ada"), held(session="monday"), held()] == ["ada's", "monday's", "everyone's"]
    assert held(user="ada", session="monday", whose="session") == "monday's"
    assert held(user="ada", whose="project") == "everyone's"
    assert [held(user="bob"), held(session="tuesday"), held(project="kitchen")] == [None] * 3
    with pytest.raises(InvalidArgument, match="session_id"):
        held(user="ada", whose="session")


def test_an_event_loop_awaits_the_same_files() -> None:
    async def main() -> list[object]:
        async with AsyncMemory(user="ada") as memory:
            files = memory.files()
            said: list[object] = [await files.create(NOTES, "one"), await files.insert(NOTES, 1, "two")]
            said += [await files.str_replace(NOTES, "two", "2"), await files.view(NOTES)]
            said += [(await files.write(NOTES, "x", operation_id="o", fingerprint="f")).version]
            said += [await files.operation("o", "f"), await files.read(NOTES), await files.versions(NOTES)]
            said += [await files.list(), await files.rename(NOTES, "/memories/b"), await files.delete("/memories/b")]
            return [*said, await files.command({"command": "view", "path": "/memories"})]

    assert all(asyncio.run(main()))


class Machines:
    """Two directories that follow one user."""

    def __init__(self, files: Files, home: Path) -> None:
        self.files = files
        self.here, self.there = home / "laptop", home / "desktop"
        self.sync()

    def sync(self, *directories: Path) -> list[Synced]:
        return [self.files.sync(each) for each in directories or (self.here, self.there)]

    def held(self, directory: Path) -> dict[str, str]:
        found = (each.relative_to(directory) for each in directory.rglob("*") if each.is_file())
        return {str(path): (directory / path).read_text() for path in found if not str(path).startswith(".")}


@pytest.fixture
def machines(files: Files, home: Path) -> Machines:
    return Machines(files, home)


def test_a_memory_md_follows_its_user_from_machine_to_machine(machines: Machines) -> None:
    (machines.here / "MEMORY.md").write_text("Beans in row four.\n")
    (machines.here / "topics").mkdir()
    (machines.here / "topics" / "beans.md").write_bytes("Ä\r\n".encode())
    here, there = machines.sync()
    assert (here.pushed, there.pulled) == (["MEMORY.md", "topics/beans.md"], ["MEMORY.md", "topics/beans.md"])

    (machines.there / "MEMORY.md").write_text("Beans in row five.\n")
    machines.sync(machines.there, machines.here)
    (machines.there / "topics" / "beans.md").unlink()
    machines.sync(machines.there, machines.here)

    assert machines.held(machines.here) == machines.held(machines.there) == {"MEMORY.md": "Beans in row five.\n"}
    assert (machines.here / REMOVED / "topics" / "beans.md").read_bytes() == "Ä\r\n".encode()
    assert machines.sync() == [Synced(), Synced()]


def test_what_both_machines_changed_is_on_both_afterwards(machines: Machines) -> None:
    (machines.here / "MEMORY.md").write_text("beans\n")
    machines.sync()
    (machines.here / "MEMORY.md").write_text("beans and peas\n")
    (machines.there / "MEMORY.md").write_text("beans and kale\n")

    _, second = machines.sync()
    machines.sync()

    (copy,) = second.conflicts
    assert machines.held(machines.here) == {"MEMORY.md": "beans and peas\n", copy: "beans and kale\n"}
    assert machines.held(machines.there) == machines.held(machines.here)
    assert machines.sync() == [Synced(), Synced()]


def test_a_copy_that_the_store_refuses_stays_here_and_all_else_goes_on(machines: Machines) -> None:
    (machines.here / "MEMORY.md").write_text("beans\n")
    machines.sync()
    (machines.here / "MEMORY.md").write_text("beans and peas\n")
    (machines.there / "MEMORY.md").write_text("x" * 2_100_000)
    (machines.there / "other.md").write_text("kale\n")

    _, second = machines.sync()

    assert (second.skipped, second.conflicts, second.pushed) == (["MEMORY.md"], [], ["other.md"])
    assert machines.held(machines.there)["MEMORY.md"] == "x" * 2_100_000
    assert machines.held(machines.here)["MEMORY.md"] == "beans and peas\n"


@pytest.mark.parametrize("lost", [False, True])
def test_what_one_machine_changed_and_another_deleted_stays(machines: Machines, *, lost: bool) -> None:
    (machines.here / "MEMORY.md").write_text("beans\n")
    machines.sync()
    (machines.here / "MEMORY.md").unlink()
    (machines.there / "MEMORY.md").write_text("peas\n")
    first, second = (machines.there, machines.here) if lost else (machines.here, machines.there)

    machines.sync(first, second, first)

    assert machines.held(machines.here) == machines.held(machines.there) == {"MEMORY.md": "peas\n"}


def test_a_directory_that_lost_its_state_or_meets_other_files_loses_nothing(machines: Machines, memory: Memory) -> None:
    (machines.here / "MEMORY.md").write_text("beans\n")
    machines.sync()
    (machines.there / "MEMORY.md").write_text("peas\n")
    (machines.there / STATE).write_text("{")
    (done,) = machines.sync(machines.there)
    assert set(machines.held(machines.there).values()) == {"beans\n", "peas\n"}
    assert done.conflicts

    memory.files(user="bob").sync(machines.there)
    assert set(machines.held(machines.there).values()) == {"beans\n", "peas\n"}


def test_what_is_no_text_hidden_or_a_link_stays_here(machines: Machines, home: Path) -> None:
    (machines.here / "photo.png").write_bytes(b"\xff\xd8")
    (machines.here / ".env").write_text("secret")
    (home / "outside").write_text("outside")
    (machines.here / "link.md").symlink_to(home / "outside")
    (done,) = machines.sync(machines.here)
    assert (done.skipped, done.pushed, machines.files.list()) == (["photo.png"], [], ())


def test_a_file_of_the_store_is_written_through_no_link(machines: Machines, home: Path) -> None:
    machines.files.write("/memories/link/notes.md", "beans")
    (home / "outside").mkdir()
    (machines.here / "link").symlink_to(home / "outside")
    with pytest.raises(InvalidArgument, match="link"):
        machines.sync(machines.here)
    assert list((home / "outside").iterdir()) == []
