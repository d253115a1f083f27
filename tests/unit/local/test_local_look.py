"""`cairn remember`, `recall`, `show`, `sessions`, `forget`, `correct` and more: they do what the how-tos show."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from cairn import wiring
from cairn.access.api_keys import ALL_PROJECTS
from cairn.access.callers import Caller
from cairn.local import tables
from cairn.local.cli import main
from cairn.local.own_names import login_name
from cairn.local.store import LOCAL_TENANT, open_store
from cairn.tool.call import Call
from support.bound import TOOLS

HOW_TO = Path(__file__).parents[3] / "docs/how-to"
PAGES = ("look-at-memory.md", "put-memory-right.md")
ID = re.compile(r"\b(?:[up]-[0-9a-f]{32}|[0-9A-Z]{26})\b")
OFF = {"CAIRN_EMBEDDING_EMBEDDER": "none"}
Run = Callable[..., Result]
pytestmark = [pytest.mark.req("R295"), pytest.mark.slow]


def say(call: Call, turn: str, text: str, answer: str = "", **names: str) -> None:
    where = {"project": "garden", "session_id": "monday", "user_id": "ada", **names}
    answers = [{"role": "assistant", "content": answer}] if answer else []
    given = {"turn_id": turn, "input_items": [{"role": "user", "content": text}], "output_items": answers}
    assert TOOLS["memory_after_turn"].execute({**where, **given}, call)["ok"]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Return a data directory in which ada has said two things."""
    directory = tmp_path / "store"
    with open_store(directory, OFF):
        call = Call(Caller(LOCAL_TENANT, frozenset({"read", "write"}), "test", (ALL_PROJECTS,)), wiring.services())
        say(call, "1", "I live in Oslo and grow beans.", "Lovely.")
        say(call, "2", "I moved to Bergen.")
    return directory


@pytest.fixture
def cairn(home: Path) -> Run:
    def run(*arguments: str, **environment: str) -> Result:
        names = {"CAIRN_DATA": str(home), "CAIRN_PROJECT": "garden", "CAIRN_USER": "ada"}
        return CliRunner().invoke(main, list(arguments), env={**names, **OFF, **environment})

    return run


