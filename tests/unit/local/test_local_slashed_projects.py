"""`cairn export`, `import`, `erase`, `check` and `files` of projects named `owner/repo`."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from cairn import wiring
from cairn.conversation.turns import Completion
from cairn.ground.ids import Project, SessionId, Tenant, UserId
from cairn.ground.session import Session
from cairn.local.store import open_store, operator_services
from cairn.turns.after_turn import commit
from support.turns import turn

pytestmark = pytest.mark.req("R284")

Run = Callable[..., Result]
NEIGHBOURS = ("owner", "repo", "owner/repo.x", "owner/repo/x")


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no command wait for calls that are under way; here are none."""

    def sleep(_clock: object, _seconds: float) -> None:
        pass

    monkeypatch.setattr("cairn.process.system.SystemClock.sleep", sleep)


def place(project: str) -> Session:
    return Session(Tenant("local"), Project(project), SessionId("repo"))


def said(data: Path, project: str) -> list[str]:
    history = operator_services(data, {}).sessions.history(place(project))
    return [str(event.item["content"][0]["text"]) for _, events in history for event in events]


@pytest.fixture
def told(data: Path) -> list[str]:
    """Let Ada say something in a project named with a slash and in those whose names share a part with it."""
    texts = {each: f"I live in {each}." for each in ("owner/repo", *NEIGHBOURS)}
    with open_store(data, {}):
        for project, text in texts.items():
            words = turn(f"turn-{project}".replace("/", "-"), text)
            whose = Completion(turn_id=words.turn_id, inputs=words.inputs, outputs=words.outputs, user_id=UserId("ada"))
            commit(wiring.services(), place(project), whose)
    return [texts["owner/repo"], "Noted."]


def test_such_a_project_is_exported_erased_and_brought_back_and_no_neighbour_with_it(
    told: list[str], run: Run, data: Path, tmp_path: Path
) -> None:
    bundle, other = tmp_path / "one.zip", tmp_path / "other"
    before = {each: said(data, each) for each in NEIGHBOURS}
    checked = run("check")
    assert checked.exit_code == 0, checked.output

    assert run("export", str(bundle), "--project", "owner/repo").exit_code == 0
    erased = run("erase", "--user", "ada", "--project", "owner/repo", "--yes")

    assert erased.exit_code == 0, erased.output
    assert said(data, "owner/repo") == []
    assert {each: said(data, each) for each in NEIGHBOURS} == before
    refused = run("import", str(bundle), "--project", "owner")
    assert refused.exit_code != 0
    assert run("import", str(bundle)).exit_code == 0
    assert said(data, "owner/repo") == told
    assert run("import", str(bundle), at=other).exit_code == 0
    assert said(other, "owner/repo") == told
    assert [said(other, each) for each in NEIGHBOURS] == [[]] * len(NEIGHBOURS)
    with zipfile.ZipFile(bundle) as file:
        assert not any("owner" in name for name in file.namelist()), "no path of a bundle is a caller's"


def test_erasing_in_a_neighbour_leaves_the_project(run: Run, data: Path, told: list[str]) -> None:
    assert run("erase", "--user", "ada", "--project", "owner", "--yes").exit_code == 0

    assert (said(data, "owner"), said(data, "owner/repo")) == ([], told)
    assert run("erase", "--user", "ada", "--yes").exit_code == 0
    assert [said(data, each) for each in ("owner/repo", *NEIGHBOURS)] == [[]] * 5


@pytest.mark.usefixtures("told")
def test_files_of_such_a_project_s_session_are_copied_to_where_they_belong(run: Run, tmp_path: Path) -> None:
    target = tmp_path / "out"

    copied = run("files", "export", "--project", "owner/repo", "--session", "repo", str(target))

    assert copied.exit_code == 0, copied.output
    assert any("owner/repo" in path.read_text(errors="replace") for path in target.rglob("*") if path.is_file())
    assert {path.name for path in tmp_path.iterdir()} <= {"out", "store"}
    assert run("files", "export", "--project", "../x", "--session", "repo", str(tmp_path / "no")).exit_code == 2
