"""`cairn changes`: it does what the how-to shows."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from cairn import wiring
from cairn.access.api_keys import ALL_PROJECTS
from cairn.access.callers import Caller
from cairn.local.cli import main
from cairn.local.store import LOCAL_TENANT, open_store
from cairn.tool.call import Call
from support.bound import TOOLS

PAGE = Path(__file__).parents[3] / "docs/how-to/see-how-memory-changed.md"
OFF = {"CAIRN_EMBEDDING_EMBEDDER": "none"}
Run = Callable[..., Result]
pytestmark = [pytest.mark.req("R295"), pytest.mark.slow]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Return a data directory in which ada has said two things."""
    directory = tmp_path / "store"
    with open_store(directory, OFF):
        call = Call(Caller(LOCAL_TENANT, frozenset({"read", "write"}), "test", (ALL_PROJECTS,)), wiring.services())
        for turn, text in (("1", "I live in Oslo and grow beans."), ("2", "I moved to Bergen.")):
            names = {"project": "garden", "session_id": "monday", "user_id": "ada", "turn_id": turn}
            said = {"input_items": [{"role": "user", "content": text}], "output_items": []}
            assert TOOLS["memory_after_turn"].execute({**names, **said}, call)["ok"]
    return directory


@pytest.fixture
def cairn(home: Path) -> Run:
    def run(*arguments: str, **environment: str) -> Result:
        names = {"CAIRN_DATA": str(home), "CAIRN_PROJECT": "garden", "CAIRN_USER": "ada"}
        return CliRunner().invoke(main, list(arguments), env={**names, **OFF, **environment})

    return run


def shown() -> Iterator[tuple[list[str], list[str]]]:
    """Yield each command of `cairn` that the page shows, with the lines that it prints."""
    for block in re.findall(r"^```console\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            typed, *lines = part.rstrip("\n").split("\n")
            if typed.startswith(".venv/bin/cairn "):
                yield shlex.split(typed)[1:], lines


def test_the_commands_of_the_page_print_what_it_shows(cairn: Run) -> None:
    commands = list(shown())
    assert len(commands) == 4
    for words, lines in commands:
        result = cairn(*words, CAIRN_PROJECT="", CAIRN_USER="")
        printed = result.stdout.splitlines()
        assert result.exit_code == 0, (words, result.output)
        assert len(printed) == len(lines), (words, printed)
        for line, told in zip(lines, printed, strict=True):
            assert re.fullmatch(".+".join(map(re.escape, line.split("…"))), told), (line, told)


@pytest.mark.parametrize(
    ("options", "tool", "key"),
    [((), "memory_list_changes", "changes"), (("--days",), "memory_count_changes", "days")],
)
def test_json_is_the_tool_s_whole_answer(cairn: Run, options: tuple[str, ...], tool: str, key: str) -> None:
    result = cairn("changes", *options, "--json")

    answer = json.loads(result.stdout)
    assert (result.exit_code, set(answer)) == (0, TOOLS[tool].output_schema()["properties"].keys())
    assert answer[key]


def test_a_fact_s_id_leads_to_all_that_it_replaced_and_a_cursor_to_the_next_page(cairn: Run) -> None:
    bergen, oslo = json.loads(cairn("changes", "--json").stdout)["changes"]
    cairn("remember", "The north bed is cold.")

    assert json.loads(cairn("changes", oslo["id"], "--json").stdout)["changes"] == [bergen, oslo]
    first = json.loads(cairn("changes", bergen["id"], "--limit", "1", "--json").stdout)
    assert first["changes"] == [bergen]
    rest = cairn("changes", bergen["id"], "--cursor", first["cursor"], "--json")
    assert json.loads(rest.stdout)["changes"] == [oslo]


@pytest.mark.parametrize("options", [("f0",), ("--session", "nowhere"), ("--user", "eve"), ("--days", "--user", "eve")])
def test_where_nothing_changed_the_status_is_1_and_nothing_is_printed(cairn: Run, options: tuple[str, ...]) -> None:
    result = cairn("changes", *options)

    assert (result.exit_code, result.stdout, result.stderr) == (1, "", "Nothing is there.\n")


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--cursor", "nonsense"), "cursor"),
        (("--days", "--session", "monday"), "--days"),
        (("--limit", "0"), "--limit"),
    ],
)
def test_a_command_that_is_written_wrong_says_what_is_wrong(cairn: Run, options: tuple[str, ...], says: str) -> None:
    result = cairn("changes", *options)

    assert (result.exit_code, says in result.stderr) == (2, True)