def shown() -> Iterator[tuple[list[str], list[str]]]:
    """Yield each command of `cairn` that the pages show, in turn, with the lines that it prints."""
    text = "\n".join((HOW_TO / page).read_text(encoding="utf-8") for page in PAGES)
    for block in re.findall(r"^```console\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            typed, *lines = part.rstrip("\n").split("\n")
            if typed.startswith(".venv/bin/cairn "):
                yield shlex.split(typed)[1:], lines


def pattern(line: str) -> str:
    return ".+".join(map(re.escape, line.split("…")))


def test_the_commands_of_the_pages_print_what_they_show(cairn: Run) -> None:
    commands = list(shown())
    assert len(commands) == 14
    newest = ""
    for words, lines in commands:
        result = cairn(*(newest if word == "ID" else word for word in words), CAIRN_PROJECT="", CAIRN_USER="")
        printed = result.stdout.splitlines()
        newest = next(iter(ID.findall(result.stdout)), newest)
        assert result.exit_code == 0, (words, result.output)
        assert len(printed) == len(lines), (words, printed)
        for line, told in zip(lines, printed, strict=True):
            assert re.fullmatch(pattern(line), told), (line, told)


@pytest.mark.parametrize(
    ("command", "tool", "key"),
    [
        (("sessions",), "memory_list_sessions", "sessions"),
        (("sessions", "monday"), "memory_list_items", "items"),
        (("show",), "memory_list_known", "facts"),
        (("users",), "memory_list_users", "users"),
        (("projects",), "memory_list_projects", "projects"),
        (("recall", "Oslo"), "recall", "memories"),
        (("remember", "Beans like sun."), "remember", "memory_id"),
    ],
)
def test_json_is_the_tool_s_whole_answer(cairn: Run, command: tuple[str, ...], tool: str, key: str) -> None:
    result = cairn(*command, "--json")

    answer = json.loads(result.stdout)
    assert result.exit_code == 0
    assert answer[key]
    assert set(answer) <= TOOLS[tool].output_schema()["properties"].keys()


def test_a_memory_is_kept_found_forgotten_and_gone(cairn: Run) -> None:
    name = json.loads(cairn("remember", "The", "north", "bed", "is", "cold.", "--json").stdout)["memory_id"]
    assert name in cairn("show").stdout
    assert "The north bed is cold." in cairn("recall", "How is the north bed?").stdout

    assert cairn("forget", name, "--reason", "It was measured again.").stdout == "Forgotten.\n"

    assert name not in cairn("show").stdout
    unknown = cairn("forget", "u-" + "0" * 32)
    assert (unknown.exit_code, "names nothing" in unknown.output) == (1, True)


@pytest.mark.parametrize(
    ("question", "told"),
    [("Where do I live?", "likely to answer this"), ("Which tyres suit gravel?", "nothing related to this")],
)
def test_recall_says_in_words_whether_what_it_prints_is_likely_an_answer(cairn: Run, question: str, told: str) -> None:
    result = cairn("recall", question)

    assert told in result.stderr.lower()
    assert told not in result.stdout


def test_what_is_remembered_everywhere_is_known_in_another_project(cairn: Run) -> None:
    assert cairn("remember", "--scope", "user_everywhere", "Diagrams say more than prose.").exit_code == 0

    shown_elsewhere = cairn("show", "--project", "house").stdout

    assert re.search(r"Diagrams say more than prose\.\teverywhere\t", shown_elsewhere)


def test_what_is_wrong_is_corrected_pinned_and_undone(cairn: Run) -> None:
    (fact,) = json.loads(cairn("show", "--json").stdout)["facts"]

    new = json.loads(cairn("correct", fact["id"], "Stavanger,", "Norway", "--json").stdout)
    assert json.loads(cairn("pin", new["memory_id"], "--json").stdout)["pinned"]
    (pinned,) = json.loads(cairn("show", "--json").stdout)["facts"]
    assert (pinned["value"], pinned["quote"], pinned["turn_id"]) == ("Stavanger, Norway", "Stavanger, Norway", "")
    assert pinned["pinned"]
    assert cairn("pin", "--off", pinned["id"]).stdout.startswith("No longer pinned. ")
    assert json.loads(cairn("restore", fact["id"], "--json").stdout)["restored"] == fact["id"]

    (again,) = json.loads(cairn("show", "--json").stdout)["facts"]
    assert (again["value"], again["quote"], again["pinned"]) == ("Bergen", fact["quote"], False)


@pytest.mark.parametrize("command", [("correct", "ID", "Rome"), ("pin", "ID"), ("restore", "ID")])
def test_what_is_not_there_is_not_put_right_and_the_status_says_so(cairn: Run, command: tuple[str, ...]) -> None:
    result = cairn(*("u-" + "0" * 32 if word == "ID" else word for word in command))

    assert (result.exit_code, "names nothing" in result.output) == (1, True)


def test_a_fact_that_show_prints_can_be_forgotten(cairn: Run) -> None:
    (fact,) = json.loads(cairn("show", "--json").stdout)["facts"]
    assert fact["value"] == "Bergen"

    assert cairn("forget", fact["id"]).exit_code == 0

    assert "Bergen" not in cairn("show").stdout


@pytest.mark.parametrize(
    "command",
    [
        ("sessions",),
        ("sessions", "nowhere"),
        ("show",),
        ("show", "--graph"),
        ("users",),
        ("projects",),
        ("recall", "Anything?"),
    ],
)
def test_where_nothing_is_found_the_status_is_1_and_nothing_is_printed(
    tmp_path: Path, command: tuple[str, ...]
) -> None:
    environment = {"CAIRN_DATA": str(tmp_path / "empty"), **OFF}
    result = CliRunner().invoke(main, command, env=environment)

    assert (result.exit_code, result.stdout) == (1, "")
    assert ("Nothing is stored yet." if command[0] == "recall" else "Nothing is there.") in result.stderr


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("recall",), "Missing argument"),
        (("remember",), "Missing argument"),
        (("show", "a/b"), "user_id"),
        (("show", "--graph", "--json"), "--graph and --json"),
        (("sessions", "--limit", "0"), "--limit"),
        (("sessions", "--cursor", "nonsense"), "cursor"),
        (("sessions", "monday", "--cursor", "nonsense"), "--cursor"),
        (("sessions", "--project", "a b"), "--project"),
        (("remember", "Beans.", "--type", "nonsense"), "type"),
        (("completion", "tcsh"), "tcsh"),
    ],
)
def test_what_is_wrong_is_told_with_status_2(cairn: Run, arguments: tuple[str, ...], told: str) -> None:
    result = cairn(*arguments)
    assert (result.exit_code, told in result.output, "Traceback" in result.output) == (2, True, False)


