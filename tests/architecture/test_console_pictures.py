"""The how-to shows every page of the console, in pictures that are small and all shown."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PICTURES = ROOT / "docs" / "figures" / "console"
MOST_BYTES = 60_000


def test_the_how_to_shows_every_page_and_every_picture() -> None:
    from cairn_console.catalog import PAGES  # noqa: PLC0415 - it reads the whole catalog of tools

    how_to = (ROOT / "docs" / "how-to" / "use-the-console.md").read_text("utf-8")
    shown = re.findall(r"\(\.\./figures/console/([\w-]+)\.png\)", how_to)

    assert sorted(shown) == sorted(["sign-in", *(page.name for page in PAGES)])
    assert sorted(path.stem for path in PICTURES.iterdir()) == sorted(shown)


def test_the_pictures_are_small() -> None:
    assert [path.name for path in PICTURES.iterdir() if path.stat().st_size > MOST_BYTES] == []
