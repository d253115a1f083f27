"""A person's home of its own for every test, and a memory in it; texts are found by their words."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from cairn import Memory


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    monkeypatch.setenv("CAIRN_EMBEDDING_EMBEDDER", "none")
    return tmp_path


@pytest.fixture
def memory(home: Path) -> Iterator[Memory]:
    assert home
    with Memory() as opened:
        yield opened
