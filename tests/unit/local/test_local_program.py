"""A line to paste calls the command that printed it, wherever that is installed."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from cairn.local.program import program


@pytest.mark.parametrize(
    ("called", "beside", "expected"),
    [
        ("/home/ada/.local/bin/cairn", False, "/home/ada/.local/bin/cairn"),
        ("/my own/bin/cairn", True, "'/my own/bin/cairn'"),
        ("/site/cairn/local/__main__.py", True, "{bin}/cairn"),
        ("/site/cairn/local/__main__.py", False, "{bin}/python -m cairn.local"),
    ],
)
def test_it_is_called_as_it_was_or_as_it_can_be(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    called: str,
    beside: bool,  # noqa: FBT001 - a column
    expected: str,
) -> None:
    monkeypatch.setattr(sys, "argv", [called])
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    if beside:
        (tmp_path / "cairn").touch()

    assert program() == expected.format(bin=tmp_path)
