"""What the how-to for branches shows works as it stands: the program, and the commands."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from cairn import Memory
from cairn.local.cli import main

PAGE = (Path(__file__).resolve().parents[2] / "docs/how-to/try-something-on-a-branch.md").read_text(encoding="utf-8")
(PROGRAM,) = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
(COMMANDS,) = re.findall(r"^```sh\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    monkeypatch.setenv("CAIRN_EMBEDDING_EMBEDDER", "none")
    monkeypatch.setenv("CAIRN_USER", "ada")


def test_the_program_tries_something_and_merges_it(capsys: pytest.CaptureFixture[str]) -> None:
    known = dict[str, Any]()
    exec(compile(PROGRAM, "try-something-on-a-branch.md", "exec"), known)  # noqa: S102 - a page of this repository
    there, here, merged = capsys.readouterr().out.splitlines()
    assert "home: Bergen" in there
    assert "Bergen" not in here
    assert merged == "1"
    assert known["memory"].search("Where do I live?")[0].content == "home: Bergen"
    known["memory"].close()


@pytest.mark.parametrize("end", ["merge", "drop"])
def test_the_commands_make_list_and_end_a_branch(end: str) -> None:
    with Memory(user="ada", project="shop") as memory:
        memory.add("The theme is light.", turn_id="t1")
    run = CliRunner().invoke
    create, recall, list_, *_ = (line.partition("#")[0].split() for line in COMMANDS.splitlines())
    create, recall = (" ".join(each).replace('"', "").split()[1:] for each in (create, recall))
    assert run(main, create).output.splitlines()[-1] == "shop@try-1"
    assert "The theme is light." in run(main, recall).output
    assert run(main, ["remember", "The theme is dark.", "--project", "shop@try-1"]).exit_code == 0
    assert "shop@try-1" in run(main, list_[1:]).output
    ended = run(main, ["branch", end, "try-1", "--project", "shop"])
    assert ended.exit_code == 0, ended.output
    assert ("and 1 other change." in ended.output) == (end == "merge")
    asked = ["recall", "Which", "theme?", "--project", "shop"]
    assert ("dark" in run(main, asked).output) == (end == "merge")
    again = run(main, ["branch", end, "try-1", "--project", "shop"]).output
    assert again == ended.output if end == "merge" else "no such branch" in again
