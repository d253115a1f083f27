"""The programs that the how-to for Python shows run as they stand."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from cairn import Memory

PAGE = (Path(__file__).resolve().parents[2] / "docs/how-to/use-it-from-python.md").read_text(encoding="utf-8")
PROGRAMS = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
LINE = re.compile(r"^\| \d \|.*\| `([^`]+)` \|$", re.MULTILINE)
MOST_LINES = 5


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    monkeypatch.setenv("CAIRN_EMBEDDING_EMBEDDER", "none")


def run(program: str, **known: Any) -> dict[str, Any]:
    exec(compile(program, "use-it-from-python.md", "exec"), known)  # noqa: S102 - a page of this repository
    return known


@pytest.mark.req("R286")
def test_the_first_program_prints_what_was_said(capsys: pytest.CaptureFixture[str]) -> None:
    run(PROGRAMS[0])["memory"].close()

    assert "user I moved to Oslo and took up rowing." in capsys.readouterr().out


def test_the_five_lines_beside_the_others_run_as_they_stand() -> None:
    lines = LINE.findall(PAGE)
    talk = [{"role": "user", "content": "I moved to Oslo and took up rowing."}]

    known = run("\n".join(lines), talk=talk, asked="Which sport is it, rowing?")
    as_mem0_has_it = known["memory"].search(known["asked"], filters={"user_id": "alice"})
    known["memory"].close()

    assert len(lines) == MOST_LINES
    assert "I moved to Oslo and took up rowing." in [each.content for each in known["found"]]
    assert [each.id for each in as_mem0_has_it] == [each.id for each in known["found"]]


def test_the_loop_keeps_the_turn_and_the_memory(capsys: pytest.CaptureFixture[str]) -> None:
    def your_model(items: Sequence[object]) -> str:
        return f"I read {len(items)} items."

    run(PROGRAMS[1], your_model=your_model)

    assert capsys.readouterr().out == "['What should I plant next to the beans?', 'I read 1 items.']\n"
    with Memory(user="ada", project="garden") as memory:
        assert "The north bed gets four hours of sun." in [each.content for each in memory.search("the north bed")]


def test_a_server_s_memory_is_made_without_asking_it() -> None:
    memory = run(PROGRAMS[2].replace("cairn_…", "cairn_x"))["memory"]

    assert repr(memory) == "Memory('https://memory.example.com', project='garden', user='ada')"


def test_the_awaited_program_finds_what_it_added() -> None:
    found = run(PROGRAMS[3])["found"]

    assert "I keep bees." in [each.content for each in found]
    assert len(PROGRAMS) == 4