def test_without_names_it_is_the_login_s_memory_in_the_default_project(tmp_path: Path) -> None:
    environment = {"CAIRN_DATA": str(tmp_path / "store"), **OFF}
    assert CliRunner().invoke(main, ["remember", "Beans like sun."], env=environment).exit_code == 0

    assert CliRunner().invoke(main, ["projects"], env=environment).stdout == "default\n"
    assert CliRunner().invoke(main, ["users"], env=environment).stdout.startswith(f"{login_name()}\t")


def test_others_are_seen_when_they_are_asked_for(cairn: Run, home: Path) -> None:
    with open_store(home, OFF):
        call = Call(Caller(LOCAL_TENANT, frozenset({"write"}), "test", (ALL_PROJECTS,)), wiring.services())
        say(call, "1", "I live in Rome.", session_id="hers", user_id="eve")

    assert "hers" not in cairn("sessions").stdout
    assert [line.split("\t")[0] for line in cairn("sessions", "--everyone").stdout.splitlines()] == ["hers", "monday"]
    assert "Rome" in cairn("show", "eve").stdout
    assert "Rome" not in cairn("show").stdout
    assert cairn("users").stdout.split()[::2] == ["ada", "eve"]


def test_a_list_says_how_to_go_on(cairn: Run, home: Path) -> None:
    with open_store(home, OFF):
        call = Call(Caller(LOCAL_TENANT, frozenset({"write"}), "test", (ALL_PROJECTS,)), wiring.services())
        say(call, "1", "I like figs.", session_id="tuesday")

    first = cairn("sessions", "--limit", "1")
    words = shlex.split(re.search(r"--cursor .*", first.stderr).group())  # pyright: ignore[reportOptionalMemberAccess]

    assert first.stdout.startswith("tuesday\t")
    assert cairn("sessions", "--limit", "1", *words).stdout.startswith("monday\t")


def test_what_was_said_moves_no_cursor_of_a_terminal(cairn: Run, home: Path) -> None:
    with open_store(home, OFF):
        call = Call(Caller(LOCAL_TENANT, frozenset({"write"}), "test", (ALL_PROJECTS,)), wiring.services())
        say(call, "3", "I like \x1b[31mred\x1b[0m\tfigs\r\nand \x9b2Jplums\u202e.")

    for command in (("sessions", "monday"), ("recall", "figs and plums"), ("show",), ("show", "--graph")):
        for line in cairn(*command).stdout.splitlines():
            assert all(each.isprintable() or each == "\t" for each in line), line
    assert len({line.count("\t") for line in cairn("sessions", "monday").stdout.splitlines()}) == 1


def test_a_terminal_gets_a_table(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "80")

    tables.table(("WHO", "SAID", "ID"), [("ada", "[bold]figs[/] " * 9, "u-" + "0" * 32)], wide="SAID")

    lines = re.sub(r"\x1b\[\d*m", "", capsys.readouterr().out).splitlines()
    assert re.match(r"\s*WHO\s+SAID\s+ID", next(filter(str.strip, lines)))
    assert "u-" + "0" * 32 in "\n".join(lines)
    assert "[bold]figs[/]" in "\n".join(lines)
    assert max(map(len, lines)) <= 80


def test_a_terminal_too_narrow_for_the_columns_still_shows_every_value_whole(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "80")
    columns = ("KIND", "ABOUT", "WHAT", "HOLDS", "SINCE", "SESSION", "ID")
    row = (
        "fact",
        "allergy",
        "cashews",
        "everywhere",
        "2026-11-23 07:13",
        "monday-morning",
        "01M83M118T03K9Q1XTS1N9WQJ9",
    )

    tables.table(columns, [row], wide="WHAT")

    assert capsys.readouterr().out.splitlines() == [
        "fact  allergy  cashews",
        "    everywhere  2026-11-23 07:13  monday-morning  01M83M118T03K9Q1XTS1N9WQJ9",
    ]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_is_told_how_to_complete(cairn: Run, shell: str) -> None:
    script = cairn("completion", shell)
    assert script.exit_code == 0
    assert f"_CAIRN_COMPLETE={shell}_complete" in script.stdout

    asked: dict[str, Any] = {"_CAIRN_COMPLETE": f"{shell}_complete", "COMP_WORDS": "cairn se", "COMP_CWORD": "1"}
    found = CliRunner().invoke(main, prog_name="cairn", env={**asked, "COMP_CWORD": "1" if shell != "fish" else "se"})

    assert {"serve", "sessions", "settings"} <= set(re.findall(r"\w+", found.output))


def test_each_command_is_on_record(cairn: Run) -> None:
    assert cairn("show").exit_code == 0

    listed = cairn("audit", "list").stdout

    assert "memory_list_known" in listed
