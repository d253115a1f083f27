"""The pages on memory files do what they say: their examples are run as they stand."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import cairn
from cairn import Memory
from support.loopback import Run, serving
from support.messages_stub import Script, messages_server

PAGES = Path(__file__).resolve().parents[2] / "docs" / "how-to"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    monkeypatch.setenv("CAIRN_EMBEDDING_EMBEDDER", "none")
    return tmp_path


@pytest.fixture
def run() -> Iterator[Run]:
    with serving() as started:
        yield started


def code(page: str) -> list[str]:
    text = (PAGES / page).read_text(encoding="utf-8")
    return re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


@pytest.mark.req("R314")
@pytest.mark.enable_socket
def test_the_page_on_claude_s_memory_tool(
    run: Run, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    script = Script([{"command": "create", "path": "/memories/beds.md", "file_text": "Two beds.\n"}])
    monkeypatch.setenv("ANTHROPIC_BASE_URL", run(messages_server(script)).url)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "none")
    names: dict[str, Any] = {}
    try:
        for block in code("use-claude-s-memory-tool.md"):
            exec(compile(block, "page", "exec"), names)  # noqa: S102 - what the page shows is what is tried
        held = names["memory"].files(user="ada", project="garden").list()
    finally:
        names["memory"].close()

    assert names["answer"].content[0].text == "Done."
    assert script.told == [("File created successfully at: /memories/beds.md", False)]
    assert [each.path for each in held] == ["/memories/beds.md", "/memories/plan.md"]
    assert capsys.readouterr().out == "Beans go north.\n\n[2, 3]\n"


def test_the_page_on_a_memory_md_brings_two_directories_together(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, str]] = []

    def of_server(url: str, *, key: str, **names: Any) -> Memory:
        asked.append((url, key))
        return Memory(home / "server", **names)

    (block,) = code("keep-memory-md-everywhere.md")
    monkeypatch.setattr(cairn, "Memory", of_server)
    monkeypatch.setenv("MEMORY_URL", "https://memory.example.com")
    monkeypatch.setenv("MEMORY_KEY", "a key")

    def sync(machine: str) -> None:
        monkeypatch.setattr(sys, "argv", ["sync_memory.py", str(home / machine)])
        exec(compile(block, "page", "exec"), {})  # noqa: S102 - as above

    (home / "laptop").mkdir()
    (home / "laptop" / "MEMORY.md").write_text("Beans go north.\n")
    sync("laptop")
    sync("desktop")
    (home / "desktop" / "MEMORY.md").write_text("Beans go south.\n")
    sync("desktop")
    sync("laptop")

    assert (home / "laptop" / "MEMORY.md").read_text() == "Beans go south.\n"
    assert asked == [("https://memory.example.com", "a key")] * 4
