"""Take a picture of every page of the console, of a made-up person's memory, into `docs/figures/console`.

With a folder given, pictures go there instead, of both themes and of both a window's width and a phone's: for whoever
changes a template or the style sheet.
"""

from __future__ import annotations

import argparse
import tempfile
from base64 import b64decode
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from selenium.webdriver import Chrome

from cairn_console.catalog import PAGES
from small_png import smaller
from support.chromium import Theme, browsed, command, prefer, resize, script, wait
from support.console_story import Console, serving

ROOT: Final = Path(__file__).resolve().parents[1]
FIGURES: Final = ROOT / "docs" / "figures" / "console"
_LEAST, _MOST = 560, 1000
"""How high a picture of the documentation is, in pixels."""
_WHOLE: Final = 4000


class Look(NamedTuple):
    """How a page is looked at."""

    width: int
    theme: Theme
    most: int


FOR_DOCUMENTS: Final = Look(1000, "light", _MOST)
FOR_REVIEW: Final = (Look(1200, "light", _WHOLE), Look(390, "dark", _WHOLE))


def main() -> None:
    """Take them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, help="where pictures for a review go")
    parser.add_argument("--page", action="append", help="only this page; may be given several times")
    given = parser.parse_args()
    folder, looks = given.folder or FIGURES, FOR_REVIEW if given.folder else (FOR_DOCUMENTS,)
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as home:
        (Path(home) / "person").mkdir()
        with serving(Path(home) / "person") as console, browsed(Path(home) / "profile") as driver:
            for name, look, content in _pictures(driver, console, looks, given.page or []):
                suffix = "" if look is FOR_DOCUMENTS else f"-{look.width}-{look.theme}"
                (folder / f"{name}{suffix}.png").write_bytes(content if given.folder else smaller(content))


def _pictures(
    driver: Chrome, console: Console, looks: tuple[Look, ...], names: list[str]
) -> Iterator[tuple[str, Look, bytes]]:
    """Yield the pictures: of the page to sign in on first, since then the browser is signed in."""
    driver.get(console.origin)
    for look in looks:
        yield "sign-in", look, _picture(driver, look)
    sign_in(driver, console)
    for page in PAGES:
        if names and page.name not in names:
            continue
        driver.get(console.address(page))
        for look in looks:
            yield page.name, look, _picture(driver, look)


def sign_in(driver: Chrome, console: Console) -> None:
    """Show the key, and wait for the first page."""
    driver.find_element("id", "key").send_keys(console.key)
    driver.find_element("css selector", "button.main").click()
    wait(driver, lambda: driver.find_elements("css selector", ".menu"))


def _picture(driver: Chrome, look: Look) -> bytes:
    prefer(driver, look.theme)
    resize(driver, look.width, _LEAST)
    height: int = script(driver, "return document.documentElement.scrollHeight")
    resize(driver, look.width, max(_LEAST, min(height, look.most)))
    return b64decode(command(driver, "Page.captureScreenshot", format="png")["data"])


if __name__ == "__main__":
    main()
