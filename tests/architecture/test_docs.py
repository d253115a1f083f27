"""Every file, folder and module that the documents name is there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]
SOURCES = (ROOT / "layers" / "core", ROOT / "functions")
HISTORY = "CHANGELOG.md"
FOLDERS = ("bench", "docs", "events", "functions", "layers", "tests", "tools")
FILE = re.compile(r"[\w./-]+\.(?:py|json|jsonl|md|npz|toml|txt|yaml|zdict)")
FOLDER = re.compile(rf"(?:cairn(?:_\w+)?|{'|'.join(FOLDERS)})/[\w./-]*")
MODULE = re.compile(r"cairn(?:_\w+)?(?:\.\w+)+")
FORMER = re.compile(r"(?:domain|service|runtime)[./]\w[\w./]*")
"""Modules named after the layers that the rooms replaced."""
METHODS = {"tools/call", "tools/list"}
"""Methods of MCP, which look like folders."""
LINK = re.compile(r"\]\((?!https?:|#)([^)#\s]+)")
IMPORT = re.compile(r"^(?:from|import) (cairn[\w.]*)(?: import (.+))?$", re.MULTILINE)
OF_A_USER = {
    ".cairn-sync.json",
    "MEMORY.conflict-1a2b3c4d.md",
    "MEMORY.md",
    "sync_memory.py",
    "context.jsonl",
    "events.json",
    "log.jsonl",
    "memory_facts.jsonl",
    "meta.json",
    "mcp.json",
    "mem0.json",
    "memory.json",
    "settings.yaml",
    "policy.yaml",
}
"""Files of those who read the page, and of what Cairn writes for them."""
IN_A_BUNDLE = {"items.jsonl", "manifest.json", "state.txt", "was.txt"}
every_page = pytest.mark.parametrize(
    "page", [page for page in PAGES if page.name != HISTORY], ids=lambda page: str(page.relative_to(ROOT))
)


@cache
def files() -> tuple[str, ...]:
    below = (path for folder in FOLDERS for path in (ROOT / folder).rglob("*"))
    return tuple(f"/{path.relative_to(ROOT)}" for path in (*ROOT.iterdir(), *below) if path.is_file())


def words(page: Path) -> Iterator[str]:
    """Yield what stands between backticks, word by word; a placeholder or a pattern is no name."""
    prose = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    for span in re.findall(r"`([^`\n]+)`", prose):
        yield from (word for word in re.split(r"[\s,;()\"']+", span) if not set(word) & set("<>{}*$…"))


def is_there(name: str) -> bool:
    return any(each.endswith(f"/{name.lstrip('/')}") for each in files())


def module_is_there(name: str) -> bool:
    """Tell whether a dotted name is a module or package, or something that one of them defines."""
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        for source in SOURCES:
            stem = source.joinpath(*parts[:length])
            found = next((path for path in (stem.with_suffix(".py"), stem / "__init__.py") if path.is_file()), None)
            if found is not None:
                text = found.read_text(encoding="utf-8")
                return all(re.search(rf"\b{part}\b", text) for part in parts[length:])
    return False


@every_page
def test_every_file_that_a_page_names_is_there(page: Path) -> None:
    named = {word for word in words(page) if FILE.fullmatch(word)} - OF_A_USER - IN_A_BUNDLE

    assert sorted(name for name in named if not is_there(name)) == []


@every_page
def test_every_folder_that_a_page_names_is_there(page: Path) -> None:
    named = {word for word in words(page) if FOLDER.fullmatch(word) and not FILE.fullmatch(word)} - METHODS

    assert sorted(name for name in named if not any(f"/{name.rstrip('/')}/" in each for each in files())) == []


@every_page
def test_every_module_that_a_page_names_is_there(page: Path) -> None:
    imported = {
        f"{module}.{name}" if name else module
        for module, names in IMPORT.findall(page.read_text(encoding="utf-8"))
        for name in (names.split(", ") if names else [""])
    }
    named = {word for word in words(page) if MODULE.fullmatch(word)}

    assert sorted(name for name in named | imported if not module_is_there(name)) == []


@every_page
def test_no_page_names_a_module_by_a_layer_that_is_gone(page: Path) -> None:
    assert sorted({word for word in words(page) if FORMER.fullmatch(word)}) == []


@every_page
def test_every_link_of_a_page_leads_somewhere(page: Path) -> None:
    linked = LINK.findall(page.read_text(encoding="utf-8"))

    assert sorted(link for link in linked if not (page.parent / link).exists()) == []
