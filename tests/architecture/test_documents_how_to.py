"""The programs that the how-to for documents shows run as they stand, and print what they are said to."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

PAGE = (Path(__file__).resolve().parents[2] / "docs/how-to/keep-documents.md").read_text(encoding="utf-8")
PROGRAMS = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    monkeypatch.setenv("CAIRN_EMBEDDING_EMBEDDER", "none")


def run(program: str) -> None:
    known: dict[str, Any] = {}
    exec(compile(program, "keep-documents.md", "exec"), known)  # noqa: S102 - a page of this repository
    known["memory"].close()


def test_the_programs_find_what_they_keep_and_learn_of_a_conflict(capsys: pytest.CaptureFixture[str]) -> None:
    for program in PROGRAMS:
        run(program)

    assert capsys.readouterr().out == "1.0 ('notes', 'beds') north 4\n7 was changed meanwhile\n"
    assert len(PROGRAMS) == 2
