"""The program that the how-to for item logs shows runs as it stands."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

PAGE = (Path(__file__).resolve().parents[2] / "docs/how-to/keep-a-log-of-items.md").read_text(encoding="utf-8")
PROGRAMS = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


@pytest.mark.req("R313")
def test_the_program_keeps_takes_back_and_deletes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    monkeypatch.setenv("CAIRN_EMBEDDING_EMBEDDER", "none")
    (program,), known = PROGRAMS, dict[str, Any]()

    exec(compile(program, "keep-a-log-of-items.md", "exec"), known)  # noqa: S102 - a page of this repository

    assert known["thread"].read().count == 0
    known["memory"].close()
    said = ["0 m1 Where do the beans grow?", "1 m2 In the north bed.", "In the north bed.", "thread-1 1 {'step': 2}"]
    assert capsys.readouterr().out.splitlines() == said
