"""axe-core, which finds what keeps people from using a page: from npm in an exact version, into `.cache/axe`."""

from __future__ import annotations

import shutil
import subprocess
from functools import cache
from typing import Any, Final

from selenium.webdriver import Chrome

from support.chromium import script
from support.installed import ROOT

PACKAGE: Final = "axe-core@4.14.1"
CACHE: Final = ROOT / ".cache" / "axe"
_INSTALL_SECONDS: Final = 300
_RUN: Final = (
    "axe.run({resultTypes: ['violations']}).then(arguments[0], (error) => arguments[0]({error: String(error)}))"
)


@cache
def source() -> str:
    """Return the program, once npm has put it into the cache."""
    done = CACHE / "installed.txt"
    if not done.is_file() or done.read_text("utf-8") != PACKAGE:
        shutil.rmtree(CACHE, ignore_errors=True)
        CACHE.mkdir(parents=True)
        quiet = ["--no-save", "--no-package-lock", "--no-audit", "--no-fund", "--loglevel=error"]
        command = ["npm", "install", "--prefix", str(CACHE), *quiet, PACKAGE]
        subprocess.run(command, check=True, timeout=_INSTALL_SECONDS, capture_output=True)  # noqa: S603 - the version above
        done.write_text(PACKAGE, "utf-8")
    return (CACHE / "node_modules" / "axe-core" / "axe.min.js").read_text("utf-8")


def violations(driver: Chrome) -> list[str]:
    """Return what the page does wrong: the rule and the elements, a line each."""
    if not script(driver, "return 'axe' in window"):
        script(driver, source())
    answer: dict[str, Any] = driver.execute_async_script(_RUN)  # pyright: ignore[reportUnknownMemberType] - of selenium
    if "error" in answer:
        raise AssertionError(answer["error"])
    return [
        f"{found['id']}: {node['target']} {node['failureSummary']}"
        for found in answer["violations"]
        for node in found["nodes"]
    ]
