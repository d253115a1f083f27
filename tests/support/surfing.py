"""Somebody who uses the console in a real browser, with the keyboard or by pressing what is named."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from selenium.common.exceptions import WebDriverException
from selenium.webdriver import ActionChains, Chrome, Keys
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement

from cairn_console.page import Page
from support.chromium import complaints, script, wait
from support.console_story import Console

_MOST_TABS: Final = 200
_CONTROLS: Final = """
return [...document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex='0']")]
  .filter((each) => each.checkVisibility({visibilityProperty: true}) && each.type !== "hidden" && !each.disabled)
"""
_FOCUS: Final = """
const it = document.activeElement, style = getComputedStyle(it);
return [it, style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2]
"""


@dataclass(frozen=True, slots=True)
class Surfer:
    """A person at the browser."""

    driver: Chrome
    console: Console

    @classmethod
    def arriving(cls, driver: Chrome, console: Console) -> Surfer:
        """Return somebody who has just signed in, whoever was there before."""
        driver.get(console.origin)
        driver.delete_all_cookies()
        surfer = cls(driver, console)
        surfer.sign_in()
        return surfer

    def sign_in(self) -> None:
        """Type the key where the cursor is, and send it."""
        self.driver.get(self.console.origin)
        wait(self.driver, lambda: self.focused.get_attribute("id") == "key")
        self.type(self.console.key, Keys.ENTER)
        wait(self.driver, lambda: self.all(".menu"))

    def open(self, page: Page) -> None:
        """Load a page that has something to show."""
        self.driver.get(self.console.address(page))

    def all(self, selector: str) -> list[WebElement]:
        """Return the elements that a selector finds."""
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def texts(self, selector: str) -> list[str]:
        """Return the texts that a selector finds."""
        return [each.text for each in self.all(selector)]

    @property
    def text(self) -> str:
        """Return what the page says."""
        return self.texts("main")[0]

    def type(self, *keys: str) -> None:
        """Press keys, wherever the focus is."""
        ActionChains(self.driver).send_keys(*keys).perform()

    def type_over(self, words: str) -> None:
        """Put words in the place of all that stands in the field that has the focus."""
        ActionChains(self.driver).key_down(Keys.CONTROL).send_keys("a").key_up(Keys.CONTROL).send_keys(words).perform()

    def tab_to(self, name: str) -> None:
        """Press Tab until the focus is on what a screen reader calls so."""
        passed: set[str] = set()
        for _ in range(_MOST_TABS):
            self.type(Keys.TAB)
            if self.focused.accessible_name == name:
                return
            passed.add(self.focused.accessible_name)
        raise AssertionError(f"Tab does not lead to {name}, but to {sorted(passed)}")

    def follow(self, name: str) -> None:
        """Go to a control by Tab, press Enter and wait for the page that comes."""
        self.tab_to(name)
        self.enter()

    def enter(self) -> None:
        """Press Enter, and wait for the page that comes."""
        before = self.driver.find_element(By.TAG_NAME, "main")
        self.type(Keys.ENTER)
        wait(self.driver, lambda: _is_gone(before) and self.all("main h1"))

    def says(self, words: str) -> None:
        """Wait until the page says so."""
        wait(self.driver, lambda: words in self.text)

    @property
    def focused(self) -> WebElement:
        """Return what has the focus."""
        return self.driver.switch_to.active_element

    def reached(self) -> Iterator[tuple[WebElement, bool]]:
        """Yield what Tab leads to on a page just loaded, and whether one sees that it has the focus."""
        for _ in range(_MOST_TABS):
            self.type(Keys.TAB)
            found: tuple[WebElement, bool] = tuple(script(self.driver, _FOCUS))
            if found[0].tag_name == "body":
                return
            yield found

    def controls(self) -> list[WebElement]:
        """Return all that can be used on the page."""
        return script(self.driver, _CONTROLS)

    def complaints(self) -> list[str]:
        """Return what the browser warned of since it was asked last."""
        return list(complaints(self.driver))

    def script(self, code: str, *given: object) -> Any:
        """Run a script in the page."""
        return script(self.driver, code, *given)


def _is_gone(element: WebElement) -> bool:
    """Tell whether an element is of a page that was left: it is stale then, or its document is said to be another."""
    try:
        element.is_enabled()
    except WebDriverException:
        return True
    return False
