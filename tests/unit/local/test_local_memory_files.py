"""`cairn files log` and `restore`: the versions of memory files, for whoever runs the service."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import Result

from cairn import Memory
from cairn.client.files import Files

NOTES = "/memories/notes.md"
LINE = re.compile(r"^ +(\d+) +(v\d+)  \d{4}-\d\d-\d\d \d\d:\d\d  /memories/notes\.md$", re.MULTILINE)
Run = Callable[..., Result]


@pytest.fixture
def kept(data: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Files]:
    monkeypatch.setenv("CAIRN_EMBEDDING_EMBEDDER", "none")
    with Memory(data, project="garden") as memory:
        files = memory.files(user="ada")
        files.create(NOTES, "beans\n")
        files.write(NOTES, "beans and peas\n")
        memory.files(session="monday").create(NOTES, "monday's\n")
        memory.files().create(NOTES, "everyone's notes\n")
        yield files


@pytest.mark.parametrize(
    ("whose", "shown"),
    [
        (("--user", "ada"), [("6", "v1"), ("15", "v2")]),
        (("--session", "monday"), [("9", "v1")]),
        ((), [("17", "v1")]),
    ],
)
@pytest.mark.usefixtures("kept")
def test_the_versions_of_a_file_are_listed(whose: tuple[str, ...], shown: list[tuple[str, str]], run: Run) -> None:
    result = run("files", "log", NOTES, "--project", "garden", *whose)
    assert result.exit_code == 0, result.output
    assert (
        re.findall(r"^ +(\d+) +(v\d+)  \d{4}-\d\d-\d\d \d\d:\d\d  /memories/notes\.md$", result.output, re.MULTILINE)
        == shown
    )


def test_a_version_is_restored_over_what_there_is_and_after_it_was_deleted(kept: Files, run: Run) -> None:
    of_ada = ("--project", "garden", "--user", "ada")
    assert run("files", "restore", NOTES, "1", *of_ada).output == f"{NOTES} is as in version 1, and has version 3\n"
    kept.delete(NOTES)
    assert run("files", "restore", NOTES, "2", *of_ada).exit_code == 0

    found = kept.read(NOTES)
    assert found is not None
    assert (found.content, [each.version for each in kept.versions(NOTES)]) == ("beans and peas\n", [1, 2, 3, 5])


@pytest.mark.parametrize(
    "arguments",
    [
        ("log", "/memories/none", "--user", "ada"),
        ("log", NOTES, "--user", "bob"),
        ("log", "/etc/passwd", "--user", "ada"),
        ("log", NOTES, "--user", "ada", "--session", "monday"),
        ("restore", NOTES, "9", "--user", "ada"),
        ("restore", NOTES, "0", "--user", "ada"),
    ],
)
@pytest.mark.usefixtures("kept")
def test_what_is_not_there_is_refused(arguments: tuple[str, ...], run: Run) -> None:
    result = run("files", *arguments, "--project", "garden")
    assert result.exit_code != 0
    assert "Traceback" not in result.output
