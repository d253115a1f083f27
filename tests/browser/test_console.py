"""Every page of the console in a real browser: on a wide and a narrow screen, with JavaScript and without."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium.webdriver import Chrome
from selenium.webdriver.common.by import By

from cairn_console.catalog import PAGES
from cairn_console.page import Page
from support.axe import violations
from support.chromium import browsed, prefer, resize, wait
from support.console_story import Console
from support.surfing import Surfer

pytestmark = [pytest.mark.enable_socket, pytest.mark.slow]
WIDE, NARROW = 1200, 390
WIDTHS = pytest.mark.parametrize("width", [WIDE, NARROW])
EVERY_PAGE = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
OPEN_ALL = "document.querySelectorAll('details').forEach((each) => { each.open = true })"
LOOKS = [(theme, width) for theme in ("light", "dark") for width in (WIDE, NARROW)]


@pytest.mark.req("R316")
@WIDTHS
@EVERY_PAGE
def test_a_page_loads_without_a_complaint_of_the_browser_and_fits_the_screen(
    page: Page, width: int, surfer: Surfer
) -> None:
    resize(surfer.driver, width)
    surfer.open(page)

    assert surfer.complaints() == []
    assert len(surfer.all("h1")) == 1
    assert surfer.driver.title.endswith("· Cairn")
    assert surfer.script("return document.documentElement.scrollWidth") == width
    assert not surfer.all(".problem")


@pytest.mark.req("R316")
@WIDTHS
@EVERY_PAGE
def test_every_control_is_reached_by_tab_and_shows_that_it_has_the_focus(
    page: Page, width: int, surfer: Surfer
) -> None:
    resize(surfer.driver, width)
    surfer.open(page)

    reached = dict(surfer.reached())

    assert [each.accessible_name for each in surfer.controls() if each not in reached] == []
    assert [each.accessible_name for each, is_shown in reached.items() if not is_shown] == []


@pytest.mark.req("R316")
@EVERY_PAGE
def test_axe_finds_nothing_on_a_page_by_day_and_night_wide_and_narrow_shut_and_open(
    page: Page, scripted: Surfer
) -> None:
    scripted.open(page)

    assert list(every_look(scripted.driver)) == []
    scripted.script(OPEN_ALL)
    assert list(every_look(scripted.driver)) == []


def every_look(driver: Chrome) -> Iterator[str]:
    """Yield what axe finds however the page is looked at."""
    for theme, width in LOOKS:
        prefer(driver, "dark" if theme == "dark" else "light")
        resize(driver, width)
        yield from (f"{theme}, {width}: {each}" for each in violations(driver))


@pytest.mark.req("R316")
def test_axe_finds_nothing_where_something_is_not_found_or_nothing_is_stored(scripted: Surfer) -> None:
    origin = scripted.console.origin
    for path in ("/console/nothing", "/console/search?q=x&project=garden&days=x", "/console/people?project=empty", "/"):
        scripted.driver.get(origin + path)

        assert list(every_look(scripted.driver)) == [], path


@pytest.mark.req("R316")
def test_axe_finds_nothing_on_the_page_to_sign_in_on_nor_after_a_wrong_key(console: Console, tmp_path: Path) -> None:
    with browsed(tmp_path / "profile") as driver:
        driver.get(console.origin)
        assert list(every_look(driver)) == []

        driver.find_element(By.ID, "key").send_keys("cairn_0123456789abcdef_wrong")
        driver.find_element(By.CSS_SELECTOR, "button.main").click()

        told = wait(driver, lambda: driver.find_element(By.CSS_SELECTOR, "[role=alert]").text)
        assert told.startswith("This key opens nothing")
        assert list(every_look(driver)) == []
