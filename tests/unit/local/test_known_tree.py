"""`cairn show --graph`: what is known as a tree, drawn on a terminal and indented elsewhere."""

from __future__ import annotations

import io
import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from rich.cells import cell_len

from cairn.local.known_tree import by_week, known_tree
from cairn.local.trees import Branch, bars, print_tree

NOW = datetime(2026, 11, 26, 12, tzinfo=UTC)
LONG = "My sister Rosa works at the harbour office and bikes to it each morning whatever the weather is."


class Output(io.TextIOWrapper):
    """Standard output with an encoding, a terminal or none."""

    def __init__(self, encoding: str, *, terminal: bool) -> None:
        self.kept = io.BytesIO()
        super().__init__(self.kept, encoding=encoding, write_through=True)
        self._terminal = terminal

    def isatty(self) -> bool:
        return self._terminal

    def lines(self) -> list[str]:
        """Return what was printed, without colours."""
        return re.sub(r"\x1b\[[\d;]*m", "", self.kept.getvalue().decode(self.encoding)).splitlines()


@pytest.fixture
def printed(monkeypatch: pytest.MonkeyPatch) -> Any:
    def output(encoding: str = "utf-8", *, width: int = 0) -> Output:
        made = Output(encoding, terminal=bool(width))
        monkeypatch.setattr("sys.stdout", made)
        monkeypatch.setenv("COLUMNS", str(width))
        monkeypatch.setenv("TERM", "xterm")
        return made

    return output


def fact(about: str, value: str, *, weeks: int = 0, everywhere: bool = True, session: str = "monday") -> dict[str, Any]:
    since = (NOW - timedelta(weeks=weeks)).isoformat()
    return {"about": about, "value": value, "since": since, "session_id": session, "everywhere": everywhere}


def memory(content: str) -> dict[str, Any]:
    told = fact("", "", everywhere=False)
    return {**told, "type": "decision", "content": content}


def known(*facts: dict[str, Any], memories: tuple[dict[str, Any], ...] = ()) -> dict[str, Any]:
    return {"facts": list(facts), "memories": list(memories), "more": 0}


def draw(answer: dict[str, Any], user: str | None = None) -> None:
    print_tree(known_tree(answer, user, NOW))


def test_in_a_pipe_each_thing_stands_under_what_it_is_about_with_since_when_and_from_where(printed: Any) -> None:
    output = printed()

    draw(
        known(
            fact("like", "figs", everywhere=False),
            fact("home", "Bergen", weeks=2),
            fact("like", "maps", weeks=20, session=""),
            memories=(memory("Garlic goes north."),),
        ),
        "ada",
    )

    assert output.lines() == [
        "What is known of ada  learnt in 12 weeks until now: 0 0 0 0 0 0 0 0 0 1 0 2, 1 earlier",
        "  facts",
        "    like",
        "      figs  since 2026-11-26T12:00:00Z, monday, here",
        "      maps  since 2026-07-09T12:00:00Z, everywhere",
        "    home",
        "      Bergen  since 2026-11-12T12:00:00Z, monday, everywhere",
        "  memories",
        "    decision",
        "      Garlic goes north.  since 2026-11-26T12:00:00Z, monday, here",
    ]


def test_a_terminal_gets_a_drawn_tree_with_bars_and_what_does_not_fit_beside_stands_below(printed: Any) -> None:
    output = printed(width=80)

    draw(known(fact("home", "Bergen"), fact("home", "Fana", weeks=1), fact("relation", LONG, weeks=1)))

    since = (NOW.astimezone().strftime("%Y-%m-%d %H:%M"), (NOW - timedelta(weeks=1)).astimezone())
    before = since[1].strftime("%Y-%m-%d %H:%M")
    assert [line.rstrip() for line in output.lines()] == [
        "What is known  learnt in 12 weeks until now: ··········█▄ (0 to 2)",
        "└── facts",
        "    ├── home",
        f"    │   ├── Bergen  since {since[0]}, monday, everywhere",
        f"    │   └── Fana  since {before}, monday, everywhere",
        "    └── relation",
        "        └── My sister Rosa works at the harbour office and bikes to it each",
        "            morning whatever the weather is.",
        f"            since {before}, monday, everywhere",
    ]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("x" * 28, ["    └── " + "x" * 28 + "  beside him"]),
        ("x" * 29, ["    └── " + "x" * 29, "        beside him"]),
    ],
)
def test_since_when_stands_in_the_line_that_it_fits_and_else_whole_in_the_next(
    printed: Any, text: str, lines: list[str]
) -> None:
    output = printed(width=4 + 4 + 28 + 2 + 10)

    print_tree(Branch("all", under=(Branch("some", under=(Branch(text, "beside him"),)),)))

    assert output.lines()[2:] == lines


@pytest.mark.parametrize("width", [24, 31, 47, 80])
@pytest.mark.parametrize("text", [LONG, "x" * 300, "界" * 90, "[bold]figs[/bold] " * 9])
def test_no_line_is_wider_than_the_terminal_and_no_character_is_lost(printed: Any, width: int, text: str) -> None:
    output = printed(width=width)

    draw(known(fact(text[:40], text, session="s" * 60), memories=(memory(text),)))

    lines = output.lines()
    bare = re.sub(r"[\s│├└─]", "", "".join(lines))
    assert max(map(cell_len, lines)) <= width
    assert bare.count(re.sub(r"\s", "", text)) >= 2


def test_a_terminal_too_narrow_for_a_tree_gets_it_indented(printed: Any) -> None:
    output = printed(width=12)

    draw(known(fact("home", "Bergen")))

    assert output.lines()[2:3] == ["    home"]
    assert any("Bergen" in line for line in output.lines())


@pytest.mark.parametrize("width", [0, 80])
def test_where_the_encoding_is_not_utf_8_other_characters_are_escaped(printed: Any, width: int) -> None:
    output = printed("ascii", width=width)

    draw(known(fact("home", "Tromsø 界")))

    assert any("Troms\\xf8 \\u754c" in line for line in output.lines())
    assert output.lines()[0].endswith("until now: 0 0 0 0 0 0 0 0 0 0 0 1")


@pytest.mark.parametrize("width", [0, 80])
def test_what_is_stored_steers_no_terminal_and_turns_no_text_around(printed: Any, width: int) -> None:
    output = printed(width=width)
    hostile = "\x1b[2Jone\r\ntwo\x07\x9b31m \u202eeerht\u2066\u200f\u2028four"

    draw(known(fact(hostile, hostile, session=hostile), memories=(memory(hostile),)), hostile)

    told = output.kept.getvalue().decode()
    ours = re.sub(r"\x1b\[[\d;]*m", "", told).replace("\n", "")
    assert ours.isprintable()
    assert told.count("four") == 5


def test_what_was_learnt_is_counted_by_weeks_that_end_now() -> None:
    ages = [timedelta(), timedelta(days=6, hours=23), timedelta(days=7), timedelta(weeks=12), timedelta(days=-1)]

    counts = by_week((NOW - age for age in ages), NOW)

    assert counts == (*[0] * 10, 1, 3)


def test_the_highest_bar_is_the_most_and_the_lowest_is_still_seen(printed: Any) -> None:
    printed(width=80)

    assert bars((0, 1, 50, 100)) == "·▁▄█ (0 to 100)"
    assert bars((0, 0)) == "·· (0 to 1)"


def test_a_branch_without_anything_beside_or_under_it_is_its_text(printed: Any) -> None:
    output = printed()

    print_tree(Branch("alone"))

    assert output.lines() == ["alone"]
