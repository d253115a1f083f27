"""Chromium as tests and pictures drive it: the system's own, headless, over a profile that is empty at first."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias, TypeVar

from selenium.common.exceptions import WebDriverException
from selenium.webdriver import Chrome, ChromeOptions
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.support.wait import WebDriverWait

Theme: TypeAlias = Literal["light", "dark"]
_Found = TypeVar("_Found")
_FLAGS: Final = (
    *("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars"),
)
_BLOCKED: Final = 2
_SECONDS: Final = 30
_NOT_YET: Final = (WebDriverException,)
"""What is said of a page that is about to be there or just drawn anew: of its elements, or by the inspector."""


@contextmanager
def browsed(profile: Path, *, width: int = 1200, height: int = 900, scripts: bool = True) -> Generator[Chrome]:
    """Run Chromium over an empty profile; what it downloads lies in the profile's folder `downloads`."""
    options = ChromeOptions()
    options.binary_location = "/usr/bin/chromium"
    for flag in (*_FLAGS, f"--user-data-dir={profile}", f"--window-size={width},{height}"):
        options.add_argument(flag)
    wanted: dict[str, object] = {"download.default_directory": str(profile / "downloads")}
    if not scripts:
        wanted["profile.managed_default_content_settings.javascript"] = _BLOCKED
    options.add_experimental_option("prefs", wanted)  # pyright: ignore[reportUnknownMemberType] - of selenium
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = Chrome(options=options, service=Service("/usr/bin/chromedriver"))
    try:
        yield driver
    finally:
        driver.quit()


def resize(driver: Chrome, width: int, height: int = 900) -> None:
    """Make the page as wide as a window or a phone, narrower than a window can be."""
    told = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
    command(driver, "Emulation.setDeviceMetricsOverride", **told)


def prefer(driver: Chrome, theme: Theme) -> None:
    """Have the user prefer a light or a dark page, on which nothing fades in."""
    wanted = {"prefers-color-scheme": theme, "prefers-reduced-motion": "reduce"}
    features = [{"name": name, "value": value} for name, value in wanted.items()]
    command(driver, "Emulation.setEmulatedMedia", features=features)


def command(driver: Chrome, name: str, **given: object) -> Mapping[str, Any]:
    """Send a command of the DevTools protocol."""
    return driver.execute_cdp_cmd(name, given)  # pyright: ignore[reportUnknownMemberType] - of selenium


def script(driver: Chrome, code: str, *given: object) -> Any:
    """Run a script where the driver is."""
    return driver.execute_script(code, *given)  # pyright: ignore[reportUnknownMemberType] - of selenium


def wait(driver: Chrome, holds: Callable[[], _Found]) -> _Found:
    """Wait until something holds, and return it."""
    return WebDriverWait(driver, _SECONDS, 0.05, _NOT_YET).until(lambda _: holds())


def complaints(driver: Chrome) -> Iterator[str]:
    """Yield what the browser warned of since it was asked last: errors, and what the policy blocked."""
    lines: list[dict[str, Any]] = driver.get_log("browser")  # pyright: ignore[reportUnknownMemberType] - of selenium
    yield from (line["message"] for line in lines if line["level"] in {"SEVERE", "WARNING"})
