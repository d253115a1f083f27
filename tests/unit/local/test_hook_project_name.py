"""The project of a folder: of its remote, its repository's folder, or its own name."""

from __future__ import annotations

from pathlib import Path

import pytest

from cairn.ground import ids
from cairn.local.hook.project_name import project_of

REMOTE = """[core]
	bare = false
[remote "upstream"]
	url = https://example.com/other/one
[remote "origin"]
	url = {}
"""


def repository(folder: Path, config: str) -> Path:
    (folder / ".git").mkdir(parents=True)
    (folder / ".git/config").write_text(config, encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("address", "project"),
    [
        ("https://github.com/owner/repo.git", "owner/repo"),
        ("https://github.com/owner/repo", "owner/repo"),
        ("https://ada:token@github.com/owner/repo.git/", "owner/repo"),
        ("git@github.com:owner/repo.git", "owner/repo"),
        ("github.com:owner/repo.git", "owner/repo"),
        ("ssh://git@github.com:22/owner/repo.git", "owner/repo"),
        ("https://gitlab.com/group/team/repo.git", "team/repo"),
        ("https://example.com/repo.git", "repo"),
        ("git@example.com:repo.git", "repo"),
        ("/srv/git/repo.git", "git/repo"),
        ("../repo.git", "repo"),
        ("file:///srv/repo.git", "srv/repo"),
        ("https://example.com/my%20team/repo", "my-team/repo"),
        ('"https://github.com/owner/repo.git"', "owner/repo"),
        ("https://github.com/owner/repo.git ; the main one", "owner/repo"),
        ("https://github.com/owner/repo.js.git", "owner/repo.js"),
        ("https://example.com/", "shed"),
        ("https://[broken/owner/repo", "owner/repo"),
        ("", "shed"),
    ],
)
def test_a_clone_is_the_project_of_its_remote(tmp_path: Path, address: str, project: str) -> None:
    folder = repository(tmp_path / "shed", REMOTE.format(address)) / "src/deep"
    folder.mkdir(parents=True)

    assert project_of(folder) == project


@pytest.mark.parametrize(
    "config", ["", "[core]\n", '[remote "fork"]\nurl = a:b/c\n', "[remote]\nurl = a:b/c", "\x00[["]
)
def test_a_repository_without_a_remote_is_named_as_its_folder(tmp_path: Path, config: str) -> None:
    folder = repository(tmp_path / "shed", config) / "src"
    folder.mkdir()

    assert project_of(folder) == "shed"


def test_a_name_in_other_letters_of_git_s_own_counts_too(tmp_path: Path) -> None:
    assert project_of(repository(tmp_path / "shed", '[Remote "origin"] URL=git@host:owner/repo\n')) == "owner/repo"


def test_a_worktree_is_the_project_of_its_repository(tmp_path: Path) -> None:
    main = repository(tmp_path / "main", REMOTE.format("git@host:owner/repo"))
    kept = main / ".git/worktrees/feature"
    kept.mkdir(parents=True)
    (kept / "commondir").write_text("../..\n", encoding="utf-8")
    (tmp_path / "feature").mkdir()
    (tmp_path / "feature/.git").write_text(f"gitdir: {kept}\n", encoding="utf-8")

    assert project_of(tmp_path / "feature") == "owner/repo"


@pytest.mark.parametrize("told", ["", "gitdir: elsewhere", "gitdir: a\0b", "nothing of git's"])
def test_a_git_file_that_leads_nowhere_leaves_the_folder_s_name(tmp_path: Path, told: str) -> None:
    (tmp_path / "shed").mkdir()
    (tmp_path / "shed/.git").write_text(told, encoding="utf-8")

    assert project_of(tmp_path / "shed") == "shed"


def test_a_submodule_is_a_project_of_its_own(tmp_path: Path) -> None:
    main = repository(tmp_path / "main", REMOTE.format("git@host:owner/repo"))
    (main / ".git/modules/part").mkdir(parents=True)
    (main / ".git/modules/part/config").write_text(REMOTE.format("git@host:owner/part"), encoding="utf-8")
    (main / "part").mkdir()
    (main / "part/.git").write_text("gitdir: ../.git/modules/part\n", encoding="utf-8")

    assert project_of(main / "part") == "owner/part"


@pytest.mark.parametrize(
    ("name", "project"),
    [
        ("garden", "garden"),
        ("my garden (1)", "my-garden-1"),
        ("a\nb", "a-b"),
        ("...", "..."),
        ("x" * 200, "x" * 128),
        ("---", "default"),
        ("café", "caf-98ad42b5"),
    ],
)
def test_a_folder_of_no_repository_is_named_as_itself(tmp_path: Path, name: str, project: str) -> None:
    assert project_of(tmp_path / name) == project


@pytest.mark.parametrize("names", [("проект", "задача"), ("庭", "家"), ("проект-1", "задача-1")])
def test_folders_named_in_other_alphabets_are_projects_apart(tmp_path: Path, names: tuple[str, str]) -> None:
    first, second = (project_of(tmp_path / each) for each in names)

    assert first != second
    assert ids.project(first) == first


def test_every_name_is_one_that_the_server_takes(tmp_path: Path) -> None:
    for address in (
        f"https://host/{'o' * 200}/{'r' * 200}",
        "https://host/дом/сад",
        "https://host/%00/%2e%2e",
        "a:b:c/d",
    ):
        folder = repository(tmp_path / str(len(address)), REMOTE.format(address))

        assert ids.project(project_of(folder))


def test_a_folder_that_is_not_there_or_has_no_name_is_a_project_too(tmp_path: Path) -> None:
    assert project_of(tmp_path / "gone") == "gone"
    assert project_of(Path("/")) == "default"
