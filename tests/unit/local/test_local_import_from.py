"""`cairn import --from`: what it prints, where it looks, and how it ends."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from cairn.local.bring.sources import SOURCES
from cairn.local.cli import main
from cairn.local.commands.import_ import import_
from cairn.local.own_names import login_name
from support.brought import ClaudeCode, at, document

Run = Callable[..., Result]
HOW_TO = Path(__file__).parents[3] / "docs/how-to/bring-what-you-have.md"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Return a home in which Claude Code has written a session of two turns."""
    told = ClaudeCode()
    told.prompt("p1", "We use pnpm.", 0)
    told.answer("Noted.", 1)
    told.prompt("p2", "Is it built?", 5)
    told.answer("It is.", 6)
    told.write(tmp_path / "home" / ".claude" / "projects")
    return tmp_path / "home"


@pytest.fixture
def cairn(home: Path, data: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Return a function that runs `cairn` in this home."""
    monkeypatch.setenv("HOME", str(home))
    same = {"CAIRN_DATA": str(data), "XDG_CONFIG_HOME": None, "CLAUDE_CONFIG_DIR": None, "CODEX_HOME": None}
    same["CAIRN_EMBEDDING_EMBEDDER"] = "none"

    def run(*arguments: str, **environment: str) -> Result:
        return CliRunner().invoke(main, list(arguments), env={**same, **environment})

    return run


def test_every_source_that_can_be_chosen_is_known() -> None:
    (source,) = (each for each in import_.params if each.name == "source")
    choices: Any = source.type
    assert [*choices.choices] == [*SOURCES]


def test_a_source_is_read_where_it_is_as_a_rule_and_told_by_project_and_user(cairn: Run) -> None:
    result = cairn("import", "--from", "claude-code")
    assert (result.exit_code, result.stderr) == (0, "")
    names = f"widget, {login_name()}"
    assert result.stdout == (
        f"{names}: 2 turns of 1 sessions and 0 memories are new; 0 turns and 0 memories were there already\n"
    )
    told = cairn("sessions", "--project", "widget", "--json").stdout
    assert "We use pnpm." in told
    assert cairn("import", "--from", "claude-code").stdout == (
        f"{names}: 0 turns of 0 sessions and 0 memories are new; 2 turns and 0 memories were there already\n"
    )


def test_a_dry_run_says_what_would_be_and_stores_nothing(cairn: Run) -> None:
    for _ in range(2):
        told = cairn("import", "--from", "claude-code", "--dry-run")
        assert "2 turns of 1 sessions and 0 memories would be new" in told.stdout
        assert told.stderr.startswith("--from makes no plan")
    assert "pnpm" not in cairn("sessions", "--project", "widget", "--everyone", "--json").stdout


def test_project_and_user_are_those_of_this_machines_hooks_unless_they_are_named(cairn: Run, home: Path) -> None:
    dry = partial(cairn, "import", "--from", "claude-code", "--dry-run")
    assert dry(CAIRN_PROJECT="shed", CAIRN_USER="bob").stdout.startswith("shed, bob: ")
    said = {"url": "http://127.0.0.1:8765", "key": "k", "project": "barn", "user": "eve"}
    document(home / ".config" / "cairn" / "client.json", said)
    assert dry().stdout.startswith("barn, eve: ")
    assert dry("--project", "garden", "--user", "ada").stdout.startswith("garden, ada: ")


def test_a_line_that_cannot_be_read_is_named_without_what_is_in_it(cairn: Run, home: Path) -> None:
    (file,) = home.rglob("*.jsonl")
    with file.open("a", encoding="utf-8") as opened:
        opened.write('{"type": "user", "secret\n')
    result = cairn("import", "--from", "claude-code")
    assert (result.exit_code, result.stderr) == (1, f"{file}:5: cannot be read\n")
    assert "2 turns of 1 sessions" in result.stdout


def test_a_path_goes_before_the_usual_place(cairn: Run, tmp_path: Path) -> None:
    file = document(tmp_path / "mem0.json", [{"memory": "Likes tea.", "created_at": at(0)}])
    result = cairn("import", str(file), "--from", "mem0", "--project", "garden", "--user", "ada")
    assert result.stdout.startswith("garden, ada: 0 turns of 0 sessions and 1 memories are new")
    assert "Likes tea." in cairn("show", "--project", "garden", "--user", "ada").stdout


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--from", "mem0"), "--from mem0: name the PATH of its files"),
        (("--from", "codex"), "sessions is missing"),
        (("--from", "nothing"), "'nothing' is not one of"),
        (("--from", "codex", "--legacy", "."), "name a bundle, or"),
        ((".",), "a bundle is a file"),
    ],
)
def test_what_cannot_be_meant_is_refused(arguments: tuple[str, ...], told: str, cairn: Run) -> None:
    result = cairn("import", *arguments)
    assert result.exit_code == 2
    assert told in " ".join(result.stderr.split())


def test_where_nothing_is_found_it_says_so(cairn: Run, tmp_path: Path) -> None:
    result = cairn("import", str(tmp_path), "--from", "codex")
    assert (result.exit_code, result.stdout) == (0, "Nothing was found there.\n")


def test_the_record_of_calls_says_what_was_brought(cairn: Run) -> None:
    cairn("import", "--from", "claude-code", "--project", "garden")
    assert "cairn import --from claude-code" in cairn("audit", "list").stdout


def test_the_how_to_names_every_source_and_its_commands_are_taken(cairn: Run, tmp_path: Path) -> None:
    page = HOW_TO.read_text(encoding="utf-8")
    for name in SOURCES:
        assert f"--from {name}" in page
    lines = [line for line in page.splitlines() if line.startswith("$ .venv/bin/cairn import")]
    for line in lines:
        arguments = line.partition("#")[0].split()[2:]
        result = cairn(*(str(tmp_path) if "/" in each else each for each in arguments))
        assert result.exit_code == 0 or "is missing" in result.stderr, line
    assert len(lines) > len(SOURCES)
